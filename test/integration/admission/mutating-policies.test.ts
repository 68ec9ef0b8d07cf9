/** MutatingAdmissionPolicy over HTTPS: a policy that one replica takes changes what both write. */
import type { JsonObject } from '../../../src/base/json.ts';
import type { ApiClient } from '../../support/client.ts';
import { startPair, type Pair } from '../../support/custom-resources.ts';
import { configMapRule, ServedPolicies } from '../../support/served-policies.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

let pair: Pair;
let one: ApiClient;
let two: ApiClient;
let served: ServedPolicies;

beforeAll(async () => {
  pair = await startPair(['--emulated-release=1.36']);
  one = pair.one.admin;
  two = pair.two.admin;
  served = new ServedPolicies('mutating', [one, two]);
}, 60_000);
afterAll(() => pair[Symbol.asyncDispose]());

const apply = (expression: string): object => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
});

function write(name: string, spec: object): Promise<void> {
  return served.write(name, { reinvocationPolicy: 'Never', ...spec });
}

test('a policy changes what every replica writes, until it is gone', async () => {
  await write('labels', {
    mutations: [
      apply(
        "Object{metadata: Object.metadata{labels: {'by': request.userInfo.username, 'verb': request.operation}}}",
      ),
    ],
  });
  for (const [index, client] of [one, two].entries()) {
    const name = `labelled-${String(index)}`;
    const created = await client.ok('POST', configMaps, { metadata: { name, labels: { own: 'a' } } });
    expect(created).toMatchObject({ metadata: { labels: { own: 'a', verb: 'CREATE' } } });
    const patched = await client.patch(`${configMaps}/${name}`, 'merge', { data: { a: 'b' } });
    expect(patched.json()).toMatchObject({ metadata: { labels: { own: 'a', verb: 'UPDATE' } } });
    expect(await client.ok('GET', `${configMaps}/${name}`)).toMatchObject(
      patched.json() as unknown as JsonObject,
    );
    const dry = await client.ok('POST', `${configMaps}?dryRun=All`, { metadata: { name: `dry-${name}` } });
    expect(dry).toHaveProperty('metadata.labels.verb', 'CREATE');
    expect((await client.get(`${configMaps}/dry-${name}`)).status).toBe(404);
  }
  await served.remove('labels');
  for (const [index, client] of [one, two].entries()) {
    const plain = await client.ok('POST', configMaps, { metadata: { name: `plain-${String(index)}` } });
    expect(plain).not.toHaveProperty('metadata.labels');
  }
});

test('a server-side apply that changes nothing stays without effect under a policy', async () => {
  await write('defaults', { mutations: [apply("Object{data: {'made': 'yes'}}")] });
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied' }, data: { own: 'a' } };
  const first = await one.patch(`${configMaps}/applied?fieldManager=me`, 'apply', body);
  expect(first.json()).toMatchObject({ data: { own: 'a', made: 'yes' } });
  const again = await two.patch(`${configMaps}/applied?fieldManager=me`, 'apply', body);
  expect(again.json()).toHaveProperty(
    'metadata.resourceVersion',
    (first.json() as unknown as { metadata: { resourceVersion: string } }).metadata.resourceVersion,
  );
  await served.remove('defaults');
});

test('a policy asks the authorizer, and one that cannot be obeyed refuses the write', async () => {
  await write('asking', {
    mutations: [
      apply(
        "Object{data: {'secrets': string(authorizer.group('').resource('secrets').namespace('default').check('get').allowed()), 'robot': string(authorizer.serviceAccount('default', 'robot').requestResourceOf(1))}}",
      ),
    ],
  }).then(
    () => {
      throw new Error('it was taken');
    },
    (error: unknown) => {
      expect(String(error)).toContain("undeclared reference to 'requestResourceOf'");
    },
  );
  await write('asking', {
    mutations: [
      apply(
        "Object{data: {'admin': string(authorizer.requestResource.check('get').allowed()), 'robot': string(authorizer.serviceAccount('default', 'robot').group('').resource('secrets').check('get').allowed())}}",
      ),
      apply("Object{data: {'a': string(object.data.none)}}"),
    ],
    failurePolicy: 'Ignore',
  });
  const created = await two.ok('POST', configMaps, { metadata: { name: 'asked' } });
  expect(created).toHaveProperty('data', { admin: 'true', robot: 'false' });
  await one.patch(`${served.policies}/asking`, 'merge', { spec: { failurePolicy: 'Fail' } });
  await one.ok('GET', `${served.policies}/asking`);
  const refused = await one.post(configMaps, { metadata: { name: 'refused' } });
  expect(refused.status).toBe(403);
  expect(refused.text).toContain("policy 'asking' with binding 'asking-b' denied request: expression");
  await served.remove('asking');
});

test('a small body that policies make large is written by a write thread, and so is a large one', async () => {
  const copies = Array.from({ length: 6 }, (_, i) => `'b${String(i)}': object.data.a`);
  await write('growing', { mutations: [apply(`Object{data: {${copies.join(', ')}}}`)] });
  for (const length of [60_000, 140_000]) {
    const name = `grown-${String(length)}`;
    const a = 'x'.repeat(length);
    const created = await two.ok('POST', configMaps, { metadata: { name }, data: { a } });
    expect(Object.values(created['data'] as object)).toEqual(Array(7).fill(a));
    expect(await one.ok('GET', `${configMaps}/${name}`)).toHaveProperty('data.b5', a);
  }
  await served.remove('growing');
});

test('mistakes are refused with their places', async () => {
  const refused = await one.post(served.policies, {
    metadata: { name: 'broken' },
    spec: {
      matchConstraints: { resourceRules: [configMapRule] },
      matchConditions: [{ name: 'c', expression: 'Object{}' }],
      variables: [{ name: 'a', expression: 'jsonpatch.escapeKey("a")' }],
      mutations: [
        apply('Other{}'),
        apply("[JSONPatch{op: 'add', path: '/a'}]"),
        { patchType: 'JSONPatch', jsonPatch: { expression: "[JSONPatch{op: 1, path: '/a'}]" } },
        { patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{none: 1}]' } },
        { patchType: 'JSONPatch', jsonPatch: { expression: 'Object{}' } },
      ],
      reinvocationPolicy: 'Never',
    },
  });
  expect(refused.status).toBe(422);
  const { details } = refused.json() as unknown as { details: { causes: { field: string }[] } };
  expect(details.causes.map(({ field }) => field)).toEqual([
    'spec.matchConditions[0].expression',
    'spec.variables[0].expression',
    ...['applyConfiguration', 'applyConfiguration', 'jsonPatch', 'jsonPatch', 'jsonPatch'].map(
      (field, i) => `spec.mutations[${String(i)}].${field}.expression`,
    ),
  ]);
});
