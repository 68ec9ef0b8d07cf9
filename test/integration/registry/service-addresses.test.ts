/** Addresses and node ports of services, taken and given back by the writes themselves (release 1.21). */
import { parseServiceRanges, type ServiceRanges } from '../../../src/api/core/service/value-range.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { createFeatureGates } from '../../../src/observe/feature-gates.ts';
import type { ResourceVerbs } from '../../../src/registry/types.ts';
import { entryObject } from '../../../src/registry/written-entry.ts';
import type { Entry } from '../../../src/storage/types.ts';
import {
  plainDelete,
  scope,
  startRegistry,
  statusOf,
  verbsOver,
  type TestRegistry,
} from '../../support/registry.ts';

const gates = createFeatureGates();
const addressKeys = 'ranges/serviceips';
const portKeys = 'ranges/servicenodeports';
const namespace = 'addresses';
const services = scope('services', { namespace });
const dry = scope('services', { namespace, dryRun: true });

let registry: TestRegistry;
let nextNet = 0;

beforeAll(async () => {
  registry = await startRegistry();
  await registry.verbs.create(scope('namespaces'), '', { metadata: { name: namespace } });
});

afterAll(() => registry.close());

interface Replica {
  readonly verbs: ResourceVerbs;
  readonly ranges: ServiceRanges;
  /** The first three bytes of its addresses: `10.0.7.`. */
  readonly net: string;
}

/** A replica with ranges that no other test uses. */
function replicaWith(
  options: { bits?: number; second?: boolean; ports?: number; dualStack?: boolean } = {},
): Replica {
  const { bits = 24, second = false, ports = 50, dualStack = true } = options;
  nextNet += 1;
  const net = `10.0.${String(nextNet)}.`;
  const first = 20_000 + 100 * nextNet;
  const cidrs = [`${net}0/${String(bits)}`, ...(second ? [`fd00:${String(nextNet)}::/112`] : [])];
  const ranges = parseServiceRanges(cidrs, `${String(first)}+${String(ports - 1)}`);
  const isOn = (gate: string): boolean =>
    gate === 'IPv6DualStack' ? dualStack : gate === 'ServerSideApply' || gates.isEnabled(gate);
  return { verbs: verbsOver(registry.storage, isOn, { ranges }), ranges, net };
}

interface Spec {
  clusterIP?: string;
  clusterIPs?: string[];
  ipFamilies?: string[];
  ipFamilyPolicy?: string;
  type?: string;
  ports?: { name?: string; port: number; protocol?: string; nodePort?: number }[];
  healthCheckNodePort?: number;
  externalTrafficPolicy?: string;
}

const service = (name: string, spec: JsonObject = {}): JsonObject => ({
  metadata: { name },
  spec: { ports: [{ port: 80 }], ...spec },
});
const specOf = (entry: Entry): Spec => entryObject(entry)['spec'] as Spec;

async function create({ verbs }: Replica, name: string, spec: JsonObject = {}): Promise<Spec> {
  return specOf((await verbs.create(services, '', service(name, spec))).entry);
}

async function replace({ verbs }: Replica, name: string, spec: JsonObject): Promise<Spec> {
  return specOf((await verbs.replace(services, name, service(name, spec))).entry);
}

/** Who holds an address or a port. */
async function holderOf(value: string | number | undefined): Promise<string | undefined> {
  const collection = typeof value === 'number' ? portKeys : addressKeys;
  const { signal } = new AbortController();
  const entry = await registry.storage.get(collection, String(value), { kind: 'mostRecent' }, signal);
  return entry && (JSON.parse(entry.bytes.toString()) as { name: string }).name;
}

describe('cluster addresses', () => {
  test('a service gets an address of the range, and holds it until it is deleted', async () => {
    const replica = replicaWith();
    const { clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy } = await create(replica, 'a');
    expect(clusterIP).toMatch(new RegExp(`^${replica.net.replaceAll('.', '\\.')}\\d+$`));
    expect({ clusterIPs, ipFamilies, ipFamilyPolicy }).toEqual({
      clusterIPs: [clusterIP],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
    });
    expect(await holderOf(clusterIP)).toBe('a');
    await replica.verbs.delete(services, 'a', plainDelete);
    expect(await holderOf(clusterIP)).toBeUndefined();
  });

  test('of two families it gets one each, in the order that it asks for', async () => {
    const replica = replicaWith({ second: true });
    const two = await create(replica, 'two', { ipFamilyPolicy: 'PreferDualStack', ipFamilies: ['IPv6'] });
    expect(two.ipFamilies).toEqual(['IPv6', 'IPv4']);
    expect(two.clusterIPs).toEqual([expect.stringMatching(/^fd00:/), expect.stringMatching(/^10\./)]);
    expect(two.clusterIP).toBe(two.clusterIPs?.[0]);
    const one = await replace(replica, 'two', { ipFamilyPolicy: 'SingleStack' });
    expect(one).toMatchObject({ clusterIPs: [two.clusterIP], ipFamilies: ['IPv6'] });
    expect(await Promise.all((two.clusterIPs ?? []).map(holderOf))).toEqual(['two', undefined]);
    const again = await replace(replica, 'two', { ipFamilyPolicy: 'RequireDualStack' });
    expect(again.clusterIPs).toHaveLength(2);
    expect(await Promise.all((again.clusterIPs ?? []).map(holderOf))).toEqual(['two', 'two']);
  });

  test('with the gate of dual stack off it gets one address and no word of families', async () => {
    const replica = replicaWith({ dualStack: false });
    const spec = await create(replica, 'gate-off', { ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv4'] });
    expect(spec.clusterIPs).toEqual([spec.clusterIP]);
    expect(spec).not.toHaveProperty('ipFamilies');
    expect(spec).not.toHaveProperty('ipFamilyPolicy');
  });

  test('headless services and names for something outside get none', async () => {
    const replica = replicaWith();
    expect(await create(replica, 'headless', { clusterIP: 'None' })).toMatchObject({ clusterIPs: ['None'] });
    const outside = await create(replica, 'outside', { type: 'ExternalName', externalName: 'a.example' });
    expect(outside).not.toHaveProperty('clusterIPs');
    expect(registry.storage.view(addressKeys).count(replica.net, '')).toBe(0);
  });

  test('an address that is asked for is given once', async () => {
    const replica = replicaWith();
    const address = `${replica.net}77`;
    expect((await create(replica, 'first', { clusterIP: address })).clusterIPs).toEqual([address]);
    const refused = await statusOf(create(replica, 'second', { clusterIP: address }));
    expect([refused.code, refused.status.reason]).toEqual([422, 'Invalid']);
    expect(refused.message).toContain('provided IP is already allocated');
    const taken = await statusOf(replica.verbs.create(dry, '', service('second', { clusterIP: address })));
    expect(taken.code).toBe(422);
    await replica.verbs.delete(services, 'first', plainDelete);
    await create(replica, 'second', { clusterIP: address });
    expect(await holderOf(address)).toBe('second');
  });

  test('the reserved first address is given to those who ask for it', async () => {
    const replica = replicaWith();
    expect((await create(replica, 'own', { clusterIP: `${replica.net}1` })).clusterIP).toBe(
      `${replica.net}1`,
    );
  });

  test.each([
    ['outside of the range', '192.168.0.1', 'not in the valid range. The range of valid IPs is 10.0.'],
    ['of the network', 'NET0', 'not in the valid range'],
    ['of broadcasts', 'NET255', 'not in the valid range'],
    ['of a family without a range', 'fd00::1', 'not configured for it'],
  ])('an address %s is refused', async (_, address, problem) => {
    const replica = replicaWith();
    const clusterIP = address.replace('NET', replica.net);
    const refused = await statusOf(create(replica, 'refused', { clusterIP }));
    expect(refused.code).toBe(422);
    expect(refused.message).toContain(problem);
    expect(await holderOf(clusterIP)).toBeUndefined();
  });

  test('a full range is told, and has room again after a deletion', async () => {
    const replica = replicaWith({ bits: 29 });
    const names = ['f1', 'f2', 'f3', 'f4', 'f5'];
    const given = await Promise.all(names.map((name) => create(replica, name)));
    expect(new Set(given.map(({ clusterIP }) => clusterIP)).size).toBe(5);
    const refused = await statusOf(create(replica, 'f6'));
    expect([refused.code, refused.status.reason]).toEqual([500, 'InternalError']);
    expect(refused.message).toContain('failed to allocate a serviceIP: range is full');
    await replica.verbs.delete(services, 'f3', plainDelete);
    expect((await create(replica, 'f6')).clusterIP).toBe(given[2]?.clusterIP);
  });

  test('a replace without an address keeps it; another one is refused', async () => {
    const replica = replicaWith();
    const { clusterIP } = await create(replica, 'kept');
    expect(await replace(replica, 'kept', { ports: [{ port: 81 }] })).toMatchObject({
      ...{ clusterIP, clusterIPs: [clusterIP], ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' },
      ports: [{ port: 81 }],
    });
    const other = `${replica.net}${clusterIP === `${replica.net}9` ? '8' : '9'}`;
    const refused = await statusOf(replace(replica, 'kept', { clusterIP: other }));
    expect(refused.code).toBe(422);
    expect(refused.message).toContain('spec.clusterIPs[0]');
    expect(await holderOf(other)).toBeUndefined();
  });

  test('the address goes when a service becomes a name, and another comes when it is a service again', async () => {
    const replica = replicaWith();
    const { clusterIP } = await create(replica, 'alias');
    const alias = { type: 'ExternalName', externalName: 'a.example' };
    expect(await replace(replica, 'alias', alias)).not.toHaveProperty('clusterIP');
    expect(await holderOf(clusterIP)).toBeUndefined();
    const back = await replace(replica, 'alias', { type: 'ClusterIP' });
    expect(await holderOf(back.clusterIP)).toBe('alias');
  });

  test('a service with finalizers holds its address until the last is removed', async () => {
    const replica = replicaWith();
    const body = service('finalized');
    const finalized = { ...body, metadata: { name: 'finalized', finalizers: ['example.com/x'] } };
    const { clusterIP } = specOf((await replica.verbs.create(services, '', finalized)).entry);
    await replica.verbs.delete(services, 'finalized', plainDelete);
    expect(await holderOf(clusterIP)).toBe('finalized');
    await replica.verbs.replace(services, 'finalized', {
      ...body,
      metadata: { name: 'finalized', finalizers: [] },
    });
    expect(await holderOf(clusterIP)).toBeUndefined();
  });
});

describe('node ports', () => {
  const port = (value: number, more: JsonObject = {}): JsonObject => ({
    name: `p${String(value)}`,
    port: value,
    ...more,
  });
  const nodePortsOf = (spec: Spec): number[] => (spec.ports ?? []).map(({ nodePort = 0 }) => nodePort);

  test('each port gets one; a port of two protocols gets the same', async () => {
    const replica = replicaWith();
    const spec = await create(replica, 'ports', {
      type: 'NodePort',
      ports: [port(53, { protocol: 'UDP' }), { ...port(53), name: 'tcp' }, port(80)],
    });
    const [udp, tcp, http] = nodePortsOf(spec);
    expect(udp).toBe(tcp);
    expect(http).not.toBe(tcp);
    expect([await holderOf(tcp), await holderOf(http)]).toEqual(['ports', 'ports']);
    await replica.verbs.delete(services, 'ports', plainDelete);
    expect([await holderOf(tcp), await holderOf(http)]).toEqual([undefined, undefined]);
  });

  test('a replace keeps them by name, takes new ones and gives back those that are gone', async () => {
    const replica = replicaWith();
    const before = nodePortsOf(
      await create(replica, 'changed', { type: 'NodePort', ports: [port(1), port(2)] }),
    );
    const after = nodePortsOf(
      await replace(replica, 'changed', { type: 'NodePort', ports: [port(3), port(2)] }),
    );
    expect(after[1]).toBe(before[1]);
    expect(await Promise.all([before[0], ...after].map(holderOf))).toEqual([
      before[0] === after[0] ? 'changed' : undefined,
      'changed',
      'changed',
    ]);
  });

  test('they go with the type', async () => {
    const replica = replicaWith();
    const [before] = nodePortsOf(await create(replica, 'inside', { type: 'NodePort' }));
    const { verbs } = replica;
    const { entry } = await verbs.patch(services, 'inside', (current) => ({
      ...current,
      spec: { ...(current['spec'] as JsonObject), type: 'ClusterIP' },
    }));
    expect(specOf(entry)).not.toHaveProperty('externalTrafficPolicy');
    expect(nodePortsOf(specOf(entry))).toEqual([0]);
    expect(await holderOf(before)).toBeUndefined();
  });

  test('a port that is asked for is given once, and only of the range', async () => {
    const replica = replicaWith();
    const nodePort = Number(replica.ranges.nodePorts.at(7));
    await create(replica, 'one', { type: 'NodePort', ports: [{ port: 80, nodePort }] });
    const taken = await statusOf(
      create(replica, 'other', { type: 'NodePort', ports: [{ port: 80, nodePort }] }),
    );
    expect(taken.code).toBe(422);
    expect(taken.message).toContain(
      `spec.ports[0].nodePort: Invalid value: ${String(nodePort)}: provided port is already allocated`,
    );
    const outside = await statusOf(
      create(replica, 'other', { type: 'NodePort', ports: [{ port: 80, nodePort: 9 }] }),
    );
    expect(outside.message).toContain(
      '9: provided port is not in the valid range. The range of valid ports is ',
    );
    expect(registry.storage.peek('core/services', `${namespace}/other`)).toBeUndefined();
  });

  test('a balancer with local traffic gets a port for health checks, which stays', async () => {
    const replica = replicaWith();
    const local = { type: 'LoadBalancer', externalTrafficPolicy: 'Local' };
    const { healthCheckNodePort } = await create(replica, 'health', local);
    expect(await holderOf(healthCheckNodePort)).toBe('health');
    expect(await replace(replica, 'health', local)).toMatchObject({ healthCheckNodePort });
    const changed = await statusOf(replace(replica, 'health', { ...local, healthCheckNodePort: 9 }));
    expect(changed.message).toContain('spec.healthCheckNodePort');
    const cluster = await replace(replica, 'health', { type: 'LoadBalancer' });
    expect(cluster).not.toHaveProperty('healthCheckNodePort');
    expect(await holderOf(healthCheckNodePort)).toBeUndefined();
  });

  test('a service takes hundreds of ports or none, gives all back, and has at most a thousand', async () => {
    const wide = replicaWith({ ports: 1_300 });
    nextNet += 13;
    const many = (count: number): JsonObject[] => Array.from({ length: count }, (_, i) => port(i + 1));
    const held = nodePortsOf(await create(wide, 'many', { type: 'NodePort', ports: many(250) }));
    expect(new Set(held)).toHaveProperty('size', 250);
    expect(await holderOf(held[249])).toBe('many');
    const lowest = Math.min(...held);
    const free = [...Array(500).keys()].map((i) => lowest + i).filter((n) => !held.includes(n));
    const named = [...free.slice(0, 150), held[200] ?? 0].map((nodePort, i) => port(i + 1, { nodePort }));
    const taken = await statusOf(create(wide, 'others', { type: 'NodePort', ports: named }));
    expect([taken.code, taken.message]).toEqual([
      422,
      expect.stringContaining('spec.ports[150].nodePort: Invalid value'),
    ]);
    expect(await holderOf(free[0])).toBeUndefined();
    await wide.verbs.delete(services, 'many', plainDelete);
    for (const number of [held[0], held[249]]) expect(await holderOf(number)).toBeUndefined();
    await create(wide, 'others', { type: 'NodePort', ports: named });
    const refused = await statusOf(create(wide, 'too-many', { type: 'NodePort', ports: many(1_001) }));
    expect([refused.code, refused.message]).toEqual([422, expect.stringContaining('spec.ports: Too many')]);
  });
});

describe('what a write leaves alone', () => {
  test('a dry run shows values and holds none', async () => {
    const replica = replicaWith();
    const { entry } = await replica.verbs.create(dry, '', service('dry', { type: 'NodePort' }));
    const { clusterIP, ports } = specOf(entry);
    expect(clusterIP).toBeDefined();
    expect([await holderOf(clusterIP), await holderOf(ports?.[0]?.nodePort)]).toEqual([undefined, undefined]);
    const kept = await create(replica, 'dry');
    await replica.verbs.delete(dry, 'dry', plainDelete);
    await replica.verbs.replace(dry, 'dry', service('dry', { type: 'ExternalName', externalName: 'a' }));
    expect(await holderOf(kept.clusterIP)).toBe('dry');
  });

  test('a refused write holds nothing', async () => {
    const replica = replicaWith({ bits: 29 });
    await create(replica, 'there');
    for (let i = 0; i < 8; i++) expect((await statusOf(create(replica, 'there'))).code).toBe(409);
    expect(registry.storage.view(addressKeys).count(replica.net, '')).toBe(1);
  });

  test('the client owns the fields that it sent, not those that were chosen', async () => {
    const replica = replicaWith();
    const { entry } = await replica.verbs.create(services, '', service('owned', { type: 'NodePort' }));
    const { managedFields = [] } = entryObject(entry).metadata;
    const fields = JSON.stringify(managedFields);
    expect(fields).toContain('f:type');
    for (const chosen of ['f:clusterIP', 'f:ipFamilies', 'f:nodePort']) expect(fields).not.toContain(chosen);
  });

  test('a write of the status changes no address', async () => {
    const replica = replicaWith();
    const { clusterIP } = await create(replica, 'status', { type: 'LoadBalancer' });
    const status = scope('services', { namespace, subresource: 'status' });
    await replica.verbs.patch(status, 'status', (current) => ({
      ...current,
      status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } },
    }));
    expect(await holderOf(clusterIP)).toBe('status');
    const inside = await replace(replica, 'status', { type: 'ClusterIP' });
    expect(inside.clusterIP).toBe(clusterIP);
    const now = entryObject(await replica.verbs.get(services, 'status', { resourceVersion: '' }));
    expect(now['status']).toEqual({ loadBalancer: {} });
  });
});

test('writers that compete for few addresses each get one of their own, as long as there are some', async () => {
  const replica = replicaWith({ bits: 27 });
  const free = 29;
  const names = Array.from({ length: 60 }, (_, i) => `rival-${String(i)}`);
  const outcomes = await Promise.allSettled(names.map((name) => create(replica, name)));
  const given = outcomes.flatMap((outcome) =>
    outcome.status === 'fulfilled' ? [outcome.value.clusterIP] : [],
  );
  expect(new Set(given).size).toBe(given.length);
  expect(given).toHaveLength(free);
  expect(registry.storage.view(addressKeys).count(replica.net, '')).toBe(free);
});
