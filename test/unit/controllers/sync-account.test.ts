/** Accounts that name many Secrets: how many reads that takes. */
import { systemEnvironment } from '../../../src/base/environment.ts';
import { secrets, serviceAccounts } from '../../../src/controllers/core-resources.ts';
import { syncAccount } from '../../../src/controllers/service-account-token/sync-account.ts';
import { noControllerMetrics } from '../../support/controller-metrics.ts';
import { FakeApiClient } from '../../support/fake-api-client.ts';

const type = 'kubernetes.io/service-account-token';
const nameAnnotation = 'kubernetes.io/service-account.name';
const uidAnnotation = 'kubernetes.io/service-account.uid';
const { signal } = new AbortController();
const ignore = (): void => undefined;

/** Syncs an account with these references, of which these are there. */
async function synced(names: readonly string[], there: readonly string[]) {
  const api = new FakeApiClient([secrets, serviceAccounts]);
  const metadata = { name: 'robot', namespace: 'n', uid: 'u' };
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata };
  await api.create(serviceAccounts, 'n', { ...account, secrets: names.map((name) => ({ name })) });
  for (const name of there) {
    const annotations = { [nameAnnotation]: 'robot', [uidAnnotation]: 'u' };
    const about = { name, namespace: 'n', annotations };
    await api.create(secrets, 'n', { apiVersion: 'v1', kind: 'Secret', metadata: about, type });
  }
  let reads = 0;
  const get = api.get.bind(api);
  api.get = (ref) => {
    reads += 1;
    return get(ref);
  };
  const options = {
    ...systemEnvironment,
    ...{ client: api, metrics: noControllerMetrics, log: { info: ignore, warn: ignore, error: ignore } },
    ...{ secretType: type, nameAnnotation, uidAnnotation, rootCa: '', makeToken: () => 'token' },
  };
  const work = { namespace: 'n', name: 'robot', knownSecrets: [], createsSecret: true };
  await syncAccount(options, work, signal);
  const left = api.object(serviceAccounts, 'n', 'robot')?.['secrets'] as { name: string }[];
  return { reads, left: left.map(({ name }) => name), made: api.names(secrets).length - there.length };
}

test('of thousands that are gone none is read', async () => {
  const gone = Array.from({ length: 30_000 }, (_, i) => `robot-token-${String(i)}`);
  const { reads, left, made } = await synced([...gone, 'robot-token-x', 'of-a-user'], ['robot-token-x']);
  expect({ left, made }).toEqual({ left: ['robot-token-x', 'of-a-user'], made: 0 });
  expect(reads).toBeLessThan(5);
});

test('one that is named thousands of times is read once', async () => {
  const names = Array.from({ length: 30_000 }, () => 'robot-token-x');
  const { reads, left } = await synced(names, ['robot-token-x']);
  expect(left.length).toBe(30_000);
  expect(reads).toBeLessThan(5);
});

test('an account whose few Secrets are gone gets another', async () => {
  const { left, made } = await synced(['robot-token-a', 'of-a-user'], []);
  expect([left.length, left[0], made]).toEqual([2, 'of-a-user', 1]);
});
