/** The repair of what services hold: leaks, values without a holder, collisions, values of former ranges. */
import { namingProfiles } from '../../../src/meta/naming.ts';
import { addressCollection } from '../../../src/registry/allocation/service-cidrs.ts';
import { builtInGroups } from '../../../src/api/index.ts';
import { loadCatalogueSchemas } from '../../../src/api/schemas.ts';
import { parseServiceRanges } from '../../../src/api/core/service/value-range.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { createRecode } from '../../../src/registry/conversion/stored-versions.ts';
import { repairAllocations, type AllocationFinding } from '../../../src/registry/allocation/repair.ts';
import type { ResourceVerbs } from '../../../src/registry/types.ts';
import { entryObject } from '../../../src/registry/written-entry.ts';
import type { EtcdClient } from '../../../src/storage/etcd/client.ts';
import { directClient, forever, json, mostRecent } from '../../support/storage.ts';
import {
  catalogue,
  plainDelete,
  scope,
  startRegistry,
  verbsOver,
  type TestRegistry,
} from '../../support/registry.ts';

const services = scope('services', { namespace: 'default' });
const definition = catalogue.resource('', 'v1', 'services')?.definition;
const collection = 'core/services';
const ranges = parseServiceRanges(['10.0.0.0/24'], '30000-30099');
const damaged = new Set<string>();
const recode = createRecode({
  ...{ naming: catalogue.naming, groups: builtInGroups, schemas: loadCatalogueSchemas(catalogue.naming) },
  ...{ isFeatureEnabled: () => false, now: () => new Date() },
});
/** How often the values of a service were read in the last round. */
let reads = 0;
let registry: TestRegistry;
let direct: EtcdClient;
let verbs: ResourceVerbs;
/** Without ranges: its services hold nothing. */
let former: ResourceVerbs;

beforeAll(async () => {
  registry = await startRegistry('shared', { recode });
  direct = directClient(registry.etcd.endpoints);
  former = registry.verbs;
  verbs = verbsOver(registry.storage, () => false, { ranges });
  await former.create(scope('namespaces'), '', { metadata: { name: 'default' } });
});

afterAll(async () => {
  direct.close();
  await registry.close();
});

/** What another program, or a damaged disk, has put in the place of a service. */
async function store(name: string, value: Buffer): Promise<void> {
  const prefix = 'prefix' in registry.etcd ? registry.etcd.prefix : '/registry';
  await direct.put({ key: Buffer.from(`${prefix}/${collection}/default/${name}`), value });
}

const service = (name: string, spec: JsonObject): JsonObject => ({
  metadata: { name },
  spec: { ports: [{ port: 80 }], ...spec },
});

async function repair(): Promise<Partial<AllocationFinding>[]> {
  const findings: AllocationFinding[] = [];
  const { storage } = registry;
  await storage.snapshot(collection, mostRecent, forever);
  const real = definition?.strategy.allocation;
  if (!real) throw new Error('services hold nothing');
  reads = 0;
  const held: typeof real.held = (object) => {
    reads += 1;
    return real.held(object);
  };
  const allocation = { ...real, held };
  const report = (finding: AllocationFinding): void => void findings.push(finding);
  const reportDamaged = (object: string): void => void damaged.add(object);
  const reservations = addressCollection(namingProfiles.orch);
  await repairAllocations(
    { storage, allocation, collection, ranges, addedRanges: [], reservations, report, reportDamaged },
    forever,
  );
  return findings;
}

async function holderOf(value: string): Promise<string | undefined> {
  const key = value.includes('.') ? 'ranges/serviceips' : 'ranges/servicenodeports';
  const entry = await registry.storage.get(key, value, mostRecent, forever);
  return entry && (JSON.parse(entry.bytes.toString()) as { name: string }).name;
}

afterEach(async () => {
  for (const { key } of registry.storage.view(collection).entries('', ''))
    await verbs.delete(services, key.split('/')[1] ?? '', plainDelete);
});

test('what services have written themselves is in order', async () => {
  await verbs.create(services, '', service('fine', { type: 'NodePort' }));
  expect(await repair()).toEqual([]);
});

test('values of services that were stored before are taken for them', async () => {
  await former.create(
    services,
    '',
    service('old', { clusterIP: '10.0.0.9', type: 'NodePort', ports: [{ port: 80, nodePort: 30_005 }] }),
  );
  expect(await repair()).toEqual([
    { problem: 'repair', pool: 'addresses', value: '10.0.0.9', object: 'default/old' },
    { problem: 'repair', pool: 'nodePorts', value: '30005', object: 'default/old' },
  ]);
  expect([await holderOf('10.0.0.9'), await holderOf('30005')]).toEqual(['old', 'old']);
  expect(await repair()).toEqual([]);
  await verbs.delete(services, 'old', plainDelete);
  expect([await holderOf('10.0.0.9'), await holderOf('30005')]).toEqual([undefined, undefined]);
});

test('what no service has is free again', async () => {
  const { storage } = registry;
  await storage.create(
    'ranges/serviceips',
    '10.0.0.50',
    json({ namespace: 'default', name: 'gone', uid: 'u' }),
  );
  await storage.create('ranges/servicenodeports', '30050', Buffer.from('not JSON'));
  expect(await repair()).toEqual([
    { problem: 'leak', pool: 'addresses', value: '10.0.0.50', object: 'default/gone' },
    { problem: 'leak', pool: 'nodePorts', value: '30050', object: '/' },
  ]);
  expect(await repair()).toEqual([]);
});

test.each([
  ['cannot be read', '{"kind":"Service","apiVersion":"v1","metadata":{"name":"lost"'],
  ['has not the shape of one', '{"kind":"Service","apiVersion":"v1","metadata":{"name":"lost"},"spec":null}'],
  [
    'has ports that are none',
    '{"kind":"Service","apiVersion":"v1","metadata":{"name":"lost"},"spec":{"ports":7}}',
  ],
])('a service that %s keeps what it holds, and others are repaired', async (_, text) => {
  const { entry } = await verbs.create(services, '', service('lost', { clusterIP: '10.0.0.20' }));
  await former.create(services, '', service('old', { clusterIP: '10.0.0.21' }));
  const whole = entry.bytes;
  await store('lost', Buffer.from(text));
  expect(await repair()).toMatchObject([{ problem: 'repair', value: '10.0.0.21' }]);
  expect(await holderOf('10.0.0.20')).toBe('lost');
  await store('lost', whole);
  expect(await repair()).toEqual([]);
});

test('an address that two services have is reported, and the holder keeps it', async () => {
  await verbs.create(services, '', service('first', { clusterIP: '10.0.0.7' }));
  await former.create(services, '', service('second', { clusterIP: '10.0.0.7' }));
  const collision = {
    problem: 'duplicate',
    value: '10.0.0.7',
    object: 'default/second',
    holder: 'default/first',
  };
  expect(await repair()).toMatchObject([collision]);
  await verbs.delete(services, 'second', plainDelete);
  expect(await holderOf('10.0.0.7')).toBe('first');
});

test('services that share many node ports are read once more, and not for each port', async () => {
  const ports = Array.from({ length: 60 }, (_, i) => ({ name: `p${i}`, port: 80 + i, nodePort: 30_000 + i }));
  await verbs.create(services, '', service('first', { type: 'NodePort', ports }));
  await former.create(services, '', service('second', { type: 'NodePort', ports }));
  const shared = (await repair()).filter(
    ({ problem, pool }) => problem === 'duplicate' && pool === 'nodePorts',
  );
  expect(shared).toHaveLength(60);
  expect(reads).toBeLessThanOrEqual(3);
});

test('the key of a service that is there again, with another uid, is taken anew in one round', async () => {
  const { entry } = await former.create(services, '', service('again', { clusterIP: '10.0.0.8' }));
  const uid = entryObject(entry).metadata.uid ?? '';
  await registry.storage.create(
    'ranges/serviceips',
    '10.0.0.8',
    json({ namespace: 'default', name: 'again', uid: `not ${uid}` }),
  );
  expect((await repair()).map(({ problem }) => problem)).toEqual(['leak', 'repair']);
  expect(await repair()).toEqual([]);
});

test('values of former ranges are reported, and stay held', async () => {
  await former.create(services, '', service('elsewhere', { clusterIP: '10.9.9.9' }));
  expect((await repair()).map(({ problem }) => problem)).toEqual(['outOfRange', 'repair']);
  expect((await repair()).map(({ problem }) => problem)).toEqual(['outOfRange']);
});

test('replicas that repair at once agree', async () => {
  await former.create(services, '', service('old', { clusterIP: '10.0.0.9' }));
  await registry.storage.snapshot(collection, mostRecent, forever);
  const rounds = await Promise.all([repair(), repair(), repair()]);
  expect(rounds.flat()).toHaveLength(1);
  expect(await holderOf('10.0.0.9')).toBe('old');
});
