/* eslint @typescript-eslint/no-unsafe-class-instance-assignment: off, @typescript-eslint/no-misused-spread: off -- this client's classes are meant to be given as literals */
/** The official JavaScript client of this API, unchanged, against replicas in the `kubernetes` profile. */
import {
  ApiException,
  CoreV1Api,
  KubeConfig,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  StorageV1Api,
  VersionApi,
  Watch,
  type KubernetesObject,
  type V1ConfigMap,
  type V1Pod,
  type V1Status,
} from '@kubernetes/client-node';

import { untilPodsMayRun } from '../support/default-account.ts';
import { startEtcdCluster, type EtcdCluster } from '../support/etcd/cluster.ts';
import { makeServicePki, startReplica, type Replica, type ServicePki } from '../support/replica.ts';
import { waitFor } from '../support/wait-for.ts';

const namespace = 'default';
let etcd: EtcdCluster;
let pki: ServicePki;
let replica: Replica;
let config: KubeConfig;
let core: CoreV1Api;

beforeAll(async () => {
  etcd = await startEtcdCluster({ how: 'process' });
  pki = await makeServicePki();
  replica = await startReplica({ etcd, pki, naming: 'kubernetes' });
  await untilPodsMayRun(replica.admin);
  config = configFor(replica);
  core = config.makeApiClient(CoreV1Api);
});

afterAll(async () => {
  await replica.close();
  await pki.close();
  await etcd.close();
});

function configFor({ url }: Replica): KubeConfig {
  const made = new KubeConfig();
  made.loadFromClusterAndUser(
    { name: 'test', server: url, caFile: pki.authority.caFile, skipTLSVerify: false },
    { name: 'admin', certFile: pki.admin.certFile, keyFile: pki.admin.keyFile },
  );
  return made;
}

function configMap(name: string, data: Record<string, string>): V1ConfigMap {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
}

async function statusOf(promise: Promise<unknown>): Promise<V1Status & { httpCode: number }> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof ApiException)
      return { ...(JSON.parse(String(error.body)) as V1Status), httpCode: error.code };
    throw error;
  }
  throw new Error('the request was not refused');
}

test('typed objects make the way there and back', async () => {
  const pod: V1Pod = {
    metadata: { name: 'typed', labels: { app: 'web' } },
    spec: { containers: [{ name: 'main', image: 'example/one', resources: { limits: { cpu: '500m' } } }] },
  };
  const created = await core.createNamespacedPod({ namespace, body: pod });
  expect(created.metadata?.creationTimestamp).toBeInstanceOf(Date);
  expect(created.spec?.restartPolicy).toBe('Always');
  expect(created.status?.phase).toBe('Pending');

  created.metadata = { ...created.metadata, annotations: { seen: 'yes' } };
  const replaced = await core.replaceNamespacedPod({ namespace, name: 'typed', body: created });
  expect(replaced.metadata?.annotations).toEqual({ seen: 'yes' });
  const read = await core.readNamespacedPod({ namespace, name: 'typed' });
  expect(read).toEqual(replaced);

  const list = await core.listNamespacedPod({ namespace, labelSelector: 'app=web' });
  expect(list.items.map((item) => item.metadata?.name)).toEqual(['typed']);
  expect(Number(list.metadata?.resourceVersion)).toBeGreaterThan(0);
  await core.deleteNamespacedPod({ namespace, name: 'typed', gracePeriodSeconds: 0 });
  expect((await core.listNamespacedPod({ namespace })).items).toEqual([]);
});

test('cluster-scoped kinds of another group, and the version', async () => {
  const storage = config.makeApiClient(StorageV1Api);
  const node = await storage.createCSINode({ body: { metadata: { name: 'n1' }, spec: { drivers: [] } } });
  expect(node.metadata?.uid).toMatch(/^[0-9a-f-]{36}$/);
  const deleted = await storage.deleteCSINode({ name: 'n1' });
  expect(deleted).toMatchObject({ metadata: { name: 'n1' } });
  expect(await config.makeApiClient(VersionApi).getCode()).toMatchObject({ major: '1', minor: '21' });
});

test('patches of three kinds', async () => {
  const name = 'patched';
  await core.createNamespacedConfigMap({ namespace, body: configMap(name, { a: '1' }) });
  const patch = (body: unknown, kind: string): Promise<V1ConfigMap> =>
    core.patchNamespacedConfigMap({ namespace, name, body }, setHeaderOptions('Content-Type', kind));
  await patch([{ op: 'add', path: '/data/b', value: '2' }], PatchStrategy.JsonPatch);
  await patch({ data: { c: '3' } }, PatchStrategy.MergePatch);
  const last = await patch({ data: { a: null, d: '4' } }, PatchStrategy.StrategicMergePatch);
  expect(last.data).toEqual({ b: '2', c: '3', d: '4' });
});

test('chunked lists continue to the end', async () => {
  const names = ['p-1', 'p-2', 'p-3', 'p-4', 'p-5'];
  for (const name of names) {
    const body = { ...configMap(name, {}), metadata: { name, labels: { paged: 'yes' } } };
    await core.createNamespacedConfigMap({ namespace, body });
  }
  const seen: (string | undefined)[] = [];
  let token: string | undefined;
  do {
    const from = token === undefined ? {} : { _continue: token };
    const page = await core.listNamespacedConfigMap({ namespace, labelSelector: 'paged', limit: 2, ...from });
    seen.push(...page.items.map((item) => item.metadata?.name));
    token = page.metadata?._continue;
  } while (token !== undefined && token !== '');
  expect(seen).toEqual(names);
  await core.deleteCollectionNamespacedConfigMap({ namespace, labelSelector: 'paged' });
  expect((await core.listNamespacedConfigMap({ namespace, labelSelector: 'paged' })).items).toEqual([]);
});

test('a watch calls back with typed changes and ends at its time', async () => {
  const name = 'watched';
  const made = await core.createNamespacedConfigMap({ namespace, body: configMap(name, { n: '1' }) });
  const follow = (
    timeoutSeconds: number,
    seen: string[],
    onEnd: (error: unknown) => void,
  ): Promise<AbortController> => {
    const { resourceVersion } = made.metadata ?? {};
    const query = { fieldSelector: `metadata.name=${name}`, resourceVersion, timeoutSeconds };
    const onEvent = (phase: string, object: V1ConfigMap): unknown =>
      seen.push(`${phase} ${object.data?.['n'] ?? ''}`);
    return new Watch(config).watch(`/api/v1/namespaces/${namespace}/configmaps`, query, onEvent, onEnd);
  };
  const live: string[] = [];
  const watching = await follow(60, live, () => undefined);
  await core.replaceNamespacedConfigMap({ namespace, name, body: { ...made, data: { n: '2' } } });
  await core.deleteNamespacedConfigMap({ namespace, name });
  await waitFor('both events', () => live.length === 2);
  watching.abort();
  expect(live).toEqual(['MODIFIED 2', 'DELETED 2']);
  // Once more, from what is past by now: nothing has to happen before its time is up.
  const again: string[] = [];
  const ended = await new Promise<unknown>((resolve, reject) => {
    follow(2, again, resolve).catch(reject);
  });
  expect([again, ended]).toEqual([live, null]);
});

test('refusals carry a Status that says what and why', async () => {
  const missing = await statusOf(core.readNamespacedConfigMap({ namespace, name: 'missing' }));
  expect(missing).toMatchObject({
    httpCode: 404,
    kind: 'Status',
    reason: 'NotFound',
    details: { name: 'missing' },
  });
  const body = configMap('twice', {});
  await core.createNamespacedConfigMap({ namespace, body });
  const twice = await statusOf(core.createNamespacedConfigMap({ namespace, body }));
  expect(twice).toMatchObject({ httpCode: 409, reason: 'AlreadyExists' });
  const stale = { ...body, metadata: { name: 'twice', resourceVersion: '1' } };
  const conflict = await statusOf(core.replaceNamespacedConfigMap({ namespace, name: 'twice', body: stale }));
  expect(conflict).toMatchObject({ httpCode: 409, reason: 'Conflict' });
  const invalid = await statusOf(
    core.createNamespacedConfigMap({ namespace, body: configMap('Bad_Name', {}) }),
  );
  expect(invalid).toMatchObject({
    httpCode: 422,
    reason: 'Invalid',
    details: { causes: [{ field: 'metadata.name' }] },
  });
  const stranger = new KubeConfig();
  stranger.loadFromClusterAndUser(
    { name: 'test', server: replica.url, caFile: pki.authority.caFile, skipTLSVerify: false },
    { name: 'nobody' },
  );
  const forbidden = await statusOf(stranger.makeApiClient(CoreV1Api).listNode());
  expect(forbidden).toMatchObject({ httpCode: 403, reason: 'Forbidden' });
});

describe('an informer', () => {
  const labelSelector = 'informed=yes';

  function informed(name: string, n: string): V1ConfigMap {
    return { ...configMap(name, { n }), metadata: { name, labels: { informed: 'yes' } } };
  }

  /** Starts an informer that, as its documentation advises, starts again a moment after each error. */
  function startInformer(on: Replica): { events: string[]; errors: string[]; stop: () => Promise<void> } {
    const own = configFor(on);
    const api = own.makeApiClient(CoreV1Api);
    const list = () => api.listNamespacedConfigMap({ namespace, labelSelector });
    const informer = makeInformer(own, `/api/v1/namespaces/${namespace}/configmaps`, list, labelSelector);
    const events: string[] = [];
    const errors: string[] = [];
    const note = (kind: string) => (object: KubernetesObject) => {
      events.push(`${kind} ${object.metadata?.name ?? ''} ${(object as V1ConfigMap).data?.['n'] ?? ''}`);
    };
    informer.on('add', note('add'));
    informer.on('update', note('update'));
    informer.on('delete', note('delete'));
    let isStopped = false;
    informer.on('error', (error) => {
      errors.push(String(error));
      setTimeout(() => {
        if (!isStopped) informer.start().catch((reason: unknown) => errors.push(String(reason)));
      }, 250);
    });
    const stop = (): Promise<void> => {
      isStopped = true;
      return informer.stop();
    };
    informer.start().catch((reason: unknown) => errors.push(String(reason)));
    return { events, errors, stop };
  }

  const endings: { ending: 'stopped' | 'killed' }[] = [{ ending: 'stopped' }, { ending: 'killed' }];
  test.each(endings)(
    'sees once what changed while its replica was $ending and came back',
    async ({ ending }) => {
      await using other = await startReplica({ etcd, pki, naming: 'kubernetes' });
      const elsewhere = configFor(other).makeApiClient(CoreV1Api);
      for (const name of ['stays', 'changes', 'goes']) {
        await core.createNamespacedConfigMap({ namespace, body: informed(name, '1') });
      }
      const informer = startInformer(replica);
      await waitFor('the first list', () => informer.events.length === 3);
      expect(informer.events.toSorted()).toEqual(['add changes 1', 'add goes 1', 'add stays 1']);

      await (ending === 'stopped' ? replica.stop() : replica.kill());
      await elsewhere.replaceNamespacedConfigMap({
        namespace,
        name: 'changes',
        body: informed('changes', '2'),
      });
      await elsewhere.deleteNamespacedConfigMap({ namespace, name: 'goes' });
      await elsewhere.createNamespacedConfigMap({ namespace, body: informed('comes', '1') });
      await replica.start();

      await waitFor('what happened meanwhile', () => informer.events.length >= 6, {
        details: () => JSON.stringify(informer),
      });
      const errorsUntilBack = informer.errors.length;
      await elsewhere.replaceNamespacedConfigMap({ namespace, name: 'stays', body: informed('stays', '2') });
      await waitFor('what happens now', () => informer.events.length >= 7);
      expect(informer.events.slice(3)).toEqual([
        'update changes 2',
        'delete goes 1',
        'add comes 1',
        'update stays 2',
      ]);
      expect(informer.errors).toHaveLength(errorsUntilBack);
      // Connections that broke or were not taken, however far they had come, or came while the state was loaded; nothing else.
      const broken =
        /Service Unavailable|ECONNREFUSED|ECONNRESET|terminated|closed|disconnected|fetch failed|hang up/;
      expect(informer.errors.filter((error) => !broken.test(error))).toEqual([]);
      await informer.stop();
      await core.deleteCollectionNamespacedConfigMap({ namespace, labelSelector });
    },
  );
});
