/** `componentstatuses` over a real etcd, and finalizer names. */
import type { ResourceVerbs } from '../../../src/registry/types.ts';
import { scope, startRegistry, statusOf, type TestRegistry } from '../../support/registry.ts';

let registry: TestRegistry;
let verbs: ResourceVerbs;

beforeAll(async () => {
  registry = await startRegistry();
  verbs = registry.verbs;
});

afterAll(() => registry.close());

const components = (name: string, verb: string): ReturnType<ResourceVerbs['act']> =>
  verbs.act(scope('componentstatuses'), name, verb, undefined);

test('report the health of etcd', async () => {
  const healthy = { conditions: [{ type: 'Healthy', status: 'True' }] };
  expect(await components('', 'list')).toMatchObject({
    kind: 'ComponentStatusList',
    items: [healthy, healthy],
  });
  expect(await components('etcd', 'get')).toMatchObject({ metadata: { name: 'etcd' }, ...healthy });
  expect((await statusOf(components('none', 'get'))).code).toBe(404);
});

test('a finalizer needs a domain unless it is a standard one', async () => {
  const create = (name: string, finalizer: string): Promise<unknown> =>
    verbs.create(scope('namespaces'), '', { metadata: { name, finalizers: [finalizer] } });
  for (const [i, standard] of ['orphan', 'foregroundDeletion', 'example.com/x'].entries()) {
    await expect(create(`ok-${String(i)}`, standard)).resolves.toBeDefined();
  }
  expect((await statusOf(create('bad', 'mine'))).status.details?.causes?.[0]?.field).toBe(
    'metadata.finalizers[0]',
  );
});
