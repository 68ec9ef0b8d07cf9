/** Lists that once held the thread for seconds, or ended the process, in their size of then. */
import type { JsonObject } from '../../../src/base/json.ts';
import { apiVersionOf } from '../../../src/meta/gvk.ts';
import type { ServedResource } from '../../../src/registry/types.ts';
import { cpuBudget, threadCpuMs } from '../../support/cpu-time.ts';
import { catalogue, DryWriter, type Outcome, type WriteKind } from '../../support/growth/dry-writer.ts';

/** Far above what any of them takes now, and far below what they took. */
const mostMs = 1_500;

const count = (length: number, item: (i: number) => unknown): unknown[] =>
  Array.from({ length }, (_, i) => item(i));

function resourceOf(path: string): ServedResource {
  const [group = '', version = '', plural = ''] = path.split('/');
  const resource = catalogue.resource(group, version, plural);
  if (!resource) throw new Error(`there is no ${path}`);
  return resource;
}

function bodyOf({ gvk }: ServedResource, object: object): Buffer {
  return Buffer.from(
    JSON.stringify({ kind: gvk.kind, apiVersion: apiVersionOf(gvk), metadata: { name: 'a' }, ...object }),
  );
}

/** The outcome of a dry run that takes no longer than it may. */
async function written(
  path: string,
  object: object,
  kind: WriteKind = 'create',
  before?: object,
): Promise<Outcome> {
  const resource = resourceOf(path);
  const key = resource.namespaced ? 'default/a' : 'a';
  const stored = before && new Map([[`${resource.storage.collection}/${key}`, bodyOf(resource, before)]]);
  const writer = new DryWriter(stored);
  const body = bodyOf(resource, object);
  const started = threadCpuMs();
  const outcome = await writer.write(kind, { resource, name: 'a', body });
  expect(threadCpuMs() - started).toBeLessThan(cpuBudget(mostMs));
  expect(outcome.size).toBeLessThan(8_000_000);
  return outcome;
}

test('scopes of a quota', async () => {
  const outcome = await written('/v1/resourcequotas', {
    spec: { hard: { 'count/x.b': '1' }, scopes: count(20_000, () => 'BestEffort') },
  });
  expect(outcome).toMatchObject({ code: 422, causes: expect.any(Number) as number });
  expect(outcome.causes).toBeLessThanOrEqual(500);
  expect(outcome.size).toBeLessThan(200_000);
  expect(outcome.message).toMatch(/and at least \d+ more errors\]$/);
});

test.each([30_000, 133_000])('%i addresses of a service', async (length) => {
  const distinct = count(
    length,
    (i) => `10.${String((i >> 16) & 255)}.${String((i >> 8) & 255)}.${String(i & 255)}`,
  );
  const equal = count(length, () => '10.0.0.1');
  for (const clusterIPs of [distinct, equal]) {
    const spec = { ports: [{ port: 80 }], clusterIP: clusterIPs[0], clusterIPs };
    expect(await written('/v1/services', { spec })).toMatchObject({ code: 422 });
  }
});

test('addresses of a node', async () => {
  const addresses = count(10_000, (i) => ({
    type: 'InternalIP',
    address: `10.0.${String(i >> 8)}.${String(i & 255)}`,
  }));
  const repeated = [...addresses, ...addresses];
  for (const list of [addresses, repeated]) {
    await written('/v1/nodes', { status: { addresses: list } });
    await written('/v1/nodes', { status: { addresses: list } }, 'strategic patch', { status: { addresses } });
  }
});

test('tolerations of a runtime class', async () => {
  const tolerations = count(22_000, (i) => ({ key: `k${String(i)}`, operator: 'Exists' }));
  const outcome = await written('/v1/runtimeclasses'.replace('/v1', 'node.orch.io/v1'), {
    handler: 'runc',
    scheduling: { tolerations },
  });
  expect(outcome.code).toBe(0);
});

test.each(['operations', 'apiGroups', 'apiVersions', 'resources'])(
  'stars in the %s of a webhook rule',
  async (field) => {
    const rule = {
      operations: ['*'],
      apiGroups: ['*'],
      apiVersions: ['*'],
      resources: ['*'],
      [field]: count(37_500, () => '*'),
    };
    const webhook = {
      name: 'a.example.com',
      clientConfig: { url: 'https://example.com/' },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      rules: [rule],
    };
    await written('admissionregistration.orch.io/v1/validatingwebhookconfigurations', {
      webhooks: [webhook],
    });
  },
);

test('entries of managed fields', async () => {
  const data = Object.fromEntries(count(60_000, (i) => [`k${String(i)}`, '']) as [string, string][]);
  const managedFields = count(15_000, (i) => ({
    manager: `m${String(i)}`,
    operation: 'Update',
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:data': {} },
  }));
  const before: JsonObject = { metadata: { name: 'a', namespace: 'default', uid: 'u' }, data: { first: '' } };
  const metadata = { name: 'a', managedFields };
  await written('/v1/configmaps', { metadata, data });
  await written('/v1/configmaps', { metadata, data }, 'update', before);
  await written('/v1/configmaps', { data }, 'apply', {
    metadata: { ...metadata, namespace: 'default' },
    data: {},
  });
});

test('containers that have ended, in another order', async () => {
  const statuses = count(50_000, (i) => ({ name: `c${String(i)}`, state: { terminated: { exitCode: 0 } } }));
  const podOf = (containerStatuses: unknown[]): object => ({
    metadata: { name: 'a', namespace: 'default', uid: 'u' },
    spec: { restartPolicy: 'Never', containers: [{ name: 'c0', image: 'a' }] },
    status: { containerStatuses },
  });
  const resource = resourceOf('/v1/pods');
  const writer = new DryWriter(new Map([['core/pods/default/a', bodyOf(resource, podOf(statuses))]]));
  const body = bodyOf(resource, podOf(statuses.toReversed()));
  const started = threadCpuMs();
  const outcome = await writer.write('update', { resource, name: 'a', body, subresource: 'status' });
  expect(threadCpuMs() - started).toBeLessThan(cpuBudget(mostMs));
  expect(outcome).toMatchObject({ code: 0 });
});

test('tolerations of a pod and of its runtime class', async () => {
  const named = (prefix: string): unknown[] =>
    count(10_000, (i) => ({ key: `${prefix}${String(i)}`, operator: 'Exists' }));
  const scheduling = { tolerations: named('class') };
  const kata = { metadata: { name: 'kata' }, handler: 'kata', scheduling };
  const writer = new DryWriter(new Map(), { 'node.orch.io/runtimeclasses/kata': kata });
  const resource = resourceOf('/v1/pods');
  const containers = [{ name: 'c', image: 'a' }];
  const body = bodyOf(resource, {
    spec: { runtimeClassName: 'kata', containers, tolerations: named('pod') },
  });
  const started = threadCpuMs();
  const outcome = await writer.write('create', { resource, name: 'a', body });
  expect(threadCpuMs() - started).toBeLessThan(cpuBudget(mostMs));
  expect(outcome).toMatchObject({ code: 0 });
  // Those of both are there.
  expect(outcome.size).toBeGreaterThan(1.5 * body.length);
});

describe('what a namespace and a pod multiply', () => {
  const containers = count(3_000, (i) => ({ name: `c${String(i)}`, image: 'a' }));
  const amounts = Object.fromEntries(
    count(3_000, (i) => [`example.com/r${String(i)}`, '1']) as [string, string][],
  );
  const rangeOf = (limits: object[]): Record<string, object> => ({
    'core/limitranges/default/a': {
      apiVersion: 'v1',
      kind: 'LimitRange',
      metadata: { name: 'a' },
      spec: { limits },
    },
  });

  test.each([
    ['defaults', [{ type: 'Container', default: amounts }], /would set more default amounts than/],
    ['bounds', [{ type: 'Container', max: amounts }], /would compare more amounts than/],
    [
      'limits',
      count(3_000, () => ({ type: 'Container', max: { cpu: '1' } })),
      /maximum cpu usage per Container is 1. No limit is specified$/,
    ],
  ] as const)('%s', async (_what, limits, message) => {
    const resource = resourceOf('/v1/pods');
    const writer = new DryWriter(new Map(), rangeOf(limits as object[]));
    const body = bodyOf(resource, { spec: { containers } });
    const started = threadCpuMs();
    const outcome = await writer.write('create', { resource, name: 'a', body });
    expect(threadCpuMs() - started).toBeLessThan(cpuBudget(mostMs));
    expect(outcome).toMatchObject({ code: 403, message: expect.stringMatching(message) as string });
  });
});

test('addresses times ports of endpoints are counted, not listed', async () => {
  const addresses = count(20_000, (i) => ({ ip: `10.0.${String(i >> 8)}.${String(i & 255)}` }));
  const ports = count(20_000, (i) => ({ name: `p${String(i)}`, port: (i % 60_000) + 1 }));
  expect(await written('/v1/endpoints', { subsets: [{ addresses, ports }] })).toMatchObject({ code: 0 });
});

test('what all versions of a definition share is not copied a thousand times', async () => {
  const versions = count(2_000, (i) => ({ name: `v${String(i + 1)}`, served: true, storage: i === 0 }));
  const properties = Object.fromEntries(
    count(1_000, (i) => [`p${String(i)}`, { type: 'string', description: 'x'.repeat(100) }]) as [
      string,
      object,
    ][],
  );
  const names = { plural: 'things', kind: 'Thing' };
  const validation = { openAPIV3Schema: { type: 'object', properties } };
  const outcome = await written('apiextensions.orch.io/v1beta1/customresourcedefinitions', {
    metadata: { name: 'things.example.com' },
    spec: { group: 'example.com', names, scope: 'Namespaced', versions, validation },
  });
  expect(outcome).toMatchObject({
    code: 413,
    message: expect.stringMatching(/for all 2000 versions/) as string,
  });
});
