import { electLeader } from '../../../src/controllers/leader-election.ts';
import { noControllerMetrics } from '../../support/controller-metrics.ts';
import { FakeApiClient, resourceRef } from '../../support/fake-api-client.ts';
import { waitFor, within } from '../../support/wait-for.ts';

const leases = resourceRef('Lease');
const ignore = (): void => undefined;
const frame = {
  log: { info: ignore, warn: ignore, error: ignore },
  metrics: noControllerMetrics,
};

function stand(
  api: FakeApiClient,
  identity: string,
  lead: (signal: AbortSignal) => Promise<void>,
): () => Promise<void> {
  const stopping = new AbortController();
  const options = { ...frame, client: api, leases, namespace: 'a', leaseName: 'the-lease', identity, lead };
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
