/**
 * Writes through a replica whose view is behind: what another replica acknowledged must not be refused, overlooked or
 * undone. The lag is held still by a storage that goes on showing an old entry; quorum reads and transactions are real.
 */
import type { JsonObject } from '../../../src/base/json.ts';
import { createAdmissionChain } from '../../../src/admission/admission-chain.ts';
import { StatusError } from '../../../src/meta/status.ts';
import { entryObject } from '../../../src/registry/written-entry.ts';
import type { AdmissionChain, ResourceVerbs } from '../../../src/registry/types.ts';
import type { Entry, Storage } from '../../../src/storage/types.ts';
import {
  configMap,
  everything,
  plainDelete,
  scope,
  startRegistry,
  statusOf,
  verbsOver,
} from '../../support/registry.ts';
import type { TestRegistry } from '../../support/registry.ts';

let registry: TestRegistry;
let other: ResourceVerbs;
let count = 0;

beforeAll(async () => {
  registry = await startRegistry();
  other = registry.verbs;
  await other.create(scope('namespaces'), '', { metadata: { name: 'lag' } });
});

afterAll(() => registry.close());

const maps = (options: object = {}): ReturnType<typeof scope> =>
  scope('configmaps', { namespace: 'lag', ...options });

/** A replica that still sees the entry given, and everything else as it is; something may happen before it creates. */
function behind(
  collection: string,
  seen: Entry,
  meanwhile?: () => Promise<unknown>,
  admission?: AdmissionChain,
): ResourceVerbs {
  const { storage } = registry;
  const peek: Storage['peek'] = (asked, key) =>
    asked === collection && key === seen.key ? seen : storage.peek(asked, key);
  const late: Pick<Storage, 'peek' | 'get' | 'create' | 'update' | 'delete'> = {
    peek,
    get: (...asked) => storage.get(...asked),
    create: async (...asked) => {
      await meanwhile?.();
      return storage.create(...asked);
    },
    update: (...asked) => storage.update(...asked),
    delete: (...asked) => storage.delete(...asked),
  };
  return verbsOver(late as Storage, undefined, admission && { admission });
}

/** A config map, and a replica that sees it as it was created whatever happens to it. */
async function lagging(data: JsonObject = {}): Promise<{ name: string; late: ResourceVerbs }> {
  const name = `m${String(++count)}`;
  const { entry } = await other.create(maps(), '', configMap(name, data));
  return { name, late: behind('core/configmaps', entry) };
}

/** A patch that insists on a value, and sets another. */
const ifK =
  (expected: string) =>
  (current: JsonObject): JsonObject => {
    const data = current['data'] as JsonObject;
    if (data['k'] !== expected) throw new StatusError(422, 'Invalid', 'the test failed');
    return { ...current, data: { ...data, more: '1' } };
  };

test('a patch that only the newest state allows', async () => {
  const { name, late } = await lagging({ k: 'old' });
  await other.replace(maps(), name, configMap(name, { k: 'new' }));
  const { entry } = await late.patch(maps(), name, ifK('new'));
  expect(entryObject(entry)).toMatchObject({ data: { k: 'new', more: '1' } });
});

test('a rule that only the old state breaks', async () => {
  const name = `m${String(++count)}`;
  const fixed = { ...configMap(name, { k: 'a' }), immutable: true };
  const { entry: old } = await other.create(maps(), '', fixed);
  await other.delete(maps(), name, plainDelete);
  await other.create(maps(), '', configMap(name, { k: 'b' }));
  const late = behind('core/configmaps', old);
  const { entry } = await late.replace(maps(), name, configMap(name, { k: 'c' }));
  expect(entryObject(entry)).toMatchObject({ data: { k: 'c' } });
  expect(entryObject(entry).metadata.uid).not.toBe(entryObject(old).metadata.uid);
});

test('a refusal that the newest state deserves as well', async () => {
  const { name, late } = await lagging({ k: 'a' });
  expect((await statusOf(late.patch(maps(), name, ifK('b')))).code).toBe(422);
});

test('an object that is gone is not found, whatever is wrong with the body', async () => {
  const { name, late } = await lagging();
  await other.delete(maps(), name, plainDelete);
  const status = await statusOf(late.replace(maps(), name, configMap(name, { 'no key!': 'x' })));
  expect(status.code).toBe(404);
});

test('dry runs of writes start from the newest state', async () => {
  const { name, late } = await lagging({ k: 'old' });
  await other.replace(maps(), name, configMap(name, { k: 'new' }));
  const dry = maps({ dryRun: true });
  const patched = await late.patch(dry, name, ifK('new'));
  expect(entryObject(patched.entry)).toMatchObject({ data: { k: 'new', more: '1' } });
  await other.delete(maps(), name, plainDelete);
  expect((await statusOf(late.patch(dry, name, (current) => ({ ...current, data: {} })))).code).toBe(404);
  expect((await statusOf(late.delete(dry, name, plainDelete))).code).toBe(404);
});

test('external writes are delivered once each, with the newest state', async () => {
  const told: unknown[] = [];
  const admission = createAdmissionChain([
    {
      name: 'Told',
      validate: ({ operation, oldObject }) => {
        told.push([operation, oldObject?.['data']]);
        return Promise.resolve();
      },
      callsWebhooks: ({ resource }) => resource.gvr.resource === 'configmaps',
    },
  ]);
  const name = `m${String(++count)}`;
  const { entry } = await other.create(maps(), '', configMap(name, { k: 'old' }));
  const late = behind('core/configmaps', entry, undefined, admission);
  await other.replace(maps(), name, configMap(name, { k: 'new' }));
  await late.replace(maps(), name, configMap(name, { k: 'newer' }));
  await late.delete(maps(), name, plainDelete);
  expect(told).toEqual([
    ['UPDATE', { k: 'new' }],
    ['DELETE', { k: 'newer' }],
  ]);
});

test('a terminating object of old does not answer for its successor', async () => {
  const name = `m${String(++count)}`;
  const body = configMap(name);
  await other.create(maps(), '', { ...body, metadata: { name, finalizers: ['test.example/hold'] } });
  const { entry } = await other.delete(maps(), name, plainDelete);
  const late = behind('core/configmaps', entry);
  await other.patch(maps(), name, (current) => ({ ...current, metadata: { name, finalizers: [] } }));
  await other.create(maps(), '', body);
  const result = await late.delete(maps(), name, plainDelete);
  expect(result.removed).toBe(true);
  expect((await statusOf(other.get(maps(), name, { resourceVersion: '' }))).code).toBe(404);
});

test('a namespace that was terminating and is back takes new objects', async () => {
  const namespaces = scope('namespaces');
  const { entry } = await other.create(namespaces, '', { metadata: { name: 'again' } });
  const seen = JSON.parse(entry.bytes.toString()) as { metadata: JsonObject };
  seen.metadata['deletionTimestamp'] = '2020-01-01T00:00:00Z';
  const late = behind('core/namespaces', {
    ...entry,
    bytes: Buffer.from(JSON.stringify(seen)),
    memo: undefined,
  });
  const made = await late.create(scope('configmaps', { namespace: 'again' }), '', configMap('a'));
  expect(made.created).toBe(true);
});

describe('a namespace that is seen as it was takes new objects only as it is', () => {
  const namespaces = scope('namespaces');
  const held = { metadata: { name: 'held' }, spec: { finalizers: ['test.example/hold'] } };
  const inside = scope('configmaps', { namespace: 'held' });

  const unhold = (): Promise<unknown> =>
    other.replace(scope('namespaces', { subresource: 'finalize' }), 'held', { ...held, spec: {} });

  async function remove(): Promise<void> {
    await other.delete(namespaces, 'held', plainDelete);
    await unhold();
  }

  async function make(): Promise<Entry> {
    return (await other.create(namespaces, '', held)).entry;
  }

  async function expectNothingInside(): Promise<void> {
    expect((await other.list(inside, everything)).entries).toHaveLength(0);
  }

  test('terminating: 403 with the cause that clients know', async () => {
    const late = behind('core/namespaces', await make());
    await other.delete(namespaces, 'held', plainDelete);
    const refused = await statusOf(late.create(inside, '', configMap('a')));
    expect(refused.code).toBe(403);
    expect(refused.status.details?.causes).toMatchObject([{ reason: 'NamespaceTerminating' }]);
    await expectNothingInside();
    await unhold();
  });

  test('gone: 404', async () => {
    const late = behind('core/namespaces', await make());
    await remove();
    const refused = await statusOf(late.create(inside, '', configMap('a')));
    expect([refused.code, refused.message]).toEqual([404, 'namespaces "held" not found']);
    await expectNothingInside();
  });

  test('changed, or gone and back: it takes them', async () => {
    const entry = await make();
    await other.patch(namespaces, 'held', (c) => ({ ...c, metadata: { name: 'held', labels: { a: 'b' } } }));
    const late = behind('core/namespaces', entry);
    expect(await late.create(inside, '', configMap('a'))).toMatchObject({ created: true });
    await other.delete(inside, 'a', plainDelete);
    await remove();
    await make();
    expect(await late.create(inside, '', configMap('b'))).toMatchObject({ created: true });
    await other.delete(inside, 'b', plainDelete);
    await remove();
  });

  test('changed over and over: as often as a write is tried, then the client is to come back', async () => {
    const entry = await make();
    let changes = 0;
    const late = behind('core/namespaces', entry, () => {
      const labels = { a: String(++changes) };
      return other.patch(namespaces, 'held', (c) => ({ ...c, metadata: { name: 'held', labels } }));
    });
    const refused = await statusOf(late.create(inside, '', configMap('a')));
    expect([refused.code, refused.status.details?.retryAfterSeconds]).toEqual([503, 1]);
    expect(changes).toBe(30);
    await expectNothingInside();
    await remove();
  });

  test('an existing name is AlreadyExists', async () => {
    const entry = await make();
    const late = behind('core/namespaces', entry);
    await other.create(inside, '', configMap('a'));
    expect((await statusOf(late.create(inside, '', configMap('a')))).status.reason).toBe('AlreadyExists');
    await other.delete(inside, 'a', plainDelete);
    await remove();
  });
});
