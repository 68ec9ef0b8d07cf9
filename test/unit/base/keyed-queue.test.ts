import { runWithSlot, type SlotHolder } from '../../../src/base/slot-holder.ts';
import { KeyedQueue } from '../../../src/base/keyed-queue.ts';

test('work on one key takes turns in order, and each finds what the one before left', async () => {
  const queue = new KeyedQueue<number>();
  const gate = Promise.withResolvers<undefined>();
  const log: string[] = [];
  const work = (name: string) =>
    queue.run('k', async (handoff) => {
      log.push(`${name} finds ${String(handoff.latest)}`);
      await gate.promise;
      handoff.latest = (handoff.latest ?? 0) + 1;
      return name;
    });
  const all = Promise.all(['a', 'b', 'c'].map(work));
  expect(queue.isBusy('k')).toBe(true);
  expect(log).toEqual(['a finds undefined']);
  gate.resolve(undefined);
  expect(await all).toEqual(['a', 'b', 'c']);
  expect(log).toEqual(['a finds undefined', 'b finds 1', 'c finds 2']);
  expect(queue.isBusy('k')).toBe(false);
});

test('other keys do not wait, and a failure passes the turn on', async () => {
  const queue = new KeyedQueue<string>();
  const never = Promise.withResolvers<string>();
  void queue.run('held', () => never.promise);
  expect(await queue.run('free', () => Promise.resolve('done'))).toBe('done');
  const failing = queue.run('x', (handoff) => {
    handoff.latest = 'left';
    return Promise.reject(new Error('no'));
  });
  const next = queue.run('x', (handoff) => Promise.resolve(handoff.latest));
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('left');
  never.resolve('late');
});

test('who waits for the turn is without its place; a failure to get it back passes the turn on', async () => {
  const queue = new KeyedQueue<string>();
  const gate = Promise.withResolvers<string>();
  const log: string[] = [];
  const holder: SlotHolder = {
    withoutSlot: async (wait) => {
      log.push('away');
      await wait();
      log.push('back');
      throw new Error('over');
    },
  };
  const first = queue.run('k', () => gate.promise);
  const second = runWithSlot(holder, () => queue.run('k', () => Promise.resolve('never')));
  const third = queue.run('k', () => Promise.resolve('third'));
  expect(log).toEqual(['away']);
  gate.resolve('first');
  expect(await first).toBe('first');
  await expect(second).rejects.toThrow('over');
  expect(await third).toBe('third');
  expect(log).toEqual(['away', 'back']);
  expect(queue.isBusy('k')).toBe(false);
});
