/** Rules of fields: what did not change is not judged anew, and what they cost. */
import { checkDeclared } from '../../../../src/api/validation/declared-rules.ts';
import { readRules } from '../../../../src/api/validation/rule-words.ts';
import { nameFormats } from '../../../../src/api/validation/name-formats.ts';
import { loadCatalogueSchemas } from '../../../../src/api/schemas.ts';
import type { JsonObject } from '../../../../src/base/json.ts';
import { FieldPath } from '../../../../src/meta/field-path.ts';
import { namingProfiles } from '../../../../src/meta/naming.ts';
import type { Field } from '../../../../src/schema/types.ts';
import { cpuBudget, cpuMsOf } from '../../../support/cpu-time.ts';
import { brief } from '../../../support/kind.ts';

const schemas = loadCatalogueSchemas(namingProfiles.kubernetes, 36);
const slices = schemas.get('resource/v1.ResourceSlice');
const path = FieldPath.of('');

function errors(object: JsonObject, known?: JsonObject): string[] {
  return brief(checkDeclared(slices, object, path, known));
}

const slice = (devices: JsonObject[]): JsonObject => ({ spec: { devices } });

describe('ratcheting', () => {
  const odd = { name: 'a', bindingConditions: ['1', '2', '3', '4', '5'] };
  const at = 'spec.devices[0].bindingConditions TooMany';

  test('a value that stays is not judged, whatever changes beside it', () => {
    expect(errors(slice([odd]))).toEqual([at]);
    expect(errors(slice([{ ...odd, allowMultipleAllocations: true }]), slice([odd]))).toEqual([]);
    expect(errors(slice([odd]), slice([{ name: 'a' }]))).toEqual([at]);
    const longer = { ...odd, bindingConditions: [...odd.bindingConditions, '6'] };
    expect(errors(slice([longer]), slice([odd]))).toEqual([at]);
  });

  test('a union that stays as it was is not judged', () => {
    const two = { name: 'a', nodeName: 'n', allNodes: true };
    expect(errors(slice([two]))).toEqual(['spec.devices[0] Invalid']);
    expect(errors(slice([{ ...two, nodeName: 'm' }]), slice([two]))).toEqual([]);
    expect(errors(slice([two]), slice([{ name: 'a', nodeName: 'n' }]))).toEqual(['spec.devices[0] Invalid']);
  });
});

test('every rule of the catalogue exists', () => {
  let ruled = 0;
  for (const name of schemas.names()) {
    const schema = schemas.find(name);
    if (schema?.type !== 'struct') continue;
    for (const field of schema.fields.values()) {
      if (field.rules === undefined) continue;
      ruled += 1;
      readRules(field);
    }
  }
  expect(ruled).toBeGreaterThan(70);
  expect(() => readRules({ name: 'a', rules: 'round' } as Field)).toThrow('the rule round does not exist');
  expect(() => readRules({ name: 'a', rules: 'format odd' } as Field)).toThrow(
    'the format odd does not exist',
  );
});

test('the specified release has none', () => {
  const old = loadCatalogueSchemas(namingProfiles.kubernetes, 21);
  const ruled = old.names().filter((name) => {
    const schema = old.find(name);
    return schema?.type === 'struct' && [...schema.fields.values()].some(({ rules }) => rules !== undefined);
  });
  expect(ruled).toEqual([]);
});

test.each([
  ['resource-pool-name', ['a', 'a.b/c'], ['', 'A', 'a//b', '/a', `${'a.'.repeat(127)}a`]],
  [
    'resource-fully-qualified-name',
    ['a.b/c_D'],
    ['c', 'A/b', 'a/b-c', `a/${'b'.repeat(33)}`, `${'a'.repeat(64)}/b`],
  ],
  ['extended-resource-name', ['a.com/gpu'], ['gpu', 'requests.a.com/gpu', 'a.com/', 'A b/c']],
  ['long-name-caseless', ['A.b'], ['a_b', '']],
  ['uuid', ['8f0a2b4c-6d1e-4f3a-9b5c-7d8e9f0a1b2c'], ['8F0A2B4C-6D1E-4F3A-9B5C-7D8E9F0A1B2C', 'a']],
])('%s', (format, good, bad) => {
  const check = nameFormats[format] ?? (() => ['none']);
  for (const text of good) expect([text, check(text)]).toEqual([text, []]);
  for (const text of bad) expect([text, check(text).length > 0]).toEqual([text, true]);
});

test('the time grows with the object, also where all changed', () => {
  const many = (count: number, suffix: string): JsonObject =>
    slice(
      Array.from({ length: count }, (_, i) => ({
        name: `d${String(i)}${suffix}`,
        taints: [{ key: `a${suffix}`, effect: 'NoSchedule' }],
        attributes: { a: { string: `x${suffix}` } },
      })),
    );
  const time = (count: number): number => {
    const [next, known] = [many(count, 'b'), many(count, 'a')];
    return Math.min(...[0, 1, 2].map(() => cpuMsOf(() => void errors(next, known))));
  };
  time(2_000);
  const [few, lots] = [time(2_000), time(16_000)];
  expect(lots).toBeLessThan(few * 8 * 3 + cpuBudget(10));
});
