import { BufferPool } from '../../../src/base/buffer-pool.ts';
import { Slab } from '../../../src/base/slab.ts';
import { SlotSet } from '../../../src/base/slot-set.ts';

describe('a pool of buffers', () => {
  test('gives what came back, whole, and no more than it may keep', () => {
    const pool = new BufferPool(1024, 1);
    const [first, second] = [pool.take(1000), pool.take(1000)];
    expect(first.buffer).not.toBe(second.buffer);
    pool.give(first.subarray(10, 20));
    pool.give(second);
    expect(pool.free).toBe(1);
    const again = pool.take(1024);
    expect(again.buffer).toBe(first.buffer);
    expect(again).toHaveLength(1024);
  });

  test('what came back twice is given once', () => {
    const pool = new BufferPool(1024, 8);
    const buffer = pool.take(1024);
    pool.give(buffer);
    pool.give(buffer);
    expect(pool.free).toBe(1);
  });

  test('small and large buffers are none of its own', () => {
    const pool = new BufferPool(1024, 8);
    const buffers = [pool.take(100), pool.take(5000)];
    expect(buffers.map(({ length }) => length)).toEqual([100, 5000]);
    for (const buffer of buffers) pool.give(buffer);
    expect(pool.free).toBe(0);
  });
});

test('pieces of a slab do not overlap, large ones are apart', () => {
  const slab = new Slab(1000);
  const pieces = Array.from({ length: 50 }, (_unused, i) => slab.take(40 + i).fill(i));
  pieces.forEach((piece, i) => expect(piece.every((byte) => byte === i)).toBe(true));
  expect(slab.take(900).buffer.byteLength).toBe(900);
});

test('a set of slots holds what was added and not removed', () => {
  const set = new SlotSet<{ slot: number; id: number }>();
  const members = Array.from({ length: 20 }, (_unused, id) => ({ slot: -1, id }));
  for (const member of [...members, ...members]) set.add(member);
  const gone = members.filter(({ id }) => id % 3 === 0);
  expect(gone.map((member) => set.delete(member))).toEqual(gone.map(() => true));
  expect(gone.map((member) => set.delete(member))).toEqual(gone.map(() => false));
  const left = set.members().map(({ id }) => id);
  expect(left.toSorted((a, b) => a - b)).toEqual(members.map(({ id }) => id).filter((id) => id % 3 !== 0));
  expect(set.size).toBe(left.length);
  set.add(members[0] ?? { slot: -1, id: -1 });
  expect(set.members().at(-1)?.id).toBe(0);
});
