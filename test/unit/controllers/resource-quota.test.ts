/** Counts of ResourceQuotas where discovery is incomplete. */
import { systemEnvironment } from '../../../src/base/environment.ts';
import { createResourceQuotaController } from '../../../src/controllers/resource-quota-controller.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { noControllerMetrics } from '../../support/controller-metrics.ts';
import { FakeApiClient, resourceRef } from '../../support/fake-api-client.ts';
import { waitFor } from '../../support/wait-for.ts';

const quotas = { ...resourceRef('ResourceQuota'), resource: 'resourcequotas' };
const maps = resourceRef('ConfigMap');
const things = resourceRef('Thing', { group: 'far.example.com' });
const ignore = (): void => undefined;

test('a server that cannot be asked leaves counts of its own resources as they are, and those alone', async () => {
  const api = new FakeApiClient([quotas, maps, things]);
  api.put(maps, 'n', 'one');
  api.put(things, 'n', 'thing');
  api.unknownGroups = ['far.example.com'];
  const quota = (name: string, hard: object): Promise<unknown> => {
    const metadata = { name, namespace: 'n', uid: name };
    return api.create(quotas, 'n', { apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec: { hard } });
  };
  await quota('near', { 'count/configmaps': '5' });
  await quota('far', { 'count/things.far.example.com': '5' });
  const usedOf = (name: string): unknown =>
    (api.object(quotas, 'n', name) as { status?: { used?: unknown } }).status?.used;
  const stop = new AbortController();
  const controller = createResourceQuotaController({
    ...systemEnvironment,
    ...{ client: api, naming: namingProfiles.kubernetes },
    log: { info: ignore, warn: ignore, error: ignore },
    metrics: noControllerMetrics,
  });
  const running = controller.run(stop.signal);
  await waitFor('the near count', () => usedOf('near'));
  expect(usedOf('near')).toEqual({ 'count/configmaps': '1' });
  expect(usedOf('far')).toBeUndefined();
  api.unknownGroups = [];
  await waitFor('the far count', () => usedOf('far'));
  expect(usedOf('far')).toEqual({ 'count/things.far.example.com': '1' });
  stop.abort();
  await running;
});
