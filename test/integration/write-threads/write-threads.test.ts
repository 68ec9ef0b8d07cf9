/** Write threads over a real storage: what becomes of writes whose thread runs out of memory, hangs, or is closed. */
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemEnvironment } from '../../../src/base/environment.ts';
import { Representations } from '../../../src/http/representation/negotiation.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { Metrics } from '../../../src/observe/metrics.ts';
import { createServerMetrics } from '../../../src/observe/server-metrics.ts';
import { newEntry } from '../../../src/registry/written-entry.ts';
import { realCatalogue } from '../../support/catalogue.ts';
import { configFromFlags } from '../../../src/options/config-from-flags.ts';
import type { WriteRequest } from '../../../src/http/writes/write-request.ts';
import { StatusError } from '../../../src/meta/status.ts';
import { silentLogger } from '../../../src/observe/log.ts';
import type { RequestScope, ServedResource } from '../../../src/registry/types.ts';
import { completeConfig, type CompletedConfig } from '../../../src/options/complete-config.ts';
import type { Credentials } from '../../../src/options/credentials.ts';
import {
  defaultWriteThreadLimits,
  WriteThreads,
  type WriteThreadLimits,
} from '../../../src/write-threads/write-threads.ts';
import { writeThreadProgram } from '../../../src/server/programs.ts';
import { followedCollections } from '../../../src/server/write-path.ts';
import type { EtcdStorage } from '../../../src/storage/storage.ts';
import { startEtcdCluster, type EtcdCluster } from '../../support/etcd/cluster.ts';
import { makeServicePki } from '../../support/replica.ts';
import { waitFor } from '../../support/wait-for.ts';
import { WebhookServer } from '../../support/webhook-server.ts';
import { startStorage } from '../../support/storage.ts';

/** Its thread never comes back from a write of a pod. */
const stallingProgram = join(import.meta.dirname, 'stalling-thread-main.ts');

let etcd: EtcdCluster;
let storage: EtcdStorage;
let config: CompletedConfig;
const opened: WriteThreads[] = [];

beforeAll(async () => {
  etcd = await startEtcdCluster({ how: 'process' });
  storage = await startStorage(etcd.endpoints);
  const flags = await configFromFlags({
    'authorization-mode': 'AlwaysAllow',
    'disable-admission-plugins': 'NamespaceLifecycle,ServiceAccount,Priority',
  });
  ({ completed: config } = await completeConfig(flags.config));
}, 60_000);
afterEach(() => Promise.all(opened.splice(0).map((threads) => threads.close())));
afterAll(async () => {
  await storage.close();
  await etcd.close();
});

type Overrides = {
  readonly [Lane in 'shared' | 'alone']?: Partial<WriteThreadLimits[Lane]>;
} & { readonly program?: string };

function open({ shared, alone, program = writeThreadProgram }: Overrides = {}): WriteThreads {
  const { shared: usualShared, alone: usualAlone, ...others } = defaultWriteThreadLimits;
  const limits = { ...others, shared: { ...usualShared, ...shared }, alone: { ...usualAlone, ...alone } };
  const credentials = { webhooks: {} } as unknown as Credentials;
  const copies = followedCollections(namingProfiles[config.naming]);
  const parts = { program, config, credentials, storage, logger: silentLogger, copies };
  const threads = new WriteThreads(parts, limits);
  opened.push(threads);
  return threads;
}

const user = { name: 'ann', uid: '', groups: [], extra: {} };

/** What the serving thread knows of a request; the resource only by where it is stored. */
function scopeOf(collection: string, over = new AbortController()): RequestScope {
  return {
    resource: { namespaced: true, storage: { collection } } as unknown as ServedResource,
    ...{ namespace: 'web', subresource: '', user, dryRun: false, fieldManager: 'test' },
    signal: over.signal,
    warn: () => undefined,
    assertMayCreate: () => Promise.resolve(),
  };
}

function creation(resource: string, body: string): WriteRequest {
  return {
    operation: 'create',
    resource: { group: '', version: 'v1', resource },
    ...{
      verb: 'create',
      namespace: 'web',
      name: '',
      subresource: '',
      user,
      dryRun: false,
      fieldManager: 'test',
    },
    contentType: 'application/json',
    body: Buffer.from(body),
  };
}

let count = 0;
function configMap(bytes: number): WriteRequest {
  const metadata = { name: `map-${String(++count)}` };
  return creation('configmaps', JSON.stringify({ metadata, data: { padding: 'x'.repeat(bytes) } }));
}

/** Each container gets a dozen defaults. */
function podOf(containers: number): WriteRequest {
  const list = `${'{},'.repeat(containers - 1)}{}`;
  return creation('pods', `{"metadata":{"name":"p"},"spec":{"containers":[${list}]}}`);
}

const maps = scopeOf('core/configmaps');
const pods = scopeOf('core/pods');

async function statusOf(write: Promise<unknown>): Promise<number> {
  try {
    await write;
    return 200;
  } catch (error) {
    if (error instanceof StatusError) return error.code;
    throw error;
  }
}

/** Bindings of a policy that takes more than a thread's heap. */
async function storePolicy(bindings: number, subjects: number): Promise<() => Promise<void>> {
  const collection = 'rbac.authorization.orch.io/clusterrolebindings';
  const roleRef = { apiGroup: 'rbac.authorization.orch.io', kind: 'ClusterRole', name: 'view' };
  const stored = new Map<string, number>();
  for (let i = 0; i < bindings; i += 1) {
    const name = `many-${String(i)}`;
    const list = Array.from({ length: subjects }, (_, i) => ({
      kind: 'User',
      name: `user-${name}-${String(i)}`,
    }));
    const text = JSON.stringify({ metadata: { name }, roleRef, subjects: list });
    stored.set(name, (await storage.create(collection, name, Buffer.from(text))).revision);
  }
  return async () => {
    for (const [key, revision] of stored) await storage.delete(collection, key, revision);
  };
}

test('a policy of many subjects does not take the room of the writes', async () => {
  const remove = await storePolicy(100, 2_500);
  const threads = open({ shared: { maxMegabytes: 80 }, alone: { maxMegabytes: 80 } });
  expect(await statusOf(threads.perform(configMap(100_000), maps))).toBe(200);
  await remove();
}, 120_000);

test('the answer is what was stored', async () => {
  const threads = open();
  const write = configMap(100_000);
  expect(threads.takes(write, maps)).toBe(true);
  const answer = await threads.perform(write, maps);
  if (answer.kind !== 'entry') throw new Error(answer.kind);
  const { entry } = answer;
  const stored = await storage.get('core/configmaps', entry.key, { kind: 'mostRecent' }, maps.signal);
  expect(stored?.bytes.equals(entry.bytes)).toBe(true);
  expect([stored?.modRevision, stored?.mark]).toEqual([entry.modRevision, entry.mark]);
});

test('forms of large objects are made in a thread, as the serving thread makes them', async () => {
  const threads = open();
  const { catalogue } = realCatalogue(namingProfiles.orch);
  const resource = catalogue.resource('', 'v1', 'configmaps');
  if (!resource) throw new Error('there are no config maps');
  const spec = { serializer: 'yaml', as: '', version: '', includeObject: '' };
  const text = JSON.stringify({
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name: 'm' },
    data: { a: 'ü' },
  });
  const entry = newEntry('core/configmaps', 'web/m', Buffer.from(text), 7);
  const made = await threads.make({ resource: resource.gvr, spec, part: 'object' }, entry, maps);
  const metrics = createServerMetrics(new Metrics());
  const here = new Representations({ ...systemEnvironment, metrics }).form(resource, spec, undefined);
  expect(made.toString()).toBe(here.object(entry).toString());
  const unknown = { group: '', version: 'v1', resource: 'unknowns' };
  expect(await statusOf(threads.make({ resource: unknown, spec, part: 'object' }, entry, maps))).toBe(404);
});

test('a write that exhausts the heap is 413; the next one gets another thread', async () => {
  const threads = open({ alone: { maxMegabytes: 80 } });
  expect(await statusOf(threads.perform(podOf(900_000), pods))).toBe(413);
  expect(await statusOf(threads.perform(configMap(700_000), maps))).toBe(200);
});

test('a write that holds its thread for too long is 413', async () => {
  const threads = open({ alone: { stallMs: 2_000 }, program: stallingProgram });
  expect(await statusOf(threads.perform(configMap(700_000), maps))).toBe(200);
  expect(await statusOf(threads.perform(podOf(300_000), pods))).toBe(413);
  expect(await statusOf(threads.perform(configMap(700_000), maps))).toBe(200);
});

test('writes that shared a thread with such a one are carried out', async () => {
  const threads = open({ shared: { maxMegabytes: 64 } });
  const writes = [podOf(170_000), configMap(100_000), configMap(100_000)];
  const statuses = await Promise.all(
    writes.map((write, i) => statusOf(threads.perform(write, i === 0 ? pods : maps))),
  );
  expect(statuses[0]).toBe(422);
  // Its answer may have been lost on its way.
  for (const status of statuses.slice(1)) expect([200, 504]).toContain(status);
});

test('writes that wait for a webhook in a thread that is lost are tried once more, each with nothing beside it', async () => {
  await using pki = await makeServicePki();
  await using server = await WebhookServer.start(await pki.authority.server('hook'), pki.authority);
  const first = Promise.withResolvers<never>();
  server.answer = ({ body }) => {
    const { uid } = body['request'] as { uid: string };
    const review = { apiVersion: 'admission.orch.io/v1', kind: 'AdmissionReview' };
    return server.calls.length === 1
      ? first.promise
      : { body: { ...review, response: { uid, allowed: true } } };
  };
  const threads = open({ alone: { maxMegabytes: 80 } });
  const hooks = 'validatingwebhookconfigurations';
  const group = 'admissionregistration.orch.io';
  const clientConfig = { url: server.url, caBundle: Buffer.from(pki.authority.ca).toString('base64') };
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }];
  const how = { sideEffects: 'None', admissionReviewVersions: ['v1'], timeoutSeconds: 30 };
  const webhooks = [{ name: 'slow.example.com', clientConfig, rules, ...how }];
  const registering = creation(hooks, JSON.stringify({ metadata: { name: 'slow' }, webhooks }));
  const about = { resource: { group, version: 'v1', resource: hooks }, namespace: '', name: 'slow' };
  const clusterScope = { ...scopeOf(`admissionregistration/${hooks}`), namespace: '' };
  await threads.perform({ ...registering, ...about }, clusterScope);
  const slow = statusOf(threads.perform(configMap(700_000), maps));
  await waitFor('the webhook to be asked', () => Promise.resolve(server.calls.length === 1));
  const bob = { ...user, name: 'bob' };
  const lost = statusOf(threads.perform({ ...podOf(900_000), user: bob }, { ...pods, user: bob }));
  expect(await slow).toBe(200);
  expect(server.calls).toHaveLength(2);
  expect(await lost).toBe(413);
  await threads.perform({ ...configMap(10), isOwn: true }, maps);
  expect(server.calls).toHaveLength(2);
  const removal = { ...registering, ...about, operation: 'delete', verb: 'delete' } as const;
  await threads.perform({ ...removal, body: Buffer.from('') }, clusterScope);
});

test('a thread without work ends, and its counts stay', async () => {
  const threads = open({ shared: { idleMs: 500 } });
  await threads.perform(configMap(100_000), maps);
  const counted = await threads.scrape();
  expect(counted).toBeDefined();
  await waitFor('the thread to end', () => Promise.resolve(threads.running === 0));
  expect(await threads.scrape()).toEqual(counted);
});

test('a request that ends while its thread starts is not carried out', async () => {
  const threads = open();
  const over = new AbortController();
  const write = configMap(600_000);
  const key = `web/map-${String(count)}`;
  const answer = threads.perform(write, scopeOf('core/configmaps', over)).catch((error: unknown) => error);
  await nextTurn();
  expect(threads.running).toBe(1);
  const goneAway = new Error('the client went away');
  over.abort(goneAway);
  expect(await answer).toBe(goneAway);
  await threads.perform(configMap(600_000), maps);
  expect(await storage.get('core/configmaps', key, { kind: 'mostRecent' }, maps.signal)).toBeUndefined();
});

test('a request that is over before its turn is not carried out', async () => {
  const threads = open();
  const over = new AbortController();
  const write = configMap(600_000);
  const first = threads.perform(configMap(600_000), maps);
  const second = threads.perform(write, scopeOf('core/configmaps', over)).catch((error: unknown) => error);
  over.abort();
  expect(await second).toBeInstanceOf(Error);
  await first;
  const key = `web/map-${String(count - 1)}`;
  expect(await storage.get('core/configmaps', key, { kind: 'mostRecent' }, maps.signal)).toBeUndefined();
});

/** The serving thread does something else, and hears of nothing. */
function holdUp(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/**
 * Carries out a write while the serving thread is held up, from the last question before the object is stored on.
 * `then` happens before anything that the write thread has said meanwhile is heard.
 */
async function whileHeldUp(
  threads: WriteThreads,
  then: () => unknown,
): Promise<{ readonly status: number; readonly isStored: boolean }> {
  await threads.perform(configMap(700_000), maps);
  const view = storage.view.bind(storage);
  const asked = jest.spyOn(storage, 'view').mockImplementation((collection) => {
    if (collection === 'core/resourcequotas')
      queueMicrotask(() => {
        holdUp(1_500);
        then();
      });
    return view(collection);
  });
  const write = configMap(700_000);
  const key = `web/map-${String(count)}`;
  const answer = statusOf(threads.perform(write, maps));
  const status = await answer;
  asked.mockRestore();
  await threads.close();
  const stored = await storage.get('core/configmaps', key, { kind: 'mostRecent' }, maps.signal);
  return { status, isStored: stored !== undefined };
}

test('calls of a terminated thread are not executed once its write is reported as lost', async () => {
  const threads = open();
  const outcome = await whileHeldUp(threads, () => void threads.close());
  expect(outcome).toEqual({ status: 413, isStored: false });
});

test('a thread does not count as stalled if the serving thread was blocked', async () => {
  const threads = open({ alone: { stallMs: 1_000 } });
  const outcome = await whileHeldUp(threads, () => undefined);
  expect(outcome).toEqual({ status: 200, isStored: true });
});

test('writes that wait when the threads are closed are refused', async () => {
  const threads = open();
  await threads.perform(configMap(100_000), maps);
  const lost = statusOf(threads.perform(podOf(900_000), pods));
  await threads.close();
  expect([413, 503, 504]).toContain(await lost);
  expect(await statusOf(threads.perform(configMap(100_000), maps))).toBe(503);
});
