/** The tree of a collection against a plain sorted list, copies of it against changes, and what positions cost. */
import fc from 'fast-check';

import { StateTree } from '../../../../src/storage/view/state-tree.ts';
import type { Entry } from '../../../../src/storage/types.ts';
import { cpuMsOf } from '../../../support/cpu-time.ts';

function entryOf(key: string, modRevision: number): Entry {
  return { collection: 'c', key, modRevision, bytes: Buffer.alloc(0), memo: undefined };
}

const allOf = (tree: StateTree, from = 0, to = Infinity): Entry[] => Array.from(tree.range(from, to));

interface Model {
  readonly tree: StateTree;
  readonly entries: Map<string, Entry>;
}

function sorted({ entries }: Model): Entry[] {
  return [...entries.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

function assertEqual(model: Model, probes: readonly string[]): void {
  const { tree } = model;
  const expected = sorted(model);
  expect(tree.size).toBe(expected.length);
  expect(allOf(tree)).toEqual(expected);
  for (const entry of expected) if (tree.get(entry.key) !== entry) throw new Error(`${entry.key} is lost`);
  for (const key of probes) {
    expect(tree.get(key)).toBe(model.entries.get(key));
    const position = expected.filter((entry) => entry.key < key).length;
    expect(tree.positionOf(key)).toBe(position);
    expect(allOf(tree, position, position + 70)).toEqual(expected.slice(position, position + 70));
  }
}

// Few enough keys that many are met again, enough for three levels; runs in order are what a load is.
const key = fc.integer({ min: 0, max: 9_999 }).map((n) => `k${String(n).padStart(4, '0')}`);
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constant('set' as const), keys: fc.array(key, { maxLength: 40 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('run' as const), from: fc.nat(9_000), count: fc.nat(900) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('delete' as const), keys: fc.array(key, { maxLength: 40 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('deleteRun' as const),
      from: fc.nat(9_000),
      count: fc.nat(900),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('clone' as const) }) },
);

function* keysOf(from: number, count: number): Generator<string, void> {
  for (let i = 0; i < count; i += 1) yield `k${String(from + i).padStart(4, '0')}`;
}

test('a tree is a sorted list, and a copy stays as it was whichever of both changes', () => {
  let revision = 0;
  const set = ({ tree, entries }: Model, keys: Iterable<string>): void => {
    for (const key of keys) {
      const entry = entryOf(key, (revision += 1));
      expect(tree.set(entry)).toBe(!entries.has(key));
      entries.set(key, entry);
    }
  };
  const remove = ({ tree, entries }: Model, keys: Iterable<string>): void => {
    for (const key of keys) expect(tree.delete(key)).toBe(entries.delete(key));
  };
  const property = fc.property(
    fc.array(step, { maxLength: 25 }),
    fc.array(key, { maxLength: 8 }),
    (steps, probes) => {
      let model: Model = { tree: new StateTree(), entries: new Map() };
      const others: Model[] = [];
      for (const one of steps) {
        if (one.does === 'set') set(model, one.keys);
        if (one.does === 'run') set(model, keysOf(one.from, one.count));
        if (one.does === 'delete') remove(model, one.keys);
        if (one.does === 'deleteRun') remove(model, keysOf(one.from, one.count));
        if (one.does === 'clone') {
          others.push(model);
          model = { tree: model.tree.clone(), entries: new Map(model.entries) };
          // The older one goes on half of the time, too.
          if (others.length % 2 === 0) [model, others[others.length - 1]] = [others.at(-1) as Model, model];
        }
      }
      for (const one of [model, ...others]) assertEqual(one, [...probes, '', 'k', 'l']);
    },
  );
  fc.assert(property, { numRuns: 100 });
});

test('what is added in front of all others is found, as are those behind it', () => {
  const model: Model = { tree: new StateTree(), entries: new Map() };
  for (let namespace = 30; namespace >= 0; namespace -= 1) {
    for (const key of keysOf(namespace * 100, 70)) {
      const entry = entryOf(key, 1);
      model.tree.set(entry);
      model.entries.set(key, entry);
    }
    assertEqual(model, [`k${String(namespace * 100).padStart(4, '0')}`]);
  }
  for (const key of model.entries.keys()) expect(model.tree.delete(key)).toBe(true);
  expect(model.tree.size).toBe(0);
});

test('of a large tree that changes between reads, a page takes no time for what is not on it', () => {
  const tree = new StateTree();
  for (const key of keysOf(0, 200_000)) tree.set(entryOf(key, 1));
  let read = 0;
  const each = cpuMsOf(() => {
    for (let i = 0; i < 500; i += 1) {
      tree.set(entryOf(`k${String(i * 300)}`, i));
      const state = tree.clone();
      const from = state.positionOf(`k${String(i)}`);
      for (const entry of state.range(from, from + 10)) read += entry.modRevision > -1 ? 1 : 0;
    }
  });
  expect(read).toBe(5_000);
  // An array of all of them takes 1 ms and more.
  expect(each / 500).toBeLessThan(0.2);
});
