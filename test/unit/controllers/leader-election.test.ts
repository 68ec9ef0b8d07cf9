import { systemClock, type Clock } from '../../../src/base/clock.ts';
import { systemEnvironment } from '../../../src/base/environment.ts';
import { electLeader } from '../../../src/controllers/leader-election.ts';
import { noControllerMetrics } from '../../support/controller-metrics.ts';
import { FakeApiClient, resourceRef } from '../../support/fake-api-client.ts';
import { waitFor, within } from '../../support/wait-for.ts';

const leases = resourceRef('Lease');
const ignore = (): void => undefined;
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});
const frame = {
  log: { info: ignore, warn: ignore, error: ignore },
  metrics: noControllerMetrics,
};

function stand(
  api: FakeApiClient,
  identity: string,
  lead: (signal: AbortSignal) => Promise<void>,
  clock: Clock = systemClock,
): () => Promise<void> {
  const stopping = new AbortController();
  const options = {
    ...systemEnvironment,
    clock,
    ...frame,
    client: api,
    leases,
    namespace: 'a',
    leaseName: 'the-lease',
    identity,
    lead,
  };
  const done = electLeader(options, stopping.signal);
  return () => {
    stopping.abort();
    return within('the candidate to stop', 2_000, done);
  };
}

const untilStopped = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve());
  });

test('a leader whose work fails gives the lease back, and leads again later where nobody else does', async () => {
  const api = new FakeApiClient([leases]);
  let terms = 0;
  const stop = stand(api, 'one', (signal) => {
    terms += 1;
    return terms === 1 ? Promise.reject(new Error('broken')) : untilStopped(signal);
  });
  const holder = (): { holderIdentity?: string } => api.object(leases, 'a', 'the-lease')?.['spec'] ?? {};
  await waitFor('the lease to be given back', () => holder().holderIdentity === '');
  expect(terms).toBe(1);
  await waitFor('the second term', () => terms === 2);
  expect(holder()).toMatchObject({ holderIdentity: 'one' });
  await stop();
  expect(holder()).toMatchObject({ holderIdentity: '' });
});

test('another one leads where the work of the leader fails', async () => {
  const api = new FakeApiClient([leases]);
  const stopFirst = stand(api, 'one', () => Promise.reject(new Error('broken')));
  let isLeading = false;
  const stopSecond = stand(api, 'two', (signal) => {
    isLeading = true;
    return untilStopped(signal);
  });
  await waitFor('the second to lead', () => isLeading);
  await Promise.all([stopFirst(), stopSecond()]);
});

/** Waits that are a hundred times as short, and time that may jump, as for a process that was frozen. */
function jumpingClock(): { readonly clock: Clock; readonly jump: (ms: number) => void } {
  let jumped = 0;
  const clock: Clock = {
    ...systemClock,
    monotonic: () => performance.now() + jumped,
    setTimeout: (callback, ms) => systemClock.setTimeout(callback, ms / 100),
  };
  return { clock, jump: (ms) => (jumped += ms) };
}

/** A candidate whose first term is `work`; `ended` resolves with what the API was asked since the last `forget`. */
function firstTerm(clock: Clock): {
  readonly api: FakeApiClient;
  readonly asked: string[];
  readonly ended: Promise<string[]>;
} {
  const api = new FakeApiClient([leases]);
  const asked: string[] = [];
  const get = api.get.bind(api);
  api.get = (ref) => {
    asked.push('get');
    return get(ref);
  };
  const ended = Promise.withResolvers<string[]>();
  const lead = async (signal: AbortSignal): Promise<void> => {
    await untilStopped(signal);
    ended.resolve([...asked]);
  };
  stops.push(stand(api, 'one', lead, clock));
  return { api, asked, ended: ended.promise };
}

test('a leader that was frozen beyond its deadline ends its work before it asks for anything', async () => {
  const { clock, jump } = jumpingClock();
  const { asked, ended } = firstTerm(clock);
  await waitFor('a renewal', () => asked.length > 2);
  asked.length = 0;
  jump(15_000);
  expect(await within('the end of its work', 5_000, ended)).toEqual([]);
});

test('a renewal whose answer was found only after the deadline does not prolong the term', async () => {
  const { clock, jump } = jumpingClock();
  const { api, ended } = firstTerm(clock);
  const update = api.update.bind(api);
  api.update = async (ref, object) => {
    api.update = update;
    const updated = await update(ref, object);
    jump(15_000);
    return updated;
  };
  await within('the end of its work', 5_000, ended);
});

/** Notes for how long each timer was asked. */
function noting(clock: Clock): { readonly noted: Clock; readonly waits: number[] } {
  const waits: number[] = [];
  const setTimeout: Clock['setTimeout'] = (callback, ms) => {
    waits.push(ms);
    return clock.setTimeout(callback, ms);
  };
  return { noted: { ...clock, setTimeout }, waits };
}

test('a renewal that hangs is given up when the term ends, not later', async () => {
  const { clock, jump } = jumpingClock();
  const { noted, waits } = noting(clock);
  const { api, ended } = firstTerm(noted);
  const limits: number[] = [];
  const update = api.update.bind(api);
  api.update = async (ref, object) => {
    const updated = await update(ref, object);
    jump(4_000);
    api.get = (_ref, signal?: AbortSignal) => {
      limits.push(waits.at(-1) ?? Infinity);
      return new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => {
          jump(3_000);
          reject(new Error('given up'));
        });
      });
    };
    return updated;
  };
  await within('the end of its work', 5_000, ended);
  expect(limits[0]).toBeLessThanOrEqual(3_000);
});

test('one renewal that hangs ends no term: it leaves time for another', async () => {
  const { clock, jump } = jumpingClock();
  const { noted, waits } = noting(clock);
  const { api, asked, ended } = firstTerm(noted);
  let hasEnded = false;
  void ended.then(() => (hasEnded = true));
  await waitFor('a renewal', () => asked.length > 2);
  const get = api.get.bind(api);
  api.get = (_ref, signal?: AbortSignal) => {
    api.get = get;
    const limit = waits.at(-1) ?? Infinity;
    return new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => {
        jump(limit);
        reject(new Error('given up'));
      });
    });
  };
  await waitFor('it to hang', () => api.get === get);
  asked.length = 0;
  await waitFor('the next renewals, or the end', () => asked.length > 2 || hasEnded);
  expect(hasEnded).toBe(false);
});

test('a leader that sees another holder ends its work at once', async () => {
  const { clock } = jumpingClock();
  const { api, ended } = firstTerm(clock);
  const current = await waitFor('the lease', () => api.object(leases, 'a', 'the-lease'));
  const ref = { resource: leases, namespace: 'a', name: 'the-lease' };
  const { resourceVersion: _, ...metadata } = current.metadata;
  await api.update(ref, { ...current, metadata, spec: { holderIdentity: 'two', leaseDurationSeconds: 10 } });
  await within('the end of its work', 5_000, ended);
  expect(api.object(leases, 'a', 'the-lease')?.['spec']).toMatchObject({ holderIdentity: 'two' });
});
