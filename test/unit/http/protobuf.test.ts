/** Protobuf through the HTTP room, with the real catalogue and fake verbs. */
import type { JsonObject } from '../../../src/base/json.ts';
import type { TypeMeta } from '../../../src/codec/protobuf/codec.ts';
import { decodeProtobuf, encodeProtobuf } from '../../../src/codec/protobuf/codec.ts';
import { createWireTypes } from '../../../src/http/wire-types.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { fakeCatalogue } from '../../support/http/fake-catalogue.ts';
import { realCatalogue } from '../../support/catalogue.ts';
import { entryOf } from '../../support/http/fake-verbs.ts';
import type { Answer, HttpRoom } from '../../support/http/room.ts';
import { openRoom } from '../../support/http/room.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

const naming = namingProfiles.kubernetes;
const { catalogue, schemas } = realCatalogue(naming);
const types = createWireTypes(() => catalogue, schemas);
const protobuf = 'application/vnd.kubernetes.protobuf';
const jsonType = 'application/json';

const objects: Record<string, JsonObject> = {
  pods: {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: 'a', namespace: 'x', labels: { a: 'ü' }, creationTimestamp: '2024-01-02T03:04:05Z' },
    spec: {
      containers: [{ name: 'c', image: 'i', resources: { limits: { cpu: '100m' } } }],
      restartPolicy: 'Always',
    },
    status: { phase: 'Pending', startTime: '2024-01-02T03:04:05Z' },
  },
  services: {
    kind: 'Service',
    apiVersion: 'v1',
    metadata: { name: 'a', namespace: 'x' },
    spec: { ports: [{ protocol: 'TCP', port: 80, targetPort: 'http' }], type: 'ClusterIP' },
    status: { loadBalancer: {} },
  },
  configmaps: {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name: 'a', namespace: 'x' },
    data: { a: '1', b: '' },
    binaryData: { c: 'AAEC' },
  },
};

function encoded(object: JsonObject): Buffer {
  const { apiVersion, kind } = object as unknown as TypeMeta;
  const schema = types.find(apiVersion, kind);
  if (!schema) throw new Error(`no type ${kind}`);
  return encodeProtobuf(schema, object);
}

function decoded(bytes: Buffer): JsonObject {
  return decodeProtobuf(bytes, (apiVersion, kind) => types.find(apiVersion, kind));
}

function withVersion(object: JsonObject, resourceVersion: string): JsonObject {
  return { ...object, metadata: { ...(object['metadata'] as JsonObject), resourceVersion } };
}

/** Everything in a document of discovery but metadata, where absent and empty differ. */
function namesIn(items: unknown): unknown[] {
  return (items as JsonObject[]).map(({ metadata, versions }) => [
    (metadata as JsonObject)['name'],
    versions,
  ]);
}

describe('Protobuf', () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let room: HttpRoom;

  beforeAll(async () => {
    folder = await makeTempFolder('protobuf');
    room = await openRoom(folder.path, { naming, catalogue: () => catalogue, schemas });
  });
  afterAll(async () => {
    await room.close();
    await folder.remove();
  });

  const send = (method: string, path: string, body: Buffer, accept = protobuf): Promise<Answer> =>
    room.ask(path, { method, body, headers: { 'content-type': protobuf, accept } });

  test('an envelope that does not say what it holds takes the type of the path', async () => {
    const { apiVersion: _version, kind: _kind, ...untyped } = objects['configmaps'] ?? {};
    const schema = types.find('v1', 'ConfigMap');
    if (!schema) throw new Error('no type ConfigMap');
    const created = await send('POST', '/api/v1/namespaces/x/configmaps', encodeProtobuf(schema, untyped));
    expect(created.code).toBe(201);
    expect(room.verbs.last.argument).toEqual(objects['configmaps']);
  });

  test.each(Object.entries(objects))(
    '%s make the round trip of create, get and replace',
    async (plural, object) => {
      const collection = `/api/v1/namespaces/x/${plural}`;
      const created = await send('POST', collection, encoded(object));
      expect([created.code, created.headers['content-type']]).toEqual([201, protobuf]);
      expect(room.verbs.last.argument).toEqual(object);
      expect(decoded(created.bytes)).toEqual(withVersion(object, String(room.verbs.revision)));

      room.verbs.entries = [entryOf(object, 'x/a', 7)];
      const accept = `${protobuf},${jsonType}`;
      const got = await room.ask(`${collection}/a`, { headers: { accept } });
      expect(got.headers['content-type']).toBe(protobuf);
      expect(decoded(got.bytes)).toEqual(withVersion(object, '7'));
      const preferred = await room.ask(`${collection}/a`, {
        headers: { accept: `${protobuf};q=0.5,${jsonType}` },
      });
      expect(preferred.json()).toEqual(withVersion(object, '7'));

      const replaced = await send('PUT', `${collection}/a`, encoded(object), jsonType);
      expect([replaced.code, replaced.headers['content-type']]).toEqual([200, jsonType]);
    },
  );

  test('patches are answered in it', async () => {
    room.verbs.entries = [entryOf(objects['configmaps'] ?? {}, 'x/a', 7)];
    const answer = await room.ask('/api/v1/namespaces/x/configmaps/a', {
      method: 'PATCH',
      headers: { accept: protobuf, 'content-type': 'application/merge-patch+json' },
      body: '{"data":{"a":"2"}}',
    });
    expect(decoded(answer.bytes)).toMatchObject({ kind: 'ConfigMap', data: { a: '2', b: '' } });
  });

  test.each([0, 1, 300])('lists of %d', async (count) => {
    const object = objects['pods'] ?? {};
    const list = Array.from({ length: count }, (_, i) => entryOf(object, `x/a${i}`, i + 1));
    room.verbs.entries = list;
    const first = await room.ask('/api/v1/pods', { headers: { accept: protobuf } });
    const { items, ...head } = decoded(first.bytes);
    expect(head).toEqual({
      kind: 'PodList',
      apiVersion: 'v1',
      metadata: { resourceVersion: String(room.verbs.revision) },
    });
    const { kind: _kind, apiVersion: _apiVersion, ...item } = object;
    expect(items ?? []).toEqual(list.map((_, i) => withVersion(item, String(i + 1))));
    const again = await room.ask('/api/v1/pods', { headers: { accept: protobuf } });
    expect(again.bytes.equals(first.bytes)).toBe(true);
  });

  test('metadata alone', async () => {
    room.verbs.entries = [entryOf(objects['pods'] ?? {}, 'x/a', 7)];
    const accept = `${protobuf};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1`;
    const list = await room.ask('/api/v1/pods', { headers: { accept } });
    expect(decoded(list.bytes)).toMatchObject({
      kind: 'PartialObjectMetadataList',
      apiVersion: 'meta.k8s.io/v1',
      items: [{ metadata: { name: 'a', resourceVersion: '7', labels: { a: 'ü' } } }],
    });
    const old = await room.ask('/api/v1/pods', { headers: { accept: accept.replace('v=v1', 'v=v1beta1') } });
    const schema = schemas.get('meta/v1beta1.PartialObjectMetadataList');
    expect(decodeProtobuf(old.bytes, () => schema)).toMatchObject({
      metadata: { resourceVersion: String(room.verbs.revision) },
      items: [{ metadata: { name: 'a' } }],
    });
  });

  test('metadata alone, of one or of many as the answer is', async () => {
    room.verbs.entries = [entryOf(objects['pods'] ?? {}, 'x/a', 7)];
    const ask = (path: string, as: string): Promise<Answer> =>
      room.ask(path, { headers: { accept: `${protobuf};as=${as};g=meta.k8s.io;v=v1` } });
    const [one, many] = ['PartialObjectMetadata', 'PartialObjectMetadataList'];
    const codes = await Promise.all([
      ...[ask('/api/v1/pods', one), ask('/api/v1/namespaces/x/pods/a', many)],
      ...[ask('/api/v1/pods?watch=1&timeoutSeconds=1', many), ask('/api/v1/namespaces/x/pods/a', one)],
    ]);
    expect(codes.map(({ code }) => code)).toEqual([406, 406, 406, 200]);
  });

  test('there are no tables in it: the next form is taken', async () => {
    room.verbs.entries = [entryOf(objects['pods'] ?? {}, 'x/a', 7)];
    const table = `${protobuf};as=Table;g=meta.k8s.io;v=v1`;
    const answer = await room.ask('/api/v1/pods', { headers: { accept: `${table},${jsonType}` } });
    expect(answer.headers['content-type']).toBe(jsonType);
    expect((await room.ask('/api/v1/pods', { headers: { accept: table } })).code).toBe(406);
  });

  test('watches: frames of events, bookmarks and errors', async () => {
    const accept = `${protobuf};stream=watch`;
    const res = await room.open('/api/v1/pods?watch=1&allowWatchBookmarks=1', { headers: { accept } });
    expect(res.headers['content-type']).toBe(`${protobuf};stream=watch`);
    const sink = room.verbs.watches.at(-1)?.sink;
    const event = entryOf(objects['pods'] ?? {}, 'x/a', 9);
    sink?.onItems([{ type: 'ADDED', event }]);
    sink?.onBookmark(10, true);
    sink?.onError(new Error('odd'));
    const chunks: Buffer[] = [];
    res.on('data', (chunk: Buffer) => chunks.push(chunk));
    await waitFor('the end of the watch', () => res.complete);
    const events = framesOf(Buffer.concat(chunks));
    expect(events.map((e) => e.type)).toEqual(['ADDED', 'BOOKMARK', 'ERROR']);
    expect(events[0]?.object).toEqual(withVersion(objects['pods'] ?? {}, '9'));
    expect(events[1]?.object).toMatchObject({
      kind: 'Pod',
      metadata: { resourceVersion: '10', annotations: { 'k8s.io/initial-events-end': 'true' } },
    });
    const { annotations } = events[1]?.object['metadata'] as { annotations: Record<string, string> };
    const blueprint = Buffer.from(annotations['kubernetes.io/initial-events-list-blueprint'] ?? '', 'base64');
    expect(decoded(blueprint)).toMatchObject({ kind: 'PodList', apiVersion: 'v1' });
    expect(events[2]?.object).toMatchObject({ kind: 'Status', code: 500 });
  });

  test('errors, actions and discovery', async () => {
    room.verbs.entries = [];
    const missing = await room.ask('/api/v1/namespaces/x/pods/none', { headers: { accept: protobuf } });
    expect([missing.code, missing.headers['content-type']]).toEqual([404, protobuf]);
    expect(decoded(missing.bytes)).toMatchObject({ kind: 'Status', reason: 'NotFound', code: 404 });
    const target = { kind: 'Node', name: 'n' };
    const binding = { kind: 'Binding', apiVersion: 'v1', metadata: { name: 'a' }, target };
    const bound = await send('POST', '/api/v1/namespaces/x/pods/a/binding', encoded(binding));
    expect(room.verbs.last.argument).toMatchObject({ target });
    expect(decoded(bound.bytes)).toMatchObject({ kind: 'Status', status: 'Success' });
    for (const path of ['/api', '/api/v1', '/apis', '/apis/apps']) {
      const answer = await room.ask(path, { headers: { accept: protobuf } });
      const plain = await room.ask(path);
      expect(decoded(answer.bytes)['kind']).toBe(plain.json()['kind']);
    }
  });

  test.each(['v2', 'v2beta1'])('all of discovery in one document of %s', async (version) => {
    const form = `g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
    for (const path of ['/api', '/apis']) {
      const answer = await room.ask(path, { headers: { accept: `${protobuf};${form},${jsonType}` } });
      expect(answer.headers['content-type']).toBe(`${protobuf};${form}`);
      const plain = await room.ask(path, { headers: { accept: `${jsonType};${form}` } });
      expect(plain.headers['content-type']).toBe(`${jsonType};${form}`);
      const { apiVersion, items } = decoded(answer.bytes);
      expect(apiVersion).toBe(`apidiscovery.k8s.io/${version}`);
      expect(namesIn(items)).toEqual(namesIn(plain.json()['items'] as JsonObject[]));
    }
  });

  test.each(['v1', 'apps/v1'])('delete options as those of %s', async (apiVersion) => {
    room.verbs.entries = [entryOf(objects['pods'] ?? {}, 'x/a', 7)];
    const options = { kind: 'DeleteOptions', apiVersion, gracePeriodSeconds: 0, propagationPolicy: 'Orphan' };
    const answer = await send('DELETE', '/api/v1/namespaces/x/configmaps/a', encoded(options));
    expect(answer.code).toBe(200);
    expect(room.verbs.last.argument).toMatchObject({ gracePeriodSeconds: 0, propagationPolicy: 'Orphan' });
    expect(decoded(answer.bytes)).toMatchObject({ kind: 'Status', details: { kind: 'configmaps' } });
  });

  test.each([
    ['no magic', Buffer.from('{}')],
    ['nothing', Buffer.alloc(0)],
    ['cut off', encoded(objects['pods'] ?? {}).subarray(0, 60)],
  ])('a body with %s is a 400', async (_what, body) => {
    const answer = await send('POST', '/api/v1/namespaces/x/pods', body);
    expect(answer.code).toBe(400);
    expect(decoded(answer.bytes)).toMatchObject({ reason: 'BadRequest' });
  });
});

describe('resources without a Protobuf form', () => {
  test('refuse it, and say so in it', async () => {
    const folder = await makeTempFolder('no-protobuf');
    const custom = fakeCatalogue([
      { group: 'example.com', kind: 'Thing', plural: 'things', namespaced: true },
    ]);
    const room = await openRoom(folder.path, { catalogue: () => custom, schemas });
    const path = '/apis/example.com/v1/namespaces/x/things';
    const accept = 'application/vnd.orch.protobuf';
    const refused = await room.ask(path, { headers: { accept } });
    expect([refused.code, refused.headers['content-type']]).toEqual([406, accept]);
    expect(decoded(refused.bytes)).toMatchObject({ reason: 'NotAcceptable' });
    const body = Buffer.from('k8s\u0000');
    const sent = await room.ask(path, { method: 'POST', body, headers: { 'content-type': accept } });
    expect(sent.code).toBe(415);
    await room.close();
    await folder.remove();
  });
});

interface Frame {
  readonly type: string;
  readonly object: JsonObject;
}

/** Four bytes of length, then a WatchEvent: type=1, object=2 with raw=1. */
function framesOf(bytes: Buffer): Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = at + 4 + bytes.readUInt32BE(at);
    const event = bytes.subarray(at + 4, end);
    const typeLength = event[1] ?? 0;
    const magic = event.indexOf('k8s\u0000');
    frames.push({
      type: event.toString('utf8', 2, 2 + typeLength),
      object: decoded(event.subarray(magic)),
    });
    at = end;
  }
  return frames;
}
