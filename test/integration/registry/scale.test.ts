/** Scale of a Deployment, and objects that two groups serve, over a real etcd. */
import type { JsonObject } from '../../../src/base/json.ts';
import { derivedScope } from '../../../src/registry/derived-scope.ts';
import { decodeEntry } from '../../../src/registry/written-entry.ts';
import type { RequestScope } from '../../../src/registry/types.ts';
import type { TestRegistry } from '../../support/registry.ts';
import { catalogue, scope, startRegistry, statusOf } from '../../support/registry.ts';

let registry: TestRegistry;

beforeAll(async () => {
  registry = await startRegistry();
  await registry.verbs.create(scope('namespaces'), '', { metadata: { name: 'default' } });
}, 60_000);

afterAll(() => registry.close());

const template = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image: 'nginx:1' }] },
};

describe('scale', () => {
  const deployments = scope('deployments', { group: 'apps', namespace: 'default' });
  const scaling: RequestScope = derivedScope(deployments, { subresource: 'scale' });
  const act = async (verb: string, body?: Parameters<TestRegistry['verbs']['act']>[3]): Promise<JsonObject> =>
    (await registry.verbs.act(scaling, 'web', verb, body)) as JsonObject;

  beforeAll(async () => {
    const spec = { replicas: 2, selector: { matchLabels: { app: 'web' } }, template };
    await registry.verbs.create(deployments, '', { metadata: { name: 'web' }, spec });
  });

  test('is read, replaced and patched; the rest of the object stays', async () => {
    expect(await act('get')).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'web', namespace: 'default' },
      spec: { replicas: 2 },
      status: { replicas: 0, selector: 'app=web' },
    });
    expect(await act('update', { metadata: { name: 'web' }, spec: { replicas: 3 } })).toMatchObject({
      spec: { replicas: 3 },
    });
    const patched = await act('patch', (current) => ({ ...current, spec: { replicas: 5 } }));
    expect(patched).toMatchObject({ spec: { replicas: 5 } });
    const stored = decodeEntry(await registry.verbs.get(deployments, 'web', { resourceVersion: '' }));
    expect(stored).toMatchObject({ metadata: { generation: 3 }, spec: { replicas: 5 } });
    expect(stored['spec']).toHaveProperty('template.spec.containers.0.image', 'nginx:1');
  });

  test('refuses what is not so', async () => {
    const metadata = { name: 'web' };
    const codes = await Promise.all(
      [
        { metadata, spec: { replicas: -1 } },
        { metadata, spec: { replicas: 'many' } },
        { metadata: { name: 'other' }, spec: {} },
        { metadata: { name: 'web', resourceVersion: '1' }, spec: { replicas: 1 } },
        { metadata: { name: 'web', uid: 'other' }, spec: { replicas: 1 } },
        { kind: 'Deployment', metadata },
      ].map(async (body) => (await statusOf(act('update', body))).code),
    );
    expect(codes).toEqual([422, 400, 400, 409, 409, 400]);
    expect((await statusOf(registry.verbs.act(scaling, 'none', 'get', undefined))).code).toBe(404);
  });
});

test('an Ingress written in one group is read in the other, under one uid and version', async () => {
  const backend = { serviceName: 'web', servicePort: 80 };
  const resource = catalogue.resource('extensions', 'v1beta1', 'ingresses');
  const ingresses = scope('ingresses', { group: 'networking.orch.io', namespace: 'default' });
  if (!resource) throw new Error('extensions has no ingresses');
  const older = derivedScope(ingresses, { resource });
  const { entry } = await registry.verbs.create(older, '', { metadata: { name: 'web' }, spec: { backend } });
  const found = await registry.verbs.get(ingresses, 'web', { resourceVersion: '' });
  expect(found.modRevision).toBe(entry.modRevision);
  expect(decodeEntry(found)).toMatchObject({
    apiVersion: 'networking.orch.io/v1',
    spec: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } },
  });
  expect(resource.conversion.fromInternal(decodeEntry(found))).toMatchObject({
    apiVersion: 'extensions/v1beta1',
    spec: { backend },
  });
});
