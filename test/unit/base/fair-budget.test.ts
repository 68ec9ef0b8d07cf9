import { systemClock } from '../../../src/base/clock.ts';
import fc from 'fast-check';
import { FairBudget } from '../../../src/base/fair-budget.ts';
import type { QueueRefusal } from '../../../src/base/fair-queue.ts';

/** Whoever holds a part of a budget, and may go away. */
class Holder {
  readonly #actions: (() => void)[] = [];

  onClose(action: () => void): void {
    this.#actions.push(action);
  }

  close(): void {
    for (const action of this.#actions) action();
  }
}

const second = 1_000;
const limits = { total: 10, perFlow: 6, maxWaiting: 100 };

async function settled<T>(promise: Promise<T>): Promise<T | 'waits'> {
  await Promise.resolve();
  return Promise.race([promise, Promise.resolve('waits' as const)]);
}

test('a flow that has its share waits without holding up another', async () => {
  const budget = new FairBudget(limits, systemClock);
  expect(await budget.take('a', 6, new Holder(), second)).toBeUndefined();
  const more = budget.take('a', 1, new Holder(), second);
  expect(await settled(more)).toBe('waits');
  expect(await settled(budget.take('b', 4, new Holder(), second))).toBeUndefined();
  budget.give('a', 6);
  expect(await more).toBeUndefined();
  expect(budget.inUse).toBe(5);
});

test('what weighs more than all there is has it to itself', async () => {
  const budget = new FairBudget(limits, systemClock);
  expect(await budget.take('a', 1, new Holder(), second)).toBeUndefined();
  const large = budget.take('b', 50, new Holder(), second);
  expect(await settled(large)).toBe('waits');
  const small = budget.take('c', 1, new Holder(), second);
  expect(await settled(small)).toBe('waits');
  budget.give('a', 1);
  expect(await large).toBeUndefined();
  expect(await settled(small)).toBe('waits');
  budget.give('b', 50);
  expect(await small).toBeUndefined();
});

test('flows are served round-robin, regardless of queue length', async () => {
  const budget = new FairBudget({ total: 1, perFlow: 1, maxWaiting: 100 }, systemClock);
  const order: string[] = [];
  await budget.take('first', 1, new Holder(), second);
  const waits = ['a', 'a', 'a', 'b', 'c'].map(async (flow) => {
    await budget.take(flow, 1, new Holder(), second);
    order.push(flow);
    budget.give(flow, 1);
  });
  budget.give('first', 1);
  await Promise.all(waits);
  expect(order).toEqual(['a', 'b', 'c', 'a', 'a']);
});

test('a wait ends by time, by its holder, and not at all in a full queue', async () => {
  const budget = new FairBudget({ ...limits, maxWaiting: 1 }, systemClock);
  await budget.take('a', 10, new Holder(), second);
  const holder = new Holder();
  const waiting = budget.take('a', 1, holder, second);
  expect(await budget.take('b', 1, new Holder(), second)).toBe('queueFull');
  holder.close();
  expect(await waiting).toBe('cancelled');
  expect(await budget.take('b', 1, new Holder(), 5)).toBe('timeout');
  expect(budget.waiting).toBe(0);
});

test('the limit is never exceeded, and all work completes', async () => {
  const work = fc.record({
    flow: fc.constantFrom('a', 'b', 'c'),
    weight: fc.integer({ min: 1, max: 15 }),
    leaves: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(work, { maxLength: 30 }), async (works) => {
      const budget = new FairBudget(limits, systemClock);
      const used = new Map<string, number>();
      const refusals: (QueueRefusal | undefined)[] = [];
      await Promise.all(
        works.map(async ({ flow, weight, leaves }) => {
          const holder = new Holder();
          const taken = budget.take(flow, weight, holder, second);
          if (leaves) holder.close();
          const refusal = await taken;
          refusals.push(refusal);
          if (refusal !== undefined) return;
          used.set(flow, (used.get(flow) ?? 0) + weight);
          const all = [...used.values()].reduce((sum, part) => sum + part, 0);
          expect(all <= limits.total || all === weight).toBe(true);
          expect((used.get(flow) ?? 0) <= limits.perFlow || used.get(flow) === weight).toBe(true);
          await Promise.resolve();
          used.set(flow, (used.get(flow) ?? 0) - weight);
          budget.give(flow, weight);
        }),
      );
      expect(refusals).toHaveLength(works.length);
      expect([budget.inUse, budget.waiting]).toEqual([0, 0]);
    }),
  );
});
