/** The small tools for waiting and trying again. */
import { Backoff } from '../../../src/base/backoff.ts';
import { pause, withDeadline } from '../../../src/base/pause.ts';
import { Semaphore } from '../../../src/base/semaphore.ts';
import { SharedRound } from '../../../src/base/shared-round.ts';

/** A question whose answers the test gives. */
function openQuestion() {
  const rounds: PromiseWithResolvers<string>[] = [];
  const ask = (): Promise<string> => {
    const round = Promise.withResolvers<string>();
    rounds.push(round);
    return round.promise;
  };
  return { rounds, shared: new SharedRound(ask) };
}

describe('SharedRound', () => {
  test('who comes during a round shares the next one', async () => {
    const { rounds, shared } = openQuestion();
    const first = shared.join();
    const later = [shared.join(), shared.join()];
    expect(rounds).toHaveLength(1);
    rounds[0]?.resolve('old');
    expect(await first).toBe('old');
    while (rounds.length < 2) await Promise.resolve();
    const last = shared.join();
    rounds[1]?.resolve('new');
    expect(await Promise.all(later)).toEqual(['new', 'new']);
    while (rounds.length < 3) await Promise.resolve();
    rounds[2]?.resolve('newest');
    expect([await last, rounds.length]).toEqual(['newest', 3]);
  });

  test('a failed round fails only those who share it', async () => {
    const { rounds, shared } = openQuestion();
    const first = shared.join();
    const second = shared.join();
    rounds[0]?.reject(new Error('no'));
    await expect(first).rejects.toThrow('no');
    while (rounds.length < 2) await Promise.resolve();
    rounds[1]?.resolve('yes');
    expect(await second).toBe('yes');
  });
});

test('Backoff doubles up to its maximum, between half and all of it, and begins again', () => {
  const backoff = new Backoff({ firstMs: 10, maxMs: 50, random: () => 0 });
  expect(Array.from({ length: 5 }, () => backoff.nextMs())).toEqual([5, 10, 20, 25, 25]);
  backoff.reset();
  expect(backoff.nextMs()).toBe(5);
  const full = new Backoff({ firstMs: 10, maxMs: 50, random: () => 0.999 });
  expect(full.nextMs()).toBeGreaterThan(9.9);
});

test('Semaphore lets as many work at once as it says, in order, also after a failure', async () => {
  const semaphore = new Semaphore(2);
  const log: string[] = [];
  const gates = [0, 1, 2].map(() => Promise.withResolvers<undefined>());
  const works = gates.map(({ promise }, i) =>
    semaphore.use(async () => {
      log.push(`begin ${String(i)}`);
      await promise;
    }),
  );
  expect(log).toEqual(['begin 0', 'begin 1']);
  gates[0]?.reject(new Error('no'));
  await expect(works[0]).rejects.toThrow('no');
  gates[1]?.resolve(undefined);
  gates[2]?.resolve(undefined);
  await Promise.all(works.slice(1));
  expect(log).toEqual(['begin 0', 'begin 1', 'begin 2']);
});

test('pause ends early with its signal; withDeadline with its deadline', async () => {
  const ending = new AbortController();
  const paused = pause(60_000, ending.signal);
  ending.abort();
  await paused;
  const never = new Promise(() => undefined);
  await expect(withDeadline(never, 1, () => new Error('late'))).rejects.toThrow('late');
  expect(await withDeadline(Promise.resolve(1), 60_000, () => new Error('late'))).toBe(1);
});
