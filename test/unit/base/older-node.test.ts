/** What older Nodes lack behaves as what this one has. */
import fc from 'fast-check';
import { supplies } from '../../../src/base/older-node.ts';

type Call = (this: unknown, ...args: readonly unknown[]) => unknown;

function supplied(target: object, name: string): Call {
  const members = supplies.find(([each]) => each === target)?.[1] ?? {};
  return members[name] as Call;
}

test.each(['union', 'intersection', 'difference'] as const)('sets: %s', (name) => {
  const sets = fc.array(fc.integer({ min: 0, max: 9 })).map((items) => new Set(items));
  fc.assert(
    fc.property(sets, sets, (one, other) => {
      const made = supplied(Set.prototype, name).call(one, other) as Set<number>;
      expect([...made].sort()).toEqual([...one[name](other)].sort());
    }),
  );
});

test('groups keep the order of keys and items', () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), (items) => {
      const keyOf = (item: number): number => item % 3;
      expect(supplied(Map, 'groupBy').call(Map, items, keyOf)).toEqual(Map.groupBy(items, keyOf));
    }),
  );
});

test.each(['https://one.test/path', 'no address', '/relative'])('addresses: %s', (text) => {
  const made = supplied(URL, 'parse').call(URL, text) as URL | null;
  expect(made?.href).toBe(URL.parse(text)?.href);
});

const stacks = ['native', 'supplied'] as const;

function stackOf(kind: (typeof stacks)[number]): AsyncDisposableStack {
  if (kind === 'native') return new AsyncDisposableStack();
  const Stack = supplied(globalThis, 'AsyncDisposableStack') as unknown as new () => AsyncDisposableStack;
  return new Stack();
}

test.each(stacks)('stacks end what they hold, the last first, and gather errors: %s', async (kind) => {
  const done: string[] = [];
  const stack = stackOf(kind);
  stack.defer(() => void done.push('first'));
  stack.defer(() => {
    throw new Error('second');
  });
  stack.use({ [Symbol.asyncDispose]: async () => void done.push('third') });
  stack.defer(() => {
    throw new Error('fourth');
  });
  await expect(stack.disposeAsync()).rejects.toMatchObject({
    name: 'SuppressedError',
    error: { message: 'second' },
    suppressed: { message: 'fourth' },
  });
  expect(done).toEqual(['third', 'first']);
  expect(stack.disposed).toBe(true);
  expect(() => {
    stack.defer(() => undefined);
  }).toThrow(ReferenceError);
  await stack.disposeAsync();
});

test('a call that throws is a promise that is rejected; one that resolves later is the same', async () => {
  const attempt = supplied(Promise, 'try') as <T>(call: () => T) => Promise<T>;
  await expect(
    attempt(() => {
      throw new Error('at once');
    }),
  ).rejects.toThrow('at once');
  await expect(attempt(() => Promise.resolve(1))).resolves.toBe(1);
});
