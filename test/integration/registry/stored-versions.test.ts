/** Objects that lie in etcd in versions that are not the stored one any more: read, followed, changed, listed like others. */
import { builtInGroups } from '../../../src/api/index.ts';
import { loadCatalogueSchemas } from '../../../src/api/schemas.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { entryObject } from '../../../src/registry/written-entry.ts';
import { createRecode } from '../../../src/registry/conversion/stored-versions.ts';
import type { ResourceVerbs } from '../../../src/registry/types.ts';
import type { EtcdClient } from '../../../src/storage/etcd/client.ts';
import type { EtcdStorage } from '../../../src/storage/storage.ts';
import type { Entry } from '../../../src/storage/types.ts';
import { startEtcdCluster, type EtcdCluster } from '../../support/etcd/cluster.ts';
import { waitFor } from '../../support/wait-for.ts';
import { directClient, json, recordingLogger, startStorage } from '../../support/storage.ts';
import { everything, fromNow, plainDelete, RecordingSink, scope, verbsOver } from '../../support/registry.ts';

const naming = namingProfiles.orch;
const logged: string[] = [];
let cluster: EtcdCluster;
let etcd: EtcdClient;
let storage: EtcdStorage;
let verbs: ResourceVerbs;

beforeAll(async () => {
  cluster = await startEtcdCluster({ how: 'process' });
  etcd = directClient(cluster.endpoints);
  await put('apps/deployments/old/web', deployment('web'));
  await put('apps/deployments/old/odd', {
    kind: 'Deployment',
    apiVersion: 'apps/v9',
    metadata: { name: 'odd' },
  });
  const schemas = loadCatalogueSchemas(naming);
  const recode = createRecode({
    ...{ naming, groups: builtInGroups, schemas },
    ...{ isFeatureEnabled: () => false, now: () => new Date() },
  });
  storage = await startStorage(cluster.endpoints, { recode, logger: recordingLogger(logged) });
  verbs = verbsOver(storage);
  await verbs.create(scope('namespaces'), '', { metadata: { name: 'old' } });
});

afterAll(async () => {
  await storage.close();
  etcd.close();
  await cluster.close();
});

function put(key: string, value: JsonObject): Promise<unknown> {
  return etcd.put({ key: Buffer.from(`/registry/${key}`), value: json(value) });
}

async function stored(key: string): Promise<JsonObject> {
  const answer = await etcd.range({ key: Buffer.from(`/registry/${key}`) });
  return JSON.parse(answer.kvs[0]?.value.toString() ?? 'null') as JsonObject;
}

/** As the release before 1.16 would have written it: other order of members, no strategy, a rollback asked for. */
function deployment(name: string): JsonObject {
  const labels = { app: name };
  return {
    apiVersion: 'extensions/v1beta1',
    kind: 'Deployment',
    metadata: { name, namespace: 'old', uid: `u-${name}`, creationTimestamp: '2018-01-01T00:00:00Z', labels },
    spec: {
      replicas: 2,
      rollbackTo: { revision: 3 },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'nginx:1' }] } },
    },
  };
}

const deployments = scope('deployments', { group: 'apps', namespace: 'old' });
const rollback = { 'deprecated.deployment.rollback.to': '3' };

function seen(entry: Entry): unknown {
  const { apiVersion, metadata, spec } = entryObject(entry) as unknown as Record<string, JsonObject>;
  return { apiVersion, uid: metadata?.['uid'], strategy: spec?.['strategy'], selector: spec?.['selector'] };
}

const asV1 = {
  apiVersion: 'apps/v1',
  strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } },
  selector: { matchLabels: { app: 'web' } },
};

test('get, list with a selector, and the state at an earlier revision', async () => {
  const entry = await verbs.get(deployments, 'web', { resourceVersion: '' });
  expect(seen(entry)).toEqual({ ...asV1, uid: 'u-web' });
  expect(entryObject(entry).metadata.annotations).toEqual(rollback);
  const options = { ...everything, labelSelector: 'app=web' };
  const { entries } = await verbs.list(deployments, options);
  expect(Array.from(entries, seen)).toEqual([{ ...asV1, uid: 'u-web' }]);
  const resourceVersion = String(entry.modRevision);
  const past = await verbs.list(deployments, { ...options, resourceVersion, resourceVersionMatch: 'Exact' });
  expect(Array.from(past.entries, seen)).toEqual([{ ...asV1, uid: 'u-web' }]);
});

test('a value of an unknown version is logged and does not affect others', async () => {
  expect(logged.filter((line) => line.includes('cannot be decoded'))).toEqual([
    expect.stringContaining('old/odd'),
  ]);
  const { entries } = await verbs.list(deployments, everything);
  expect(Array.from(entries, ({ key }) => key)).toContain('old/web');
});

test('a watch delivers it in the storage version, initially and from history', async () => {
  const { revision } = await verbs.list(deployments, everything);
  const sink = new RecordingSink();
  const strategies: unknown[] = [];
  const watch = await verbs.watch(
    deployments,
    { ...fromNow, resourceVersion: String(revision) },
    {
      onItems: (items) => {
        sink.onItems(items);
        strategies.push(...items.map(({ event }) => seen(event)));
      },
      onBookmark: () => undefined,
      onError: (status) => {
        sink.onError(status);
      },
      ready: () => Promise.resolve(),
    },
  );
  await put('apps/deployments/old/late', deployment('late'));
  await waitFor('the event', () => sink.seen.length > 0);
  watch.close();
  expect(sink.seen).toEqual(['ADDED old/late']);
  expect(strategies).toEqual([{ ...asV1, uid: 'u-late', selector: { matchLabels: { app: 'late' } } }]);
});

test('a write that changes nothing rewrites it once', async () => {
  await put('apps/deployments/old/same', deployment('same'));
  const before = await waitFor('the object', () => storage.peek('apps/deployments', 'old/same'));
  const same = (current: JsonObject): JsonObject => current;
  const { entry } = await verbs.patch(deployments, 'same', same);
  expect(entry.modRevision).toBeGreaterThan(before.modRevision);
  expect(await stored('apps/deployments/old/same')).toMatchObject({ apiVersion: 'apps/v1' });
  const again = await verbs.patch(deployments, 'same', same);
  expect(again.entry.modRevision).toBe(entry.modRevision);
});

test('changes and deletions work on it', async () => {
  await put('apps/deployments/old/used', deployment('used'));
  await waitFor('the object', () => storage.peek('apps/deployments', 'old/used'));
  const { entry } = await verbs.patch(deployments, 'used', (current) => ({
    ...current,
    spec: { ...(current['spec'] as JsonObject), replicas: 5 },
  }));
  expect(entryObject(entry)).toMatchObject({ metadata: { uid: 'u-used' }, spec: { replicas: 5 } });
  await put('apps/deployments/old/gone', deployment('gone'));
  await waitFor('the object', () => storage.peek('apps/deployments', 'old/gone'));
  const { removed } = await verbs.delete(deployments, 'gone', {
    ...plainDelete,
    propagationPolicy: 'Background',
  });
  expect(removed).toBe(true);
});
