/** Policy objects that somebody else wrote to the store, in a form that nobody can read. */
import { startRbacInformer, type RbacInformer } from '../../../src/authz/rbac/rbac-informer.ts';
import { systemEnvironment } from '../../../src/base/environment.ts';
import { waitFor } from '../../support/wait-for.ts';
import { startRegistry, type TestRegistry } from '../../support/registry.ts';
import { directClient } from '../../support/storage.ts';

const group = 'rbac.authorization.orch.io';
let registry: TestRegistry;
const warnings: object[] = [];

beforeAll(async () => {
  registry = await startRegistry('own');
});
afterAll(() => registry.close());

async function putRole(name: string, text: string): Promise<void> {
  const client = directClient(registry.etcd.endpoints);
  await client.put({ key: Buffer.from(`/registry/${group}/clusterroles/${name}`), value: Buffer.from(text) });
  client.close();
}

function role(name: string, rules: unknown): string {
  return JSON.stringify({
    ...{ kind: 'ClusterRole', apiVersion: `${group}/v1` },
    ...{ metadata: { name, uid: name }, rules },
  });
}

function isKnown({ index }: RbacInformer, name: string): boolean {
  return index.rulesOf({ kind: 'ClusterRole', name }, '') !== undefined;
}

test('grants nothing, is logged, and does not affect other policy', async () => {
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
  await putRole('a-good', role('a-good', rules));
  await putRole('b-bad', '{"kind":"ClusterRole","metadata":{');
  await putRole('c-good', role('c-good', rules));
  const { storage } = registry;
  const feed = startRbacInformer({
    ...systemEnvironment,
    storage,
    group,
    warn: (details) => warnings.push(details),
  });
  await feed.loaded;
  await feed.catchUp(new AbortController().signal);
  expect(['a-good', 'b-bad', 'c-good'].map((name) => isKnown(feed, name))).toEqual([true, false, true]);
  await putRole('a-good', '[');
  await putRole('d-good', role('d-good', rules));
  await waitFor('the next role', () => isKnown(feed, 'd-good'));
  expect(isKnown(feed, 'a-good')).toBe(false);
  expect(warnings).toMatchObject([
    { resource: 'clusterroles', key: 'b-bad' },
    { resource: 'clusterroles', key: 'a-good' },
  ]);
  feed.close();
});
