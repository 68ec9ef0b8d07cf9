/**
 * Every kind that is stored, in every version that can be switched on, in every representation, over HTTPS: one object,
 * one uid and one resourceVersion; what is read in a version and written back in it changes nothing.
 */
import { isObject, textOf, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { decodeProtobuf, encodeProtobuf, type TypeMeta } from '../../../src/codec/protobuf/codec.ts';
import { decodeYaml } from '../../../src/codec/yaml.ts';
import { createWireTypes } from '../../../src/http/wire-types.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import type { ServedResource } from '../../../src/registry/types.ts';
import type { Schema } from '../../../src/schema/types.ts';
import { realCatalogue } from '../../support/catalogue.ts';
import type { Answer } from '../../support/client.ts';
import { startEtcdCluster, type EtcdCluster } from '../../support/etcd/cluster.ts';
import { startReplica, type Replica } from '../../support/replica.ts';
import { waitFor } from '../../support/wait-for.ts';
import { sampleOf } from '../../support/samples.ts';

const naming = namingProfiles.orch;
const { catalogue, schemas } = realCatalogue(naming);
const types = createWireTypes(() => catalogue, schemas);
const protobuf = 'application/vnd.orch.protobuf';

const resources = catalogue
  .groups()
  .flatMap(({ versions }) => versions.flatMap((version) => version.resources))
  .filter(({ definition }) => definition.virtual !== true && definition.verbs.includes('create'));
const collections = [...new Set(resources.map(({ storage }) => storage.collection))];

let etcd: EtcdCluster;
let replica: Replica;
let checked = 0;

beforeAll(async () => {
  etcd = await startEtcdCluster({ how: 'process' });
  const args = [
    '--runtime-config=api/all=true',
    '--controllers=-namespace,-garbagecollector',
    '--disable-admission-plugins=ServiceAccount',
  ];
  replica = await startReplica({ etcd, args });
});
afterAll(async () => {
  process.stderr.write(
    `${String(collections.length)} kinds in ${String(resources.length)} versions, ${String(checked)} representations\n`,
  );
  await replica.close();
  await etcd.close();
});

function pathOf({ gvr, namespaced }: ServedResource): string {
  const root = gvr.group === '' ? `/api/${gvr.version}` : `/apis/${gvr.group}/${gvr.version}`;
  return `${root}${namespaced ? '/namespaces/default' : ''}/${gvr.resource}`;
}

async function get(path: string, accept: string): Promise<Answer> {
  const answer = await replica.admin.get(path, { accept });
  if (answer.status !== 200) throw new Error(`GET ${path} as ${accept}: ${answer.text}`);
  checked += 1;
  return answer;
}

function fromProtobuf(bytes: Buffer): JsonObject {
  return decodeProtobuf(bytes, (apiVersion, kind) => types.find(apiVersion, kind));
}

/** What Protobuf cannot say: whether an empty list or map was there. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value ?? undefined;
  const members = Object.entries(value).map(([key, member]) => [key, withoutEmpty(member)] as const);
  const given = members.filter(([, member]) => member !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/** Paths of structs whose members do not stand in the order of their type. */
function outOfOrder(schema: Schema, value: JsonValue | undefined, path: string): string[] {
  if (schema.type === 'list' && Array.isArray(value)) {
    return value.flatMap((item) => outOfOrder(schema.items, item, `${path}[]`));
  }
  if (!isObject(value)) return [];
  if (schema.type === 'map') {
    return Object.values(value).flatMap((item) => outOfOrder(schema.values, item, `${path}[]`));
  }
  if (schema.type !== 'struct') return [];
  const names = [...schema.fields.keys()];
  const places = Object.keys(value).map((key) => names.indexOf(key));
  const isOrdered = places.every((place, i) => place > (places[i - 1] ?? -1));
  const below = [...schema.fields].flatMap(([name, field]) =>
    outOfOrder(field.schema, value[name], `${path}.${name}`),
  );
  return isOrdered ? below : [`${path}: ${Object.keys(value).join()}`, ...below];
}

async function created(collection: string): Promise<JsonObject> {
  const own = resources.find(
    ({ storage, conversion }) => conversion.isInternal && storage.collection === collection,
  );
  const first = own ?? resources.find(({ storage }) => storage.collection === collection);
  const sample = await sampleOf(collection);
  if (!first || !sample) throw new Error(`no sample of ${collection}`);
  const object = await replica.admin.ok('POST', pathOf(first), sample);
  return settled(`${pathOf(first)}/${object.metadata.name}`);
}

/** The service itself tells the state of some kinds when it has seen them: by kind, what it says last. */
const lastConditions = new Map([
  ['CustomResourceDefinition', 'Established True'],
  // The level that the sample names is not there.
  ['FlowSchema', 'Dangling True'],
]);

async function settled(path: string): Promise<JsonObject> {
  return waitFor(`${path} to be at rest`, async () => {
    const object = (await replica.admin.get(path)).json() as unknown as JsonObject;
    const { conditions } = (object['status'] ?? {}) as { conditions?: JsonObject[] };
    const last = lastConditions.get(textOf(object['kind']));
    const isBusy =
      last !== undefined &&
      !conditions?.some(({ type, status }) => last === `${textOf(type)} ${textOf(status)}`);
    return isBusy ? undefined : object;
  });
}

describe.each(collections)('%s', (collection) => {
  const versions = resources.filter(({ storage }) => storage.collection === collection);
  let metadata: Record<string, unknown>;

  beforeAll(async () => {
    metadata = (await created(collection))['metadata'] as Record<string, unknown>;
  });

  test.each(versions.map((resource) => [`${resource.gvr.group}/${resource.gvr.version}`, resource] as const))(
    '%s',
    async (_version, resource) => {
      const path = `${pathOf(resource)}/${String(metadata['name'])}`;
      const { group, version, kind } = resource.gvk;
      const apiVersion = group === '' ? version : `${group}/${version}`;
      const { uid, resourceVersion } = metadata;

      const json = (await get(path, 'application/json')).json() as unknown as JsonObject;
      expect(json).toMatchObject({ kind, apiVersion, metadata: { uid, resourceVersion } });
      expect(decodeYaml((await get(path, 'application/yaml')).body)).toEqual(json);
      const message = fromProtobuf((await get(path, protobuf)).body);
      expect(withoutEmpty(message)).toEqual(withoutEmpty(json));
      for (const v of ['v1', 'v1beta1']) {
        const as = `g=meta.orch.io;v=${v}`;
        const part = (await get(path, `application/json;as=PartialObjectMetadata;${as}`)).json();
        expect(part).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { uid, resourceVersion } });
        const table = (await get(path, `application/json;as=Table;${as}`)).json() as unknown as JsonObject;
        const { columns } = resource.definition;
        expect(table['columnDefinitions']).toHaveLength(columns.length);
        expect(table['rows']).toMatchObject([{ object: { metadata: { uid } } }]);
        expect((table['rows'] as JsonObject[])[0]?.['cells']).toHaveLength(columns.length);
        expect(JSON.stringify(table)).not.toContain('<invalid>');
      }
      const list = (await get(`${pathOf(resource)}?labelSelector=app%3Dweb`, protobuf)).body;
      expect(withoutEmpty((fromProtobuf(list)['items'] as JsonObject[])[0])).toMatchObject({
        metadata: { uid },
      });
      await itemsLackType(resource, json);
      expect(outOfOrder(resource.schema, json, '')).toEqual([]);
      await watchTells(resource, json);
      await writtenBack(path, json, message);
    },
  );

  async function itemsLackType(resource: ServedResource, json: JsonObject): Promise<void> {
    const { kind: _kind, apiVersion: _apiVersion, ...item } = json;
    const listPath = `${pathOf(resource)}?labelSelector=app%3Dweb`;
    const list = await get(listPath, 'application/json');
    expect(list.json()).toMatchObject({ kind: resource.listKind, apiVersion: json['apiVersion'] });
    expect((list.json() as unknown as { items: unknown[] }).items).toEqual([item]);
    // At the same version: the service itself may write meanwhile.
    const { resourceVersion } = list.json().metadata;
    const then = `${listPath}&resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`;
    expect(decodeYaml((await get(then, 'application/yaml')).body)).toEqual(list.json());
  }

  /** From the state before anything: the object comes first. */
  async function watchTells(resource: ServedResource, json: JsonObject): Promise<void> {
    const stream = await replica.admin.watch(`${pathOf(resource)}?labelSelector=app%3Dweb&timeoutSeconds=30`);
    const event = await stream.next();
    stream.close();
    expect(event).toEqual({ type: 'ADDED', object: json });
    checked += 1;
  }

  async function writtenBack(path: string, json: JsonObject, message: JsonObject): Promise<void> {
    const { apiVersion, kind } = json as unknown as TypeMeta;
    const type = types.find(apiVersion, kind);
    if (!type) throw new Error('no type');
    const bodies: [string, string | Buffer][] = [
      ['application/json', JSON.stringify(json)],
      [protobuf, encodeProtobuf(type, message)],
    ];
    for (const [contentType, body] of bodies) {
      const answer = await replica.admin.put(path, body, { 'content-type': contentType });
      expect(answer.status === 200 ? answer.json() : answer.text).toEqual(json);
      checked += 1;
    }
  }
});
