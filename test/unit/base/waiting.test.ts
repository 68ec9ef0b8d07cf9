import { systemClock } from '../../../src/base/clock.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
/** The small tools for waiting and trying again. */
import { Backoff } from '../../../src/base/backoff.ts';
import { pause, withDeadline } from '../../../src/base/pause.ts';
import { Semaphore } from '../../../src/base/semaphore.ts';
import { SharedCall } from '../../../src/base/shared-call.ts';

/** A question whose answers the test gives. */
function openQuestion() {
  const rounds: PromiseWithResolvers<string>[] = [];
  const ask = (): Promise<string> => {
    const round = Promise.withResolvers<string>();
    rounds.push(round);
    return round.promise;
  };
  return { rounds, shared: new SharedCall(ask) };
}

/** Turns of the loop until `count` rounds were asked. */
async function asked(rounds: readonly unknown[], count: number): Promise<void> {
  while (rounds.length < count) await nextTurn();
}

describe('SharedCall', () => {
  test('who comes during a round shares the next one', async () => {
    const { rounds, shared } = openQuestion();
    const first = shared.join();
    await asked(rounds, 1);
    const later = [shared.join(), shared.join()];
    expect(rounds).toHaveLength(1);
    rounds[0]?.resolve('old');
    expect(await first).toBe('old');
    await asked(rounds, 2);
    const last = shared.join();
    rounds[1]?.resolve('new');
    expect(await Promise.all(later)).toEqual(['new', 'new']);
    await asked(rounds, 3);
    rounds[2]?.resolve('newest');
    expect([await last, rounds.length]).toEqual(['newest', 3]);
  });

  test('a request of the last round waits for the others, with a limit', async () => {
    const { rounds, shared } = openQuestion();
    const many = Array.from({ length: 100 }, () => shared.join());
    await asked(rounds, 1);
    rounds[0]?.resolve('for many');
    expect(new Set(await Promise.all(many))).toEqual(new Set(['for many']));
    const one = shared.join();
    await asked(rounds, 2);
    rounds[1]?.resolve('for one');
    expect(await one).toBe('for one');
  });

  test('a failed round fails only those who share it', async () => {
    const { rounds, shared } = openQuestion();
    const first = shared.join();
    await asked(rounds, 1);
    const second = shared.join();
    rounds[0]?.reject(new Error('no'));
    await expect(first).rejects.toThrow('no');
    await asked(rounds, 2);
    rounds[1]?.resolve('yes');
    expect(await second).toBe('yes');
  });

  test('the next question leaves before the answer of the last is given', async () => {
    const { rounds, shared } = openQuestion();
    const log: string[] = [];
    const first = shared.join().then(() => log.push(`first, ${rounds.length} asked`));
    await asked(rounds, 1);
    const second = shared.join().then(() => log.push('second'));
    rounds[0]?.resolve('');
    await first;
    rounds[1]?.resolve('');
    await second;
    expect(log).toEqual(['first, 2 asked', 'second']);
  });

  test('an answer for many is given in several turns, to all of them in their order', async () => {
    const { rounds, shared } = openQuestion();
    const told: number[] = [];
    const all = Promise.all(
      Array.from({ length: 300 }, async (_, i) => {
        await shared.join();
        told.push(i);
      }),
    );
    await asked(rounds, 1);
    rounds[0]?.resolve('');
    const counts: number[] = [];
    while (told.length < 300) {
      await nextTurn();
      counts.push(told.length);
    }
    await all;
    expect(new Set(counts).size).toBeGreaterThan(2);
    expect([told, rounds.length]).toEqual([Array.from({ length: 300 }, (_, i) => i), 1]);
  });

  test('each result is of a round that started after the request', async () => {
    let clock = 0;
    const questions: { at: number; answer: PromiseWithResolvers<number> }[] = [];
    const shared = new SharedCall(() => {
      const answer = Promise.withResolvers<number>();
      questions.push({ at: (clock += 1), answer });
      return answer.promise;
    });
    const rounds = fc.array(fc.record({ joins: fc.nat({ max: 20 }), answers: fc.boolean() }), {
      maxLength: 20,
    });
    await fc.assert(
      fc.asyncProperty(rounds, async (steps) => {
        const checks: Promise<void>[] = [];
        const answerAll = (): void => {
          for (const { at, answer } of questions.splice(0)) answer.resolve(at);
        };
        for (const { joins, answers } of steps) {
          for (let i = 0; i < joins; i += 1) {
            const came = (clock += 1);
            checks.push(shared.join().then((at) => expect(at).toBeGreaterThan(came)));
          }
          if (answers) answerAll();
          await nextTurn();
        }
        let isOpen = true;
        const done = Promise.all(checks).finally(() => (isOpen = false));
        while (isOpen) {
          answerAll();
          await nextTurn();
        }
        await done;
      }),
    );
  });
});

test('Backoff doubles up to its maximum, between half and all of it, and begins again', () => {
  const backoff = new Backoff({ firstMs: 10, maxMs: 50 }, { number: () => 0 });
  expect(Array.from({ length: 5 }, () => backoff.nextMs())).toEqual([5, 10, 20, 25, 25]);
  backoff.reset();
  expect(backoff.nextMs()).toBe(5);
  const full = new Backoff({ firstMs: 10, maxMs: 50 }, { number: () => 0.999 });
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

test('Semaphore admits hundreds of thousands that wait in time for each', async () => {
  const semaphore = new Semaphore(4);
  const before = process.cpuUsage();
  await Promise.all(Array.from({ length: 200_000 }, () => semaphore.use(() => Promise.resolve())));
  const { user, system } = process.cpuUsage(before);
  // Half a second. With an array 15 to 20 s, as taking the first one out moves all others.
  expect((user + system) / 1_000).toBeLessThan(5_000);
});

test('Semaphore counts what each takes: a heavy one waits for room and is not overtaken, one beyond all room is alone', async () => {
  const semaphore = new Semaphore(10);
  const log: string[] = [];
  const hold = (name: string, weight: number): { end: () => void; done: Promise<void> } => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const work = async (): Promise<void> => {
      log.push(name);
      await promise;
    };
    return { end: () => resolve(undefined), done: semaphore.use(work, weight) };
  };
  const [a, b] = [hold('a', 6), hold('b', 3)];
  const [heavy, light, huge] = [hold('heavy', 7), hold('light', 1), hold('huge', 99)];
  expect(log).toEqual(['a', 'b']);
  b.end();
  await b.done;
  expect(log).toEqual(['a', 'b']);
  a.end();
  await a.done;
  expect(log).toEqual(['a', 'b', 'heavy', 'light']);
  heavy.end();
  await heavy.done;
  expect(log).toHaveLength(4);
  light.end();
  await light.done;
  expect(log.at(-1)).toBe('huge');
  huge.end();
  await huge.done;
});

test('pause ends early with its signal; withDeadline with its deadline', async () => {
  const ending = new AbortController();
  const paused = pause(systemClock, 60_000, ending.signal);
  ending.abort();
  await paused;
  const never = new Promise(() => undefined);
  await expect(withDeadline(systemClock, never, 1, () => new Error('late'))).rejects.toThrow('late');
  expect(await withDeadline(systemClock, Promise.resolve(1), 60_000, () => new Error('late'))).toBe(1);
});
