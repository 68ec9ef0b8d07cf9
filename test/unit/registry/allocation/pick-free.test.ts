/** Choosing a value that nobody holds. */
import { AddressRange, PortRange, type ValueRange } from '../../../../src/api/core/service/value-range.ts';
import { systemRandom } from '../../../../src/base/random.ts';
import { pickFree } from '../../../../src/registry/allocation/pick-free.ts';
import type { CollectionSnapshot, Entry } from '../../../../src/storage/types.ts';
import { cpuBudget } from '../../../support/cpu-time.ts';
import { turnsOf } from '../../../support/turns.ts';

function heldBy(keys: Iterable<string>): CollectionSnapshot {
  const held = new Set(keys);
  const entryOf = (key: string): Entry => ({ key }) as Entry;
  const list = [...held].map(entryOf);
  return {
    get: (key: string) => (held.has(key) ? entryOf(key) : undefined),
    entries: () => list,
  } as unknown as CollectionSnapshot;
}

const ports = PortRange.parse('30000-30099') as ValueRange;
const valuesOf = (range: ValueRange): string[] => Array.from({ length: range.size }, (_, i) => range.at(i));
const pick = (range: ValueRange, held: Iterable<string>, chosen: Iterable<string> = []) =>
  pickFree(range, { held: heldBy(held), chosen: new Set(chosen) }, systemRandom);

test('values are spread over the range', async () => {
  const found = new Set(await Promise.all(Array.from({ length: 200 }, () => pick(ports, []))));
  expect(found.size).toBeGreaterThan(20);
  expect([...found].every((value) => value !== undefined && ports.has(value))).toBe(true);
});

test('the last free value is found, whichever it is', async () => {
  for (const free of valuesOf(ports)) {
    const held = valuesOf(ports).filter((value) => value !== free);
    expect(await pick(ports, held)).toBe(free);
  }
});

test('what the same write has chosen is not chosen again; then the range is full', async () => {
  const [last = '', ...held] = valuesOf(ports);
  expect(await pick(ports, held, [])).toBe(last);
  expect(await pick(ports, held, [last])).toBeUndefined();
});

test('reserved values are not chosen', async () => {
  const range = AddressRange.parse('10.0.0.0/29', 1) as AddressRange;
  const held = valuesOf(range).slice(1);
  expect(await pick(range, held)).toBeUndefined();
  expect(await pick(range, held.slice(1))).toBe('10.0.0.2');
});

test('keys of other ranges do not matter', async () => {
  expect(await pick(ports, ['1', 'x', '__proto__', '40000'])).toBeDefined();
});

test('dozens of writes that look for the last value at once hold the thread no longer than one', async () => {
  const wide = PortRange.parse('1-10000') as ValueRange;
  const held = heldBy(valuesOf(wide));
  let found: (string | undefined)[] = [];
  const turns = await turnsOf(async () => {
    const search = (): ReturnType<typeof pickFree> =>
      pickFree(wide, { held, chosen: new Set<string>() }, systemRandom);
    found = await Promise.all(Array.from({ length: 40 }, search));
  });
  expect(new Set(found)).toEqual(new Set([undefined]));
  expect(turns[0]).toBeLessThan(cpuBudget(60));
}, 120_000);
