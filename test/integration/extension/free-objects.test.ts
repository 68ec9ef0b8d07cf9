/** Custom resources that keep what no schema knows: as a whole, or with other objects inside. */
import type { JsonObject } from '../../../src/base/json.ts';
import { encodeStored } from '../../../src/codec/stored.ts';
import { createEtcdStorage } from '../../../src/storage/storage.ts';
import type { ApiClient } from '../../support/client.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { Pair } from '../../support/custom-resources.ts';
import {
  causesOf,
  conditionsOf,
  definition,
  definitions,
  establish,
  established,
  namespaced,
  startPair,
  widget,
} from '../../support/custom-resources.ts';

let pair: Pair;
let one: ApiClient;
let two: ApiClient;

beforeAll(async () => {
  pair = await startPair();
  one = pair.one.admin;
  two = pair.two.admin;
}, 60_000);
afterAll(() => pair[Symbol.asyncDispose]());

describe('objects that keep everything (preserveUnknownFields of v1beta1)', () => {
  const freeDefinition = {
    apiVersion: 'apiextensions.orch.io/v1beta1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'loose.example.com' },
    spec: {
      group: 'example.com',
      version: 'v1',
      names: { plural: 'loose', kind: 'Loose' },
      validation: { openAPIV3Schema: { properties: { size: { maximum: 3 } } } },
    },
  };

  test('are kept, judged by what is said, and owned member by member', async () => {
    const path = '/apis/apiextensions.orch.io/v1beta1/customresourcedefinitions';
    await one.ok('POST', path, freeDefinition);
    const { status } = await established(one, 'loose.example.com');
    expect(status).toBeDefined();
    const conditions = conditionsOf(await one.ok('GET', `${definitions}/loose.example.com`));
    expect(conditions['NonStructuralSchema']).toBe('True Violations');
    const loose = {
      apiVersion: 'example.com/v1',
      kind: 'Loose',
      metadata: { name: 'a' },
      any: { thing: [1, null] },
      size: 3,
    };
    const applied = await two.patch(`${namespaced}/loose/a?fieldManager=m`, 'apply', loose);
    expect(applied.json()).toMatchObject({ any: { thing: [1, null] }, size: 3 });
    const [entry] = applied.json().metadata['managedFields'] as JsonObject[];
    expect(entry).toMatchObject({ fieldsV1: { 'f:any': { '.': {}, 'f:thing': {} }, 'f:size': {} } });
    const answer = await one.patch(`${namespaced}/loose/a`, 'merge', { size: 4 });
    expect(causesOf(answer)).toEqual([
      'size: Invalid value: 4: size in body should be less than or equal to 3',
    ]);
    expect((await one.get('/openapi/v2')).status).toBe(200);
  });
});

test('what came in behind the end of an earlier definition is no object of the next one', async () => {
  const ghost = { ...widget('ghost', { size: 1 }, 'Ghost') };
  const silent = (): void => undefined;
  const storage = await createEtcdStorage({
    endpoints: pair.etcd.endpoints,
    logger: { debug: silent, info: silent, warn: silent, error: silent },
    metrics: { observeEtcdRequest: silent },
  });
  await storage.ready();
  await storage.create('example.com/ghosts', 'default/ghost', encodeStored(ghost));
  await storage.close();
  await establish(one, definition('ghosts', 'Ghost'));
  expect((await two.list(`${namespaced}/ghosts`)).items).toEqual([]);
});

test('a definition under the name of a built-in resource leaves its objects alone', async () => {
  const path = '/apis/networking.orch.io/v1/ingressclasses';
  await one.ok('POST', path, { metadata: { name: 'kept' }, spec: { controller: 'example.com/x' } });
  const made = definition('ingressclasses', 'IngressClass', {
    group: 'networking.orch.io',
    scope: 'Cluster',
  });
  const annotations = { 'api-approved.orch.io': 'unapproved, a test' };
  made['metadata'] = { name: 'ingressclasses.networking.orch.io', annotations };
  await one.ok('POST', definitions, made);
  const own = `${definitions}/ingressclasses.networking.orch.io`;
  await waitFor('the conflict is told', async () =>
    conditionsOf(await one.ok('GET', own))['NamesAccepted']?.startsWith('False'),
  );
  await one.ok('DELETE', own);
  await waitFor('the definition is gone', async () => (await one.get(own)).status === 404);
  expect((await two.list(path)).items.map(({ metadata }) => metadata.name)).toEqual(['kept']);
});

test('finalizers of custom resources and of definitions need no domain', async () => {
  const finalizers = ['resources-finalizer.argocd.argoproj.io'];
  const holder = definition('holders', 'Holder');
  const { name } = holder['metadata'] as { name: string };
  await establish(one, { ...holder, metadata: { name, finalizers } });
  const holders = `${namespaced}/holders`;
  const object = widget('held', { size: 1 }, 'Holder');
  await one.ok('POST', holders, { ...object, metadata: { name: 'held', finalizers } });
  const patched = await one.patch(`${holders}/held`, 'merge', { metadata: { labels: { a: 'b' } } });
  expect(patched.status).toBe(200);
  const core = { metadata: { name: 'held', finalizers } };
  expect((await one.post('/api/v1/namespaces/default/configmaps', core)).status).toBe(422);
  for (const path of [`${holders}/held`, `${definitions}/${name}`]) {
    const none = await one.patch(path, 'merge', { metadata: { finalizers: null } });
    expect(none.status).toBe(200);
  }
});

test('conditions of a definition need no type', async () => {
  await establish(one, definition('lamps', 'Lamp'));
  const path = `${definitions}/lamps.example.com/status`;
  const answer = await one.patch(path, 'json', [
    { op: 'add', path: '/status/conditions/-', value: { message: 'as clients do' } },
  ]);
  const { conditions } = answer.json()['status'] as { conditions: JsonObject[] };
  expect(conditions.map(({ message }) => message)).toContain('as clients do');
});

test('keys of later releases are stored whole, and a warning says that they do nothing', async () => {
  const rules = [
    { rule: 'self.size > 0', message: 'm', messageExpression: '"m"', reason: 'FieldValueInvalid' },
    { rule: 'oldSelf.orValue(1) == self', optionalOldSelf: true, fieldPath: '.size' },
  ];
  const size = { type: 'object', properties: { x: { type: 'integer' } }, 'x-orch-validations': rules };
  const openAPIV3Schema = { type: 'object', properties: { size }, 'x-orch-validations': rules.slice(0, 1) };
  const later = { selectableFields: [{ jsonPath: '.size.x' }], schema: { openAPIV3Schema } };
  const versions = [{ name: 'v1', served: true, storage: true, ...later }];
  const made = definition('celes', 'Cele', { versions });
  const created = await one.post(`${definitions}?fieldValidation=Strict`, made);
  expect(created.status).toBe(201);
  expect(created.json()['spec']).toMatchObject({ versions });
  const told = created.headers['warning'] ?? '';
  expect(told).toContain('x-orch-validations: the 3 rules are stored');
  expect(told).toContain('selectableFields: the 1 fields are stored');
  const path = `${definitions}/celes.example.com`;
  const applied = await one.patch(`${path}?fieldManager=m&force=true`, 'apply', made);
  expect(applied.json()['spec']).toMatchObject({ versions });
  const beta = await two.ok('GET', path.replace('/v1/', '/v1beta1/'));
  const { selectableFields } = later;
  expect(beta['spec']).toMatchObject({ selectableFields, validation: { openAPIV3Schema } });
});

describe('whole objects inside', () => {
  test('say what they are, and keep their envelope', async () => {
    const inner = {
      type: 'object',
      'x-orch-embedded-resource': true,
      'x-orch-preserve-unknown-fields': true,
    };
    const openAPIV3Schema = { type: 'object', properties: { inner } };
    const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } };
    await establish(one, definition('boxes', 'Box', { versions: [version], scope: 'Cluster' }));
    const box = { apiVersion: 'example.com/v1', kind: 'Box', metadata: { name: 'b' } };
    const path = '/apis/example.com/v1/boxes';
    const wrong = await two.post(path, {
      ...box,
      inner: { apiVersion: 'a/b/c', metadata: { labels: { 'a b': 'x' } } },
    });
    expect(causesOf(wrong).map((cause) => cause.split(':', 1)[0])).toEqual([
      'inner.apiVersion',
      'inner.kind',
      'inner.metadata.labels',
    ]);
    const right = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: {} };
    expect((await two.ok('POST', path, { ...box, inner: right }))['inner']).toEqual(right);
    const strange = { ...right, metadata: { name: 'p', mood: 'good' }, mood: 'good' };
    const pruned = await two.ok('POST', path, { ...box, metadata: { name: 'c' }, inner: strange });
    expect(pruned['inner']).toEqual({ ...right, mood: 'good' });
  });
});
