/** The repair of addresses and node ports parses large services in slices. */
import { parseServiceRanges } from '../../../../src/api/core/service/value-range.ts';
import { repairAllocations, type RepairParts } from '../../../../src/registry/allocation/repair.ts';
import type { CollectionSnapshot, Entry } from '../../../../src/storage/types.ts';

test('one that it looks at, and one that a key names', async () => {
  const entries = ['a', 'b'].map((name): Entry => {
    const text = `{"kind":"Service","metadata":{"name":"${name}","namespace":"n","uid":"${name}"},"x":[${'{},'.repeat(50_000)}0]}`;
    return {
      collection: 'core/services',
      key: `n/${name}`,
      modRevision: 1,
      bytes: Buffer.from(text),
      memo: undefined,
    };
  });
  const key: Entry = {
    ...{ collection: 'addresses', key: '10.0.0.1', modRevision: 1, memo: undefined },
    bytes: Buffer.from('{"namespace":"n","name":"b","uid":"b"}'),
  };
  const found: unknown[] = [];
  const parse = jest.spyOn(JSON, 'parse');
  await repairAllocations(
    {
      storage: {
        view: (id: string) =>
          id === 'core/services' ? viewOf(entries) : viewOf(id.endsWith('/serviceips') ? [key] : []),
        delete: () => Promise.reject(new Error('nothing is free')),
      },
      allocation: { held: () => [{ pool: 'addresses', value: '10.0.0.1' }] },
      collection: 'core/services',
      ranges: parseServiceRanges(['10.0.0.0/16'], '30000-32767'),
      ...{ addedRanges: [], reservations: 'none', reportDamaged: () => undefined },
      report: (finding: unknown) => found.push(finding),
    } as unknown as RepairParts,
    new AbortController().signal,
  );
  const lengths = parse.mock.calls.map(([text]) => text.length);
  parse.mockRestore();
  expect(found).toMatchObject([{ problem: 'duplicate', object: 'n/a', holder: 'n/b' }]);
  expect(Math.max(...lengths)).toBeLessThan(64 * 1024);
});

function viewOf(entries: readonly Entry[]): CollectionSnapshot {
  return {
    entries: () => entries,
    get: (key: string) => entries.find((entry) => entry.key === key),
  } as unknown as CollectionSnapshot;
}
