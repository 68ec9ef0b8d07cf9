/** The verbs on resources over a real etcd, without HTTP. */
import type { JsonObject } from '../../../src/base/json.ts';
import { decodeEntry, entryObject } from '../../../src/registry/written-entry.ts';
import type { ListResult, ResourceVerbs } from '../../../src/registry/types.ts';
import { waitFor } from '../../support/wait-for.ts';
import {
  configMap,
  everything,
  fromNow,
  plainDelete,
  RecordingSink,
  scope,
  startRegistry,
  statusOf,
  type TestRegistry,
  verbsOver,
} from '../../support/registry.ts';

let registry: TestRegistry;
let verbs: ResourceVerbs;
let namespace = '';
let count = 0;

beforeAll(async () => {
  registry = await startRegistry();
  verbs = registry.verbs;
});

afterAll(() => registry.close());

beforeEach(async () => {
  namespace = `ns-${String(++count)}`;
  await verbs.create(scope('namespaces'), '', { metadata: { name: namespace } });
});

const maps = (options: object = {}): ReturnType<typeof scope> =>
  scope('configmaps', { namespace, ...options });
const get = async (name: string): Promise<JsonObject> =>
  decodeEntry(await verbs.get(maps(), name, { resourceVersion: '' }));

describe('create', () => {
  test('gives identity and what was sent', async () => {
    const { entry, created } = await verbs.create(maps(), '', configMap('a', { k: 'v' }));
    expect(created).toBe(true);
    const object = entryObject(entry);
    expect(object).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: { k: 'v' } });
    expect(object.metadata).toMatchObject({
      name: 'a',
      namespace,
      resourceVersion: String(entry.modRevision),
    });
    expect(object.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(object.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(await get('a')).toEqual(object);
  });

  test('generates a name from a prefix', async () => {
    const { entry } = await verbs.create(maps(), '', { metadata: { generateName: 'gen-' } });
    expect(entryObject(entry).metadata.name).toMatch(/^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  const refusals: { name: string; body: JsonObject; code: number; text: RegExp }[] = [
    { name: 'another kind', body: { kind: 'Pod', metadata: { name: 'a' } }, code: 400, text: /kind/ },
    { name: 'another version', body: { apiVersion: 'v2', metadata: { name: 'a' } }, code: 400, text: /v2/ },
    {
      name: 'another namespace',
      body: { metadata: { name: 'a', namespace: 'x' } },
      code: 400,
      text: /namespace/,
    },
    {
      name: 'a resourceVersion',
      body: { metadata: { name: 'a', resourceVersion: '5' } },
      code: 400,
      text: /resourceVersion/,
    },
    { name: 'a wrong type', body: { metadata: { name: 'a' }, data: { k: 7 } }, code: 400, text: /data/ },
    { name: 'no name', body: {}, code: 422, text: /name or generateName/ },
    { name: 'a bad name', body: { metadata: { name: 'A_b' } }, code: 422, text: /metadata\.name/ },
  ];
  test.each(refusals)('refuses $name', async ({ body, code, text }) => {
    const refusal = await statusOf(verbs.create(maps(), '', body));
    expect(refusal.code).toBe(code);
    expect(refusal.message).toMatch(text);
  });

  test('reports all errors together', async () => {
    const body = { metadata: { name: 'A_b', labels: { '-x': '?' } }, data: { 'a b': '' } };
    const { status } = await statusOf(verbs.create(maps(), '', body));
    expect(status.reason).toBe('Invalid');
    expect(new Set(status.details?.causes?.map((c) => c.field))).toEqual(
      new Set(['metadata.name', 'metadata.labels', 'data[a b]']),
    );
  });

  test('refuses a taken name', async () => {
    await verbs.create(maps(), '', configMap('a'));
    const refusal = await statusOf(verbs.create(maps(), '', configMap('a')));
    expect(refusal.status).toMatchObject({
      code: 409,
      reason: 'AlreadyExists',
      message: 'configmaps "a" already exists',
    });
  });

  test('refuses a namespace that is missing or terminating', async () => {
    const missing = await statusOf(
      verbs.create(scope('configmaps', { namespace: 'nowhere' }), '', configMap('a')),
    );
    expect(missing.status).toMatchObject({ code: 404, message: 'namespaces "nowhere" not found' });
    await verbs.delete(scope('namespaces'), namespace, plainDelete);
    await waitFor(
      'the view to see the deletion',
      () =>
        entryObject(registry.storage.peek('core/namespaces', namespace)!).metadata.deletionTimestamp != null,
    );
    const refusal = await statusOf(verbs.create(maps(), '', configMap('a')));
    expect(refusal.code).toBe(403);
    expect(refusal.status.details?.causes?.[0]?.reason).toBe('NamespaceTerminating');
  });

  test('a dry run leaves nothing behind', async () => {
    const { entry } = await verbs.create(maps({ dryRun: true }), '', configMap('a'));
    expect(entryObject(entry).metadata.uid).toBeTruthy();
    expect((await statusOf(get('a'))).code).toBe(404);
  });

  test('prototype keys are data', async () => {
    const body = JSON.parse(
      '{"metadata":{"name":"p"},"data":{"__proto__":"a","constructor":"b"}}',
    ) as JsonObject;
    await verbs.create(maps(), '', body);
    const { data } = (await get('p')) as { data: object };
    expect(Object.entries(data)).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
    expect(({} as Record<string, unknown>)['a']).toBeUndefined();
  });
});

describe('replace', () => {
  test('with the current version, then with a stale one', async () => {
    await verbs.create(maps(), '', configMap('a', { k: '1' }));
    const read = (await get('a')) as { metadata: { resourceVersion: string }; data: JsonObject };
    const { entry } = await verbs.replace(maps(), 'a', {
      ...read,
      data: { k: '2' },
    });
    expect(entryObject(entry)['data']).toEqual({ k: '2' });
    const refusal = await statusOf(verbs.replace(maps(), 'a', { ...read, data: { k: '3' } }));
    expect(refusal.status).toMatchObject({ code: 409, reason: 'Conflict' });
    expect((await get('a'))['data']).toEqual({ k: '2' });
  });

  test('without changes keeps the version', async () => {
    await verbs.create(maps(), '', configMap('a', { k: '1' }));
    const read = await get('a');
    const { entry } = await verbs.replace(maps(), 'a', read);
    expect(decodeEntry(entry)).toEqual(read);
  });

  test('of a missing object is 404, but creates a lease', async () => {
    expect((await statusOf(verbs.replace(maps(), 'a', configMap('a')))).code).toBe(404);
    const leases = scope('leases', { namespace, group: 'coordination.orch.io' });
    const { created } = await verbs.replace(leases, 'l', {
      metadata: { name: 'l' },
      spec: { holderIdentity: 'x' },
    });
    expect(created).toBe(true);
  });

  test('keeps what only the server sets', async () => {
    const { entry } = await verbs.create(maps(), '', configMap('a'));
    const before = entryObject(entry).metadata;
    const metadata = {
      name: 'a',
      creationTimestamp: '2001-01-01T00:00:00Z',
      generation: 9,
      deletionTimestamp: null,
    };
    const after = entryObject(
      (await verbs.replace(maps(), 'a', { metadata, data: { k: '1' } })).entry,
    ).metadata;
    expect(after).toMatchObject({ uid: before.uid, creationTimestamp: before.creationTimestamp });
    expect(after.generation).toBeUndefined();
  });

  test('with another uid is a conflict', async () => {
    await verbs.create(maps(), '', configMap('a'));
    const refusal = await statusOf(verbs.replace(maps(), 'a', { metadata: { name: 'a', uid: 'other' } }));
    expect(refusal.code).toBe(409);
  });
});

describe('patch', () => {
  test('many at once, none lost', async () => {
    await verbs.create(maps(), '', configMap('a', { n: '0' }));
    const increment = (current: JsonObject): JsonObject => {
      const data = current['data'] as { n: string };
      return { ...current, data: { n: String(Number(data.n) + 1) } };
    };
    await Promise.all(Array.from({ length: 20 }, () => verbs.patch(maps(), 'a', increment)));
    expect((await get('a'))['data']).toEqual({ n: '20' });
  });

  test('of the status leaves the spec, and the reverse', async () => {
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    await verbs.create(scope('pods', { namespace }), '', {
      metadata: { name: 'p' },
      spec,
      status: { phase: 'Failed' },
    });
    const setPhase = (current: JsonObject): JsonObject => ({
      ...current,
      spec: { containers: [] },
      status: { phase: 'Running' },
    });
    const status = await verbs.patch(scope('pods', { namespace, subresource: 'status' }), 'p', setPhase);
    expect(entryObject(status.entry)).toMatchObject({ spec, status: { phase: 'Running' } });
    const main = await verbs.patch(scope('pods', { namespace }), 'p', (c) => ({
      ...c,
      status: { phase: 'Failed' },
    }));
    expect(entryObject(main.entry)).toMatchObject({ status: { phase: 'Running' } });
  });
});

describe('delete', () => {
  test('removes at once what nothing holds', async () => {
    await verbs.create(maps(), '', configMap('a'));
    expect((await verbs.delete(maps(), 'a', plainDelete)).removed).toBe(true);
    expect((await statusOf(get('a'))).code).toBe(404);
    expect((await statusOf(verbs.delete(maps(), 'a', plainDelete))).code).toBe(404);
  });

  test('waits for finalizers; removing the last one removes the object', async () => {
    await verbs.create(maps(), '', {
      metadata: { name: 'a', finalizers: ['example.com/x', 'example.com/y'] },
    });
    expect((await verbs.delete(maps(), 'a', plainDelete)).removed).toBe(false);
    const marked = (await get('a')) as { metadata: JsonObject };
    expect(marked.metadata['deletionTimestamp']).toBeTruthy();
    const finalizers = (list: string[]) => (c: JsonObject) => ({
      ...c,
      metadata: { ...(c['metadata'] as JsonObject), finalizers: list },
    });
    await verbs.patch(maps(), 'a', finalizers(['example.com/y']));
    expect((await get('a')) as object).toMatchObject({ metadata: { finalizers: ['example.com/y'] } });
    await verbs.patch(maps(), 'a', finalizers([]));
    expect((await statusOf(get('a'))).code).toBe(404);
  });

  test('gives a running pod its grace period, which can be shortened to nothing', async () => {
    const pods = scope('pods', { namespace });
    const spec = { containers: [{ name: 'c', image: 'i' }], nodeName: 'n1' };
    await verbs.create(pods, '', { metadata: { name: 'p' }, spec });
    const first = await verbs.delete(pods, 'p', plainDelete);
    expect(first.removed).toBe(false);
    expect(entryObject(first.entry).metadata.deletionGracePeriodSeconds).toBe(30);
    const second = await verbs.delete(pods, 'p', { ...plainDelete, gracePeriodSeconds: 5 });
    expect(entryObject(second.entry).metadata.deletionGracePeriodSeconds).toBe(5);
    expect((await verbs.delete(pods, 'p', { ...plainDelete, gracePeriodSeconds: 0 })).removed).toBe(true);
  });

  test('keeps to its preconditions', async () => {
    const { entry } = await verbs.create(maps(), '', configMap('a'));
    const { uid, resourceVersion } = entryObject(entry).metadata as { uid: string; resourceVersion: string };
    const attempt = (preconditions: object) => verbs.delete(maps(), 'a', { ...plainDelete, preconditions });
    expect((await statusOf(attempt({ uid: 'other' }))).code).toBe(409);
    expect((await statusOf(attempt({ uid, resourceVersion: '1' }))).code).toBe(409);
    expect((await attempt({ uid, resourceVersion })).removed).toBe(true);
  });

  test('refuses namespaces that the system rests on', async () => {
    await verbs.create(scope('namespaces'), '', { metadata: { name: 'default' } }).catch(() => undefined);
    expect((await statusOf(verbs.delete(scope('namespaces'), 'default', plainDelete))).code).toBe(403);
  });

  test('a collection by selector', async () => {
    for (const [name, app] of [
      ['a', 'x'],
      ['b', 'y'],
      ['c', 'x'],
    ] as const)
      await verbs.create(maps(), '', configMap(name, {}, { app }));
    const gone = await verbs.deleteCollection(maps(), { ...everything, labelSelector: 'app=x' }, plainDelete);
    expect(keysOf(gone).sort()).toEqual([`${namespace}/a`, `${namespace}/c`]);
    expect(keysOf(await verbs.list(maps(), everything))).toEqual([`${namespace}/b`]);
  });
});

function keysOf({ entries }: ListResult): string[] {
  return Array.from(entries, ({ key }) => key);
}

describe('list', () => {
  test('chunks are one consistent snapshot', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await verbs.create(maps(), '', configMap(name));
    const first = await verbs.list(maps(), { ...everything, limit: 2 });
    expect(first.remainingItemCount).toBe(3);
    await verbs.delete(maps(), 'd', plainDelete);
    await verbs.create(maps(), '', configMap('cc'));
    const second = await verbs.list(maps(), { ...everything, limit: 2, continue: first.continue });
    const third = await verbs.list(maps(), { ...everything, limit: 2, continue: second.continue });
    const names = [first, second, third].flatMap((page) => keysOf(page).map((key) => key.split('/')[1]));
    expect(names).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(new Set([first.revision, second.revision, third.revision]).size).toBe(1);
    expect(third.continue).toBe('');
  });

  test('without the gate for chunks a limit changes nothing', async () => {
    for (const name of ['a', 'b', 'c']) await verbs.create(maps(), '', configMap(name));
    const whole = verbsOver(registry.storage, () => false);
    const list = await whole.list(maps(), { ...everything, limit: 2, continue: 'nonsense' });
    expect([list.entries.length, list.continue]).toEqual([3, '']);
  });

  test('exactly at a version, and never from the future', async () => {
    const { entry } = await verbs.create(maps(), '', configMap('a'));
    await verbs.create(maps(), '', configMap('b'));
    const at = { ...everything, resourceVersion: String(entry.modRevision), resourceVersionMatch: 'Exact' };
    const list = await verbs.list(maps(), at);
    expect(list.revision).toBe(entry.modRevision);
    expect(keysOf(list)).toEqual([`${namespace}/a`]);
    const refusal = await statusOf(verbs.list(maps(), { ...everything, resourceVersion: '999999999' }));
    expect(refusal.status).toMatchObject({ code: 504, reason: 'Timeout' });
    expect(refusal.status.details).toMatchObject({
      retryAfterSeconds: 1,
      causes: [{ reason: 'ResourceVersionTooLarge' }],
    });
  });

  test('field selectors', async () => {
    await verbs.create(maps(), '', configMap('a'));
    await verbs.create(maps(), '', configMap('b'));
    const list = await verbs.list(scope('configmaps'), {
      ...everything,
      fieldSelector: `metadata.name=a,metadata.namespace=${namespace}`,
    });
    expect(list.entries).toHaveLength(1);
    expect((await statusOf(verbs.list(maps(), { ...everything, fieldSelector: 'data.x=1' }))).code).toBe(400);
  });
});

describe('watch', () => {
  test('from a version: each later change once, in order', async () => {
    const { entry } = await verbs.create(maps(), '', configMap('a'));
    const sink = new RecordingSink();
    const watch = await verbs.watch(maps(), { ...fromNow, resourceVersion: String(entry.modRevision) }, sink);
    await verbs.create(maps(), '', configMap('b'));
    await verbs.patch(maps(), 'b', (c) => ({ ...c, data: { k: 'v' } }));
    await verbs.delete(maps(), 'b', plainDelete);
    const want = ['ADDED', 'MODIFIED', 'DELETED'].map((type) => `${type} ${namespace}/b`);
    await waitFor('three events', () => sink.seen.length >= 3);
    expect(sink.seen).toEqual(want);
    watch.close();
  });

  test('with the state first', async () => {
    await verbs.create(maps(), '', configMap('a'));
    const sink = new RecordingSink();
    const watch = await verbs.watch(maps(), fromNow, sink);
    await verbs.create(maps(), '', configMap('b'));
    await waitFor('both', () => sink.seen.length >= 2);
    expect(sink.seen).toEqual([`ADDED ${namespace}/a`, `ADDED ${namespace}/b`]);
    watch.close();
  });

  test('an object that enters or leaves the selection is added or deleted', async () => {
    const sink = new RecordingSink();
    const watch = await verbs.watch(maps(), { ...fromNow, labelSelector: 'app=x' }, sink);
    await verbs.create(maps(), '', configMap('a', {}, { app: 'y' }));
    const label = (app: string) => (c: JsonObject) => ({
      ...c,
      metadata: { ...(c['metadata'] as JsonObject), labels: { app } },
    });
    await verbs.patch(maps(), 'a', label('x'));
    await verbs.patch(maps(), 'a', label('z'));
    await waitFor('two events', () => sink.seen.length >= 2);
    expect(sink.seen).toEqual([`ADDED ${namespace}/a`, `DELETED ${namespace}/a`]);
    watch.close();
  });
});
