/** Very many requests for earlier states: few are read at once, and who would wait too long is refused. */
import { PastStateLoads, type Caller } from '../../../src/storage/past-state-loads.ts';
import { StorageError, type Lifetime } from '../../../src/storage/types.ts';
import { HandClock } from '../../support/hand-clock.ts';
import { waitFor } from '../../support/wait-for.ts';

const alive: Lifetime = { aborted: false, reason: undefined };

/** Reads that end when the test says so. */
class Loads {
  readonly clock = new HandClock();
  readonly begun: string[] = [];
  readonly outcomes = new Map<string, string[]>();
  private readonly reads: PromiseWithResolvers<string>[] = [];
  private readonly loads = new PastStateLoads<string>(this.clock);

  ask(name: string, { flow = 'ann', lifetime = alive }: Partial<Caller> = {}): void {
    const read = (): Promise<string> => {
      this.begun.push(name);
      const pending = Promise.withResolvers<string>();
      this.reads.push(pending);
      return pending.promise;
    };
    const outcomes = this.outcomes.get(name) ?? [];
    this.outcomes.set(name, outcomes);
    this.loads.load(name, { flow, lifetime }, read).then(
      (state) => outcomes.push(state),
      (error: unknown) => outcomes.push(error instanceof StorageError ? error.code : String(error)),
    );
  }

  /** Of three users, who ask by turns. */
  askMany(count: number): void {
    for (let i = 0; i < count; i += 1) this.ask(`s${String(i)}`, { flow: `user-${String(i % 3)}` });
  }

  /** Ends the reads that are under way. */
  end(outcome: string | Error = 'state'): void {
    for (const { resolve, reject } of this.reads.splice(0))
      if (typeof outcome === 'string') resolve(outcome);
      else reject(outcome);
  }

  count(outcome: string): number {
    return [...this.outcomes.values()].flat().filter((one) => one === outcome).length;
  }
}

test('sixty states are read four at a time, in order', async () => {
  const loads = new Loads();
  loads.askMany(60);
  for (let most = 4; most <= 60; most += 4) {
    await waitFor('the next reads', () => loads.begun.length === most);
    loads.end();
  }
  await waitFor('all states', () => loads.count('state') === 60);
  expect(loads.begun).toEqual(Array.from({ length: 60 }, (_, i) => `s${String(i)}`));
  expect(loads.clock.timers).toBe(0);
});

test('a state that has not begun in time is refused; those under way go on', async () => {
  const loads = new Loads();
  loads.askMany(60);
  loads.clock.advance(15_001);
  await waitFor('the refusals', () => loads.count('busy') === 56);
  loads.end();
  await waitFor('the states', () => loads.count('state') === 4);
  expect(loads.begun.length).toBe(4);
  loads.ask('s50');
  expect(loads.begun.length).toBe(5);
});

test('more than a hundred waiting states are refused at once', async () => {
  const loads = new Loads();
  loads.askMany(104 + 20);
  await waitFor('the refusals', () => loads.count('busy') === 20);
  expect(loads.outcomes.get('s104')).toEqual(['busy']);
});

test('requests for the same state share a read, whether it has begun or waits', async () => {
  const loads = new Loads();
  for (let i = 0; i < 10; i += 1) loads.askMany(6);
  expect(loads.begun.length).toBe(4);
  loads.end();
  await waitFor('the rest', () => loads.begun.length === 6);
  loads.end();
  await waitFor('all', () => loads.count('state') === 60);
  expect(loads.begun.length).toBe(6);
});

test('what nobody waits for is not read', async () => {
  const loads = new Loads();
  loads.askMany(4);
  const lifetime = { aborted: false, reason: undefined };
  loads.ask('left', { lifetime });
  loads.ask('shared', { lifetime });
  loads.ask('shared', { flow: 'ben' });
  lifetime.aborted = true;
  loads.end();
  await waitFor('the next', () => loads.begun.length === 5);
  expect(loads.begun.at(-1)).toBe('shared');
  expect(loads.outcomes.get('left')).toEqual(['timeout']);
});

test('a read that fails fails its requests alone', async () => {
  const loads = new Loads();
  loads.askMany(5);
  loads.end(new StorageError('unavailable', 'etcd is away'));
  await waitFor('the failures', () => loads.count('unavailable') === 4);
  await waitFor('the next', () => loads.begun.length === 5);
  loads.end();
  await waitFor('its state', () => loads.count('state') === 1);
});

test('a user who asks for very many leaves a place, and turns, to others', async () => {
  const loads = new Loads();
  for (let i = 0; i < 80; i += 1) loads.ask(`a${String(i)}`);
  await waitFor('the refusals', () => loads.count('busy') === 80 - 3 - 50);
  loads.ask('b0', { flow: 'ben' });
  expect(loads.begun).toEqual(['a0', 'a1', 'a2', 'b0']);
  loads.ask('c0', { flow: 'cid' });
  loads.ask('c1', { flow: 'cid' });
  loads.end();
  await waitFor('the next', () => loads.begun.length === 8);
  expect(loads.begun.slice(4)).toEqual(['a3', 'c0', 'a4', 'c1']);
});

test('a state that waits in the long line of one user is read in the turn of another who asks for it', async () => {
  const loads = new Loads();
  for (let i = 0; i < 40; i += 1) loads.ask(`a${String(i)}`);
  loads.ask('b0', { flow: 'ben' });
  loads.ask('a39', { flow: 'ben' });
  loads.end();
  await waitFor('the next', () => loads.begun.length === 8);
  expect(loads.begun).toContain('a39');
});
