/** The namespace controller on a real registry: everything inside goes, conditions tell what is left, then the namespace goes. */
import type { JsonObject } from '../../../src/base/json.ts';
import { entryObject } from '../../../src/registry/written-entry.ts';
import { waitFor } from '../../support/wait-for.ts';
import { configMap, everything, plainDelete, scope, statusOf } from '../../support/registry.ts';
import { pod } from '../../support/writes.ts';
import { startControllers, type RunningControllers } from './support.ts';

let running: RunningControllers;

beforeAll(async () => {
  running = await startControllers(['namespace']);
});

afterAll(() => running.close());

const verbs = (): RunningControllers['registry']['verbs'] => running.registry.verbs;
const namespaces = scope('namespaces');

async function isGone(name: string): Promise<boolean> {
  return verbs()
    .get(namespaces, name, { resourceVersion: '' })
    .then(
      () => false,
      () => true,
    );
}

test('an emptied namespace goes', async () => {
  await verbs().create(namespaces, '', { metadata: { name: 'full' } });
  for (const name of ['a', 'b', 'c'])
    await verbs().create(scope('configmaps', { namespace: 'full' }), '', configMap(name));
  const leases = scope('leases', { namespace: 'full', group: 'coordination.orch.io' });
  await verbs().create(leases, '', { metadata: { name: 'l' } });
  const marked = await verbs().delete(namespaces, 'full', plainDelete);
  expect(entryObject(marked.entry)).toMatchObject({
    status: { phase: 'Terminating' },
    spec: { finalizers: ['kubernetes'] },
  });
  await waitFor('the namespace to go', () => isGone('full'));
  expect((await verbs().list(scope('configmaps', { namespace: 'full' }), everything)).entries).toHaveLength(
    0,
  );
});

test('what has a finalizer holds the namespace, and its conditions say so', async () => {
  await verbs().create(namespaces, '', { metadata: { name: 'held' } });
  const maps = scope('configmaps', { namespace: 'held' });
  await verbs().create(maps, '', { metadata: { name: 'a', finalizers: ['example.com/hold'] } });
  await verbs().delete(namespaces, 'held', plainDelete);
  await waitFor('the condition', async () => {
    const held = entryObject(await verbs().get(namespaces, 'held', { resourceVersion: '' }));
    const { conditions = [] } = held['status'] as {
      conditions?: { type: string; status: string; message: string }[];
    };
    const left = conditions.find((c) => c.type === 'NamespaceFinalizersRemaining');
    return left?.status === 'True' && left.message.includes('example.com/hold in 1 resource instances');
  });
  expect((await statusOf(verbs().create(maps, '', configMap('b')))).code).toBe(403);
  const free = (c: JsonObject): JsonObject => ({
    ...c,
    metadata: { ...(c['metadata'] as JsonObject), finalizers: [] },
  });
  await verbs().patch(maps, 'a', free);
  await waitFor('the namespace to go', () => isGone('held'));
});

test('a pod of a node that is gone does not hold the namespace', async () => {
  await verbs().create(namespaces, '', { metadata: { name: 'orphaned' } });
  const pods = scope('pods', { namespace: 'orphaned' });
  await verbs().create(pods, '', pod('p', { nodeName: 'gone' }) as JsonObject);
  await verbs().delete(namespaces, 'orphaned', plainDelete);
  await waitFor('the namespace to go', () => isGone('orphaned'));
});
