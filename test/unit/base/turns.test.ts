import { runPlaced, type Placed } from '../../../src/base/aside.ts';
import { Turns } from '../../../src/base/turns.ts';

test('work on one key takes turns in order, and each finds what the one before left', async () => {
  const turns = new Turns<number>();
  const gate = Promise.withResolvers<undefined>();
  const log: string[] = [];
  const work = (name: string) =>
    turns.use('k', async (lane) => {
      log.push(`${name} finds ${String(lane.latest)}`);
      await gate.promise;
      lane.latest = (lane.latest ?? 0) + 1;
      return name;
    });
  const all = Promise.all(['a', 'b', 'c'].map(work));
  expect(turns.isTaken('k')).toBe(true);
  expect(log).toEqual(['a finds undefined']);
  gate.resolve(undefined);
  expect(await all).toEqual(['a', 'b', 'c']);
  expect(log).toEqual(['a finds undefined', 'b finds 1', 'c finds 2']);
  expect(turns.isTaken('k')).toBe(false);
});

test('other keys do not wait, and a failure passes the turn on', async () => {
  const turns = new Turns<string>();
  const never = Promise.withResolvers<string>();
  void turns.use('held', () => never.promise);
  expect(await turns.use('free', () => Promise.resolve('done'))).toBe('done');
  const failing = turns.use('x', (lane) => {
    lane.latest = 'left';
    return Promise.reject(new Error('no'));
  });
  const next = turns.use('x', (lane) => Promise.resolve(lane.latest));
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('left');
  never.resolve('late');
});

test('who waits for the turn is without its place; a failure to get it back passes the turn on', async () => {
  const turns = new Turns<string>();
  const gate = Promise.withResolvers<string>();
  const log: string[] = [];
  const placed: Placed = {
    aside: async (wait) => {
      log.push('away');
      await wait();
      log.push('back');
      throw new Error('over');
    },
  };
  const first = turns.use('k', () => gate.promise);
  const second = runPlaced(placed, () => turns.use('k', () => Promise.resolve('never')));
  const third = turns.use('k', () => Promise.resolve('third'));
  expect(log).toEqual(['away']);
  gate.resolve('first');
  expect(await first).toBe('first');
  await expect(second).rejects.toThrow('over');
  expect(await third).toBe('third');
  expect(log).toEqual(['away', 'back']);
  expect(turns.isTaken('k')).toBe(false);
});
