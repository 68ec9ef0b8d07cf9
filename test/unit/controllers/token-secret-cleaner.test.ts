/** Tokens of Secrets that nobody uses: they count no more, and then their Secrets go. */
import { systemClock, type Clock } from '../../../src/base/clock.ts';
import { systemRandom } from '../../../src/base/random.ts';
import {
  configMaps,
  coreResource,
  secrets,
  serviceAccounts,
} from '../../../src/controllers/core-resources.ts';
import { createTokenSecretCleaner } from '../../../src/controllers/service-account-token/token-secret-cleaner.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { noControllerMetrics } from '../../support/controller-metrics.ts';
import { FakeApiClient } from '../../support/fake-api-client.ts';
import { waitFor } from '../../support/wait-for.ts';

const pods = coreResource('Pod', 'pods');
const now = Date.parse('2026-11-26T10:00:00Z');
const dayMs = 86_400_000;
const label = 'kubernetes.io/legacy-token';
const old = '2025-01-01T00:00:00Z';
const unused = { [`${label}-last-used`]: '2025-02-01' };

/** Looks once at Secrets of these metadata, which an account names. @returns those that are left, with their labels */
async function left(
  metadata: Readonly<Record<string, object>>,
  since = '2024-01-01',
  named = Object.keys(metadata),
) {
  const api = new FakeApiClient([secrets, serviceAccounts, configMaps, pods]);
  const tracking = { name: 'kube-apiserver-legacy-service-account-token-tracking', namespace: 'kube-system' };
  await api.create(configMaps, 'kube-system', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: tracking,
    data: { since },
  });
  const account = { name: 'robot', namespace: 'shop' };
  const references = named.map((name) => ({ name }));
  await api.create(serviceAccounts, 'shop', {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: account,
    secrets: references,
  });
  const spec = { containers: [], volumes: [{ name: 't', secret: { secretName: 'mounted' } }] };
  await api.create(pods, 'shop', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'shop' },
    spec,
  });
  const annotations = { 'kubernetes.io/service-account.name': 'robot' };
  for (const [name, more] of Object.entries(metadata))
    api.put(secrets, 'shop', name, { creationTimestamp: old, annotations, ...more });
  const stop = new AbortController();
  let isOver = false;
  const clock: Clock = {
    ...systemClock,
    now: () => now,
    setTimeout: (callback, ms) => {
      // The next look is a day away.
      isOver ||= ms > dayMs / 2;
      return systemClock.setTimeout(callback, ms);
    },
  };
  const ignore = (): void => undefined;
  const controller = createTokenSecretCleaner({
    ...{
      client: api,
      clock,
      random: systemRandom,
      naming: namingProfiles.kubernetes,
      metrics: noControllerMetrics,
    },
    ...{ log: { info: ignore, warn: ignore, error: ignore }, periodMs: 365 * dayMs, isEnabled: true },
  });
  const running = controller.run(stop.signal);
  await waitFor('the end of the look', () => isOver || undefined);
  stop.abort();
  await running;
  const found = Object.keys(metadata).map((name) => [
    name,
    api.object(secrets, 'shop', name)?.metadata.labels,
  ]);
  return Object.fromEntries(found) as Record<string, unknown>;
}

test('one that was not used for the period counts no more, whether it was ever used or not', async () => {
  const today = { [`${label}-invalid-since`]: '2026-11-26' };
  expect(await left({ never: {}, long: { labels: unused } })).toMatchObject({ never: today, long: today });
});

test('its Secret goes when the period has passed again', async () => {
  const since = (day: string): object => ({ labels: { ...unused, [`${label}-invalid-since`]: day } });
  expect(await left({ ended: since('2025-11-25'), late: since('2025-11-27') })).toEqual({
    ended: undefined,
    late: { ...unused, [`${label}-invalid-since`]: '2025-11-27' },
  });
});

test('others stay as they are', async () => {
  const used = { [`${label}-last-used`]: '2026-01-01' };
  const odd = { [`${label}-last-used`]: 'soon' };
  const kept = {
    used: { labels: used },
    odd: { labels: odd },
    young: { creationTimestamp: '2026-06-01T00:00:00Z' },
  };
  expect(await left({ ...kept, mounted: {} })).toEqual({ used, odd, young: undefined, mounted: undefined });
  expect(await left({ manual: { labels: unused } }, '2024-01-01', [])).toEqual({ manual: unused });
});

test('nothing is judged before uses were noted for the period', async () => {
  expect(await left({ long: { labels: unused } }, '2025-11-26')).toEqual({ long: unused });
});
