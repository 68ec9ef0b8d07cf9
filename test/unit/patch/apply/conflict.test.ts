import { shortPath } from '../../../../src/base/short-text.ts';
import { ApplyConflictError } from '../../../../src/patch/apply/conflict.ts';
import { fieldSetOf } from '../../../../src/patch/apply/field-set.ts';
import { ManagedEntry } from '../../../../src/patch/apply/managed-entry.ts';
import { fieldElement } from '../../../../src/patch/apply/path-element.ts';

const parts = { manager: 'ann', operation: 'Apply', subresource: '', apiVersion: 'v1', time: '' } as const;

function conflictOn(count: number, key: string): ApplyConflictError {
  const paths = Array.from({ length: count }, (_, i) => ['f:data', fieldElement(`${key}${String(i)}`)]);
  const fields = fieldSetOf(paths);
  return new ApplyConflictError([{ entry: ManagedEntry.of(parts, fields), fields }]);
}

test('every field is named where they are few', () => {
  const { message, conflicts } = conflictOn(2, 'k');
  expect(message).toBe('Apply failed with 2 conflicts: conflicts with "ann":\n- .data.k0\n- .data.k1');
  expect(conflicts.map(({ field }) => field)).toEqual(['.data.k0', '.data.k1']);
});

test('where they are very many or very long, they are counted and cut', () => {
  const { message, conflicts } = conflictOn(2_000, 'k');
  expect(message).toMatch(/^Apply failed with 2000 conflicts: /);
  expect(conflicts).toHaveLength(1_000);
  expect(conflictOn(1, 'x'.repeat(1_000_000)).message.length).toBeLessThan(1_000);
});

/** A thousand of them 900 levels deep took 90 ms and made a megabyte, of which 64 KB are answered. */
test('where they lie deep, they are named by both ends, as many as fit in some text', () => {
  const steps = Array.from({ length: 900 }, () => 'f:a');
  const paths = Array.from({ length: 1_000 }, (_, i) => [...steps, `f:k${String(i).padStart(3, '0')}`]);
  const fields = fieldSetOf(paths);
  const { message, conflicts } = new ApplyConflictError([{ entry: ManagedEntry.of(parts, fields), fields }]);
  expect(message).toMatch(/^Apply failed with 1000 conflicts: /);
  expect(conflicts[0]?.field).toBe(shortPath(`${'.a'.repeat(900)}.k000`));
  expect(conflicts.length).toBeGreaterThan(100);
  expect(conflicts.reduce((sum, { field }) => sum + field.length, 0)).toBeLessThan(130 * 1_024);
});
