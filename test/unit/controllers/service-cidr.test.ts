/** A range of service addresses is deleted while there are thousands of addresses and hundreds of other ranges. */
import { addressNames } from '../../../src/api/networking/address-names.ts';
import { systemEnvironment } from '../../../src/base/environment.ts';
import { createServiceCidrController } from '../../../src/controllers/service-cidr-controller.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import type { ApiObject } from '../../../src/meta/object.ts';
import { noControllerMetrics } from '../../support/controller-metrics.ts';
import { cpuBudget } from '../../support/cpu-time.ts';
import { FakeApiClient, resourceRef } from '../../support/fake-api-client.ts';
import { turnsOf } from '../../support/turns.ts';
import { waitFor } from '../../support/wait-for.ts';

const naming = namingProfiles.kubernetes;
const names = addressNames(naming);
const about = { group: 'networking.k8s.io', namespaced: false };
const ranges = resourceRef('ServiceCIDR', about);
const addresses = { ...resourceRef('IPAddress', about), resource: 'ipaddresses' };
const ignore = (): void => undefined;

interface Range extends ApiObject {
  readonly status?: { readonly conditions?: readonly { readonly reason?: string }[] };
}

async function clusterOf(last: string): Promise<FakeApiClient> {
  const api = new FakeApiClient([ranges, addresses]);
  const add = (name: string, cidr: string, more: object = {}): Promise<unknown> => {
    const metadata = { name, uid: name, finalizers: [names.finalizer], ...more };
    const object = { apiVersion: 'networking.k8s.io/v1', kind: 'ServiceCIDR', metadata };
    return api.create(ranges, '', { ...object, spec: { cidrs: [cidr] } });
  };
  for (let i = 0; i < 300; i += 1) await add(`other${String(i)}`, `10.${String(i % 100)}.${String(i)}.0/24`);
  await add('going', '10.200.0.0/16', { deletionTimestamp: '2020-01-01T00:00:00Z' });
  await add('inside', '10.200.9.0/24');
  const labels = { [names.managedBy]: names.allocator };
  for (let i = 0; i < 250; i += 1) api.put(addresses, '', `10.200.9.${String(i)}`, { labels });
  for (let i = 0; i < 4_000; i += 1)
    api.put(addresses, '', `172.16.${String(i >> 8)}.${String(i & 255)}`, { labels });
  api.put(addresses, '', last, { labels });
  return api;
}

test.each([
  ['10.200.8.1', 'waits for its last address', ['Terminating']],
  ['10.200.9.255', 'goes where another range has all of its addresses', undefined],
])('with %s it %s, and is looked at in slices', async (last, _, reasons) => {
  const api = await clusterOf(last);
  const stop = new AbortController();
  const controller = createServiceCidrController({
    ...systemEnvironment,
    ...{ client: api, naming, version: 'v1' },
    log: { info: ignore, warn: ignore, error: ignore },
    metrics: noControllerMetrics,
  });
  const going = (): Range | undefined => api.object(ranges, '', 'going');
  const isDone = (): boolean =>
    reasons
      ? going()?.status?.conditions?.[0]?.reason === reasons[0]
      : going()?.metadata.finalizers?.length === 0;
  const running = controller.run(stop.signal);
  const [longest = 0] = await turnsOf(() => waitFor('the end of the look', () => isDone() || undefined));
  stop.abort();
  await running;
  expect(going()?.status?.conditions?.map(({ reason }) => reason)).toEqual(reasons);
  expect(longest).toBeLessThan(cpuBudget(40));
});
