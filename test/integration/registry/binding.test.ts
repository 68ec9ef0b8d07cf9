/** `pods/binding` over a real etcd. */
import type { JsonObject } from '../../../src/base/json.ts';
import { entryObject } from '../../../src/registry/written-entry.ts';
import type { ResourceVerbs } from '../../../src/registry/types.ts';
import { scope, startRegistry, statusOf, type TestRegistry } from '../../support/registry.ts';

const namespace = 'binding';
let registry: TestRegistry;
let verbs: ResourceVerbs;

beforeAll(async () => {
  registry = await startRegistry();
  verbs = registry.verbs;
  await verbs.create(scope('namespaces'), '', { metadata: { name: namespace } });
});

afterAll(() => registry.close());

describe('binding', () => {
  const bind = (name: string, target: JsonObject): ReturnType<ResourceVerbs['act']> =>
    verbs.act(scope('pods', { namespace, subresource: 'binding' }), name, 'create', {
      metadata: { name },
      target,
    });

  test('sets the node once', async () => {
    const pods = scope('pods', { namespace });
    await verbs.create(pods, '', {
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    });
    expect(await bind('p', { kind: 'Node', name: 'n1' })).toMatchObject({ status: 'Success' });
    const pod = entryObject(await verbs.get(pods, 'p', { resourceVersion: '' }));
    expect(pod).toMatchObject({
      spec: { nodeName: 'n1' },
      status: { conditions: [{ type: 'PodScheduled', status: 'True' }] },
    });
    expect((await statusOf(bind('p', { kind: 'Node', name: 'n2' }))).code).toBe(409);
    expect((await statusOf(bind('p', { kind: 'Pod' }))).code).toBe(422);
    expect((await statusOf(bind('q', { name: 'n1' }))).code).toBe(404);
  });
});
