/** Containers that are added to a running pod: they come by their subresource alone, and stay as they came. */
import { builtInGroups } from '../../../src/api/index.ts';
import { loadCatalogueSchemas } from '../../../src/api/schemas.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { buildCatalogue } from '../../../src/registry/catalogue/catalogue.ts';
import type { ResourceVerbs } from '../../../src/registry/types.ts';
import { scope, startRegistry, statusOf, verbsOver, type TestRegistry } from '../../support/registry.ts';

let registry: TestRegistry;
let verbs: ResourceVerbs;

beforeAll(async () => {
  registry = await startRegistry();
  verbs = verbsOver(registry.storage, (gate) => gate === 'EphemeralContainers');
  await verbs.create(scope('namespaces'), '', { metadata: { name: 'e' } });
});
beforeEach(async () => {
  await verbs
    .delete(pods, 'web', {
      ...{ gracePeriodSeconds: 0, propagationPolicy: 'Background' },
      ...{ orphanDependents: undefined, preconditions: undefined },
    })
    .catch(() => undefined);
  const spec = { containers: [{ name: 'main', image: 'busybox:1' }] };
  await verbs.create(pods, '', { metadata: { name: 'web', labels: { a: 'b' } }, spec });
});
afterAll(() => registry.close());

const pods = scope('pods', { namespace: 'e' });
const about = scope('pods', { namespace: 'e', subresource: 'ephemeralcontainers' });
const debug = { name: 'debug', image: 'busybox:1' };

async function put(ephemeralContainers: JsonObject[], metadata: JsonObject = {}): Promise<JsonObject> {
  const body = { kind: 'EphemeralContainers', apiVersion: 'v1', metadata, ephemeralContainers };
  return (await verbs.act(about, 'web', 'update', body)) as JsonObject;
}

test('they are added with their defaults; nothing else of the pod changes', async () => {
  const answer = await put([debug], { name: 'web', labels: { other: 'x' } });
  expect(answer).toMatchObject({
    ...{ kind: 'EphemeralContainers', apiVersion: 'v1' },
    metadata: { name: 'web', labels: { a: 'b' } },
    ephemeralContainers: [{ ...debug, imagePullPolicy: 'IfNotPresent', terminationMessagePolicy: 'File' }],
  });
  expect(await verbs.act(about, 'web', 'get', undefined)).toEqual(answer);
});

test('a patch adds to those that are there', async () => {
  await put([debug]);
  const more = (current: JsonObject): JsonObject => ({
    ...current,
    ephemeralContainers: [
      ...(current['ephemeralContainers'] as JsonObject[]),
      { name: 'more', image: 'busybox:1', targetContainerName: 'main' },
    ],
  });
  const { ephemeralContainers } = (await verbs.act(about, 'web', 'patch', more)) as JsonObject;
  expect(ephemeralContainers).toMatchObject([{ name: 'debug' }, { name: 'more' }]);
});

test.each<[string, JsonObject[], string]>([
  ['removed', [], 'existing ephemeral containers "debug" may not be removed'],
  ['changed', [{ ...debug, image: 'other' }], 'existing ephemeral containers "debug" may not be changed'],
  [
    'of the same name as another',
    [debug, { name: 'main', image: 'x' }],
    'spec.ephemeralContainers[1].name: Duplicate',
  ],
  [
    'with ports',
    [debug, { name: 'p', image: 'x', ports: [{ containerPort: 1 }] }],
    'cannot be set for an Ephemeral',
  ],
  ['aimed at nothing', [debug, { name: 't', image: 'x', targetContainerName: 'z' }], 'targetContainerName'],
])('none may be %s', async (_name, sent, message) => {
  await put([debug]);
  const refusal = await statusOf(put(sent));
  expect(refusal.code).toBe(422);
  expect(refusal.message).toContain(message);
});

test('an older version of the pod, another pod, and another kind are refused', async () => {
  expect((await statusOf(put([debug], { resourceVersion: '1' }))).code).toBe(409);
  expect((await statusOf(put([debug], { name: 'other' }))).code).toBe(400);
  expect((await statusOf(verbs.act(about, 'web', 'update', { kind: 'Pod', apiVersion: 'v1' }))).code).toBe(
    400,
  );
  expect((await statusOf(verbs.act(about, 'none', 'get', undefined))).code).toBe(404);
});

test('a write to the pod itself adds none', async () => {
  const change = (pod: JsonObject): JsonObject => ({
    ...pod,
    spec: { ...(pod['spec'] as JsonObject), ephemeralContainers: [debug] },
  });
  expect((await statusOf(verbs.patch(pods, 'web', change))).code).toBe(422);
});

test('the subresource is there with its gate only', () => {
  const naming = namingProfiles.orch;
  const parts = {
    naming,
    groups: builtInGroups,
    schemas: loadCatalogueSchemas(naming),
    isEnabled: () => true,
  };
  const of = (isOn: boolean): unknown =>
    buildCatalogue({ ...parts, isFeatureEnabled: () => isOn })
      .resource('', 'v1', 'pods')
      ?.subresource('ephemeralcontainers');
  expect(of(true)).toBeDefined();
  expect(of(false)).toBeUndefined();
});
