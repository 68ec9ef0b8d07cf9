import fc from 'fast-check';
import { Front } from '../../../src/base/front.ts';
import { leastShare } from '../../support/cpu-time.ts';

const step = fc.oneof(
  fc.record({ does: fc.constant('add' as const), item: fc.nat(40) }),
  fc.record({ does: fc.constant('remove' as const), item: fc.nat(40) }),
  fc.constant({ does: 'take' as const, item: 0 }),
  fc.constant({ does: 'clear' as const, item: 0 }),
);

test('whatever comes and goes, the first is taken', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300, size: 'max' }), (steps) => {
      const items = new Set<number>();
      const front = new Front(items);
      for (const { does, item } of steps) {
        if (does === 'add') items.add(item);
        else if (does === 'remove') items.delete(item);
        else if (does === 'clear') items.clear();
        else {
          const [first] = items;
          expect(front.next()).toBe(first);
          if (first !== undefined) items.delete(first);
        }
      }
    }),
  );
});

test('a hundred thousand items are taken in time for each, also while others come', async () => {
  const share = await leastShare(150, () => {
    const items = new Map<object, number>();
    const front = new Front(items);
    for (let i = 0; i < 100_000; i += 1) items.set({ i }, i);
    let wanted = 0;
    for (let next = front.next(); next !== undefined; next = front.next()) {
      const [key, number] = next;
      if (number !== wanted++) throw new Error('out of order');
      items.delete(key);
      if (number < 50_000) items.set({}, number + 100_000);
    }
  });
  expect(share).toBeLessThan(1);
});
