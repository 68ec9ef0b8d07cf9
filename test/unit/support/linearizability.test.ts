import fc from 'fast-check';
import {
  isLinearizable,
  objectModel,
  withoutUnseen,
  type ObjectOperation,
  type Operation,
} from '../../support/linearizability.ts';

type History = Operation<ObjectOperation>[];

const op = (call: number, end: number | undefined, what: ObjectOperation): History[number] => ({
  call,
  end,
  what,
});
const create = (value: string): ObjectOperation => ({ kind: 'create', value, isDone: true });
const write = (value: string): ObjectOperation => ({ kind: 'write', value });
const read = (value: string | undefined): ObjectOperation => ({ kind: 'read', value });
const swap = (from: string, value: string, isDone = true): ObjectOperation => ({
  kind: 'swap',
  from,
  value,
  isDone,
});
const born = op(1, 2, create('a'));

describe('accepts', () => {
  const good: [string, History][] = [
    ['nothing', []],
    ['one after the other', [born, op(3, 4, write('b')), op(5, 6, read('b')), op(7, 8, { kind: 'delete' })]],
    ['a read beside a write, old', [born, op(3, 6, write('b')), op(4, 5, read('a'))]],
    ['a read beside a write, new', [born, op(3, 6, write('b')), op(4, 5, read('b'))]],
    [
      'writes side by side in either order',
      [born, op(3, 5, write('b')), op(4, 6, write('c')), op(7, 8, read('b'))],
    ],
    [
      'an unknown write that happened late',
      [born, op(3, undefined, write('b')), op(4, 5, read('a')), op(6, 7, read('b'))],
    ],
    ['an unknown write that never happened', [born, op(3, undefined, write('b')), op(4, 5, read('a'))]],
    [
      'a swap that was refused for an unknown write that nobody saw',
      [born, op(3, undefined, write('b')), op(4, 5, swap('a', 'c', false)), op(6, 7, write('d'))],
    ],
    ['a swap that came too late', [born, op(3, 4, write('b')), op(5, 6, swap('a', 'c', false))]],
  ];
  test.each(good)('%s', (_name, history) => {
    expect(isLinearizable(history, objectModel)).toBe(true);
    expect(isLinearizable(withoutUnseen(history), objectModel)).toBe(true);
  });
});

describe('rejects', () => {
  const bad: [string, History][] = [
    ['a stale read', [born, op(3, 4, write('b')), op(5, 6, read('a'))]],
    ['a lost write', [born, op(3, 4, write('b')), op(5, 6, read('b')), op(7, 8, read('a'))]],
    ['a read from nowhere', [born, op(3, 4, read('x'))]],
    ['a read of what is written later', [born, op(3, 4, read('b')), op(5, 6, write('b'))]],
    ['going back beside a write', [born, op(3, 10, write('b')), op(4, 5, read('b')), op(6, 7, read('a'))]],
    ['two that both won', [born, op(3, 5, swap('a', 'b')), op(4, 6, swap('a', 'c'))]],
    ['a refused swap that should have won', [born, op(3, 4, swap('a', 'b', false))]],
    ['an object that is back', [born, op(3, 4, { kind: 'delete' }), op(5, 6, read('a'))]],
    ['two creations', [born, op(3, 4, create('b'))]],
    [
      'an unknown write that happened and did not',
      [born, op(3, undefined, write('b')), op(4, 5, read('b')), op(6, 7, read('a'))],
    ],
    ['an unknown write seen before it began', [born, op(3, 4, read('b')), op(5, undefined, write('b'))]],
  ];
  test.each(bad)('%s', (_name, history) => {
    expect(isLinearizable(history, objectModel)).toBe(false);
    expect(isLinearizable(withoutUnseen(history), objectModel)).toBe(false);
  });
});

/** A random history of a true register: every operation takes effect at a point between its call and its end. */
function trueHistory(steps: readonly { isWrite: boolean; before: number; after: number }[]): History {
  let value = 'v0';
  const history: History = [op(-2, -1, create(value))];
  for (const [index, { isWrite, before, after }] of steps.entries()) {
    if (isWrite) value = `v${String(index + 1)}`;
    const point = index * 10;
    const what = isWrite ? write(value) : read(value);
    // Fractions keep all times apart.
    history.push(op(point - before - index / 1e6, point + after + 0.5 + index / 1e6, what));
  }
  return history;
}

const steps = fc.array(
  fc.record({
    isWrite: fc.boolean(),
    before: fc.integer({ min: 0, max: 40 }),
    after: fc.integer({ min: 0, max: 40 }),
  }),
  { maxLength: 200 },
);

test('every history of a true register is accepted', () => {
  fc.assert(
    fc.property(steps, (plan) => isLinearizable(trueHistory(plan), objectModel)),
    { numRuns: 200 },
  );
});

test('a true history with one read of an overwritten value at its end is rejected', () => {
  fc.assert(
    fc.property(steps, (plan) => {
      const history = trueHistory(plan);
      const end = Math.max(...history.map(({ end: last }) => last ?? 0));
      const stale = [op(end + 1, end + 2, write('last')), op(end + 3, end + 4, read('v0'))];
      return !isLinearizable([...history, ...stale], objectModel);
    }),
    { numRuns: 100 },
  );
});

/** Nine clients at once; writes whose answers were lost, some of which took effect. */
function busyHistory(length: number): History {
  const free = Array.from({ length: 9 }, () => 0);
  const history: History = [op(-2, -1, create('v0'))];
  let value = 'v0';
  for (let at = 1; at <= length; at += 1) {
    const who = at % free.length;
    const call = Math.max(free[who]!, at * 10 - 35 - (at % 7));
    const end = at * 10 + 20 + (at % 11) * 3;
    free[who] = end + 0.5;
    if (at % 3 > 0)
      history.push(op(call, end, at % 12 === 4 ? swap('v0', 'never', value === 'v0') : read(value)));
    else {
      const isLost = at % 15 === 0;
      const written = `v${String(at)}`;
      if (!isLost || at % 30 === 0) value = written;
      history.push(op(call, isLost ? undefined : end, write(written)));
    }
  }
  return history;
}

test('2,000 operations on one object need no guesses, which would take for ever', () => {
  const history = busyHistory(2_000);
  expect(isLinearizable(withoutUnseen(history), objectModel)).toBe(true);
  const late = 2_000 * 10 + 1_000;
  const stale = [...history, op(late, late + 1, write('last')), op(late + 2, late + 3, read('v3'))];
  expect(isLinearizable(withoutUnseen(stale), objectModel)).toBe(false);
});
