/** What clients are told of custom resources: discovery, aggregated discovery, OpenAPI of both versions. */
import { systemEnvironment } from '../../../src/base/environment.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import type { ApiClient } from '../../support/client.ts';
import { startReplica } from '../../support/replica.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { createHttpsClient } from '../../../src/client/https-client.ts';
import { HttpsTransport } from '../../../src/webhook/https-transport.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { Pair } from '../../support/custom-resources.ts';
import {
  definition,
  definitions,
  establish,
  startPair,
  widgetVersion,
} from '../../support/custom-resources.ts';

let pair: Pair;
let one: ApiClient;
let two: ApiClient;

beforeAll(async () => {
  pair = await startPair();
  one = pair.one.admin;
  two = pair.two.admin;
  const beta = { ...widgetVersion, name: 'v1beta1', storage: false };
  await establish(one, definition('widgets', 'Widget', { versions: [beta, widgetVersion] }));
  await two.get('/apis/example.com/v1/widgets');
}, 60_000);
afterAll(() => pair[Symbol.asyncDispose]());

async function json(client: ApiClient, path: string, accept = 'application/json'): Promise<JsonObject> {
  const answer = await client.get(path, { accept });
  expect(answer.status).toBe(200);
  return answer.json() as unknown as JsonObject;
}

test('groups and resources', async () => {
  const { groups } = (await json(two, '/apis')) as { groups: { name: string }[] };
  expect(groups.at(-1)).toMatchObject({
    name: 'example.com',
    preferredVersion: { groupVersion: 'example.com/v1' },
  });
  const { resources } = (await json(two, '/apis/example.com/v1')) as { resources: JsonObject[] };
  expect(resources.map(({ name }) => name)).toEqual(['widgets', 'widgets/scale', 'widgets/status']);
  expect(resources[0]).toMatchObject({
    kind: 'Widget',
    singularName: 'widget',
    shortNames: ['wix'],
    categories: ['all'],
    namespaced: true,
  });
  expect(resources[1]).toMatchObject({ group: 'autoscaling', version: 'v1', kind: 'Scale' });
});

test('aggregated', async () => {
  const accept = 'application/json;g=apidiscovery.orch.io;v=v2;as=APIGroupDiscoveryList';
  const { items } = (await json(two, '/apis', accept)) as {
    items: { metadata: JsonObject; versions: JsonObject[] }[];
  };
  const group = items.find(({ metadata }) => metadata['name'] === 'example.com');
  expect(group?.versions.map(({ version }) => version)).toEqual(['v1', 'v1beta1']);
  expect(group?.versions[0]).toMatchObject({
    resources: [{ resource: 'widgets', singularResource: 'widget' }],
  });
});

interface Document {
  readonly paths: Record<
    string,
    Record<string, { consumes?: string[]; requestBody?: { content: JsonObject } }>
  >;
  readonly definitions: Record<string, JsonObject>;
  readonly components: { readonly schemas: Record<string, JsonObject> };
}

test('OpenAPI version 2, in both forms', async () => {
  const document = (await json(two, '/openapi/v2')) as unknown as Document;
  const widget = document.definitions['com.example.v1.Widget'];
  expect(widget).toMatchObject({
    description: 'Widgets are for trying things out.',
    type: 'object',
    properties: { metadata: { $ref: '#/definitions/io.orch.apimachinery.pkg.apis.meta.v1.ObjectMeta' } },
    'x-orch-group-version-kind': [{ group: 'example.com', kind: 'Widget', version: 'v1' }],
  });
  const spec = (widget?.['properties'] as Record<string, { properties: JsonObject }>)['spec']?.properties;
  expect(spec?.['note']).toEqual({ pattern: '^[a-z]*$' });
  expect(spec?.['ports']).toMatchObject({
    'x-kubernetes-list-type': 'map',
    'x-orch-list-map-keys': ['port'],
  });
  const path = document.paths['/apis/example.com/v1/namespaces/{namespace}/widgets/{name}'];
  expect(path?.['patch']?.consumes).toEqual([
    'application/json-patch+json',
    'application/merge-patch+json',
    'application/apply-patch+yaml',
  ]);
  const binary = await two.get('/openapi/v2', {
    accept: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
  });
  expect(binary.status).toBe(200);
  expect(binary.body.includes('com.example.v1.WidgetList')).toBe(true);
});

test('OpenAPI version 3, in both forms', async () => {
  const { paths } = (await json(two, '/openapi/v3')) as {
    paths: Record<string, { serverRelativeURL: string }>;
  };
  const url = paths['apis/example.com/v1']?.serverRelativeURL ?? '';
  const document = (await json(two, url)) as unknown as Document;
  const { schemas } = document.components;
  const spec = (
    schemas['com.example.v1.Widget']?.['properties'] as Record<string, { properties: JsonObject }>
  )['spec'];
  expect(spec?.properties['note']).toEqual({ type: 'string', pattern: '^[a-z]*$', nullable: true });
  expect(Object.keys(schemas)).toContain('io.orch.api.autoscaling.v1.Scale');
  const accept = 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf';
  expect((await two.get(url, { accept })).status).toBe(200);
});

test('a replica that starts later knows them from its first request', async () => {
  await using third = await startReplica({ etcd: pair.etcd, pki: pair.one.pki });
  const { groups } = (await json(third.admin, '/apis')) as unknown as { groups: { name: string }[] };
  expect(groups.map(({ name }) => name)).toContain('example.com');
  expect((await third.admin.get('/apis/example.com/v1/widgets')).status).toBe(200);
});

test('controllers in a process of their own find what is served in no preferred version', async () => {
  const only = { ...widgetVersion, name: 'v1alpha1' };
  await establish(one, definition('sprouts', 'Sprout', { versions: [only] }));
  const { authority, admin } = pair.two.pki;
  const [ca, cert, key] = [authority.ca, admin.cert, admin.key].map((pem) => Buffer.from(pem));
  const transport = new HttpsTransport(
    { server: new URL(pair.two.url), ca, cert, key, token: '' },
    systemEnvironment,
  );
  const client = createHttpsClient(systemEnvironment, transport, namingProfiles.orch);
  const found = await waitFor('the resource is discovered', async () => {
    const resources = await client.discover(AbortSignal.timeout(10_000));
    const own = resources.filter(({ group }) => group === 'example.com');
    return own.length > 1 ? own : undefined;
  });
  transport.close();
  expect(found.map(({ resource, version }) => `${resource} ${version}`)).toEqual([
    'widgets v1',
    'sprouts v1alpha1',
  ]);
});

test('they follow changes and the end of a definition', async () => {
  const path = `${definitions}/widgets.example.com`;
  const hash = async (): Promise<string> =>
    JSON.stringify((await json(one, '/openapi/v3'))['paths']).match(
      /apis\/example.com\/v1\?hash=(\w+)/,
    )?.[1] ?? '';
  const before = await hash();
  const change = [
    { op: 'add', path: '/spec/versions/1/schema/openAPIV3Schema/description', value: 'Otherwise.' },
  ];
  expect((await one.patch(path, 'json', change)).status).toBe(200);
  // A look for something unknown brings the replica up to date.
  await one.get('/apis/example.com/v1/nothing');
  expect(await hash()).not.toBe(before);
  await one.ok('DELETE', path);
  await waitFor('the version is gone', async () => (await one.get('/apis/example.com/v1')).status === 404);
});
