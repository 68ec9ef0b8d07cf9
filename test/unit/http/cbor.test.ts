/** CBOR through the HTTP room, with the real catalogue and fake verbs. */
import type { JsonObject } from '../../../src/base/json.ts';
import { decodeCbor } from '../../../src/codec/cbor/decode-cbor.ts';
import { encodeCbor, encodeCborDocument } from '../../../src/codec/cbor/encode-cbor.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { realCatalogue } from '../../support/catalogue.ts';
import { fakeCatalogue } from '../../support/http/fake-catalogue.ts';
import { entryOf } from '../../support/http/fake-verbs.ts';
import { openRoom, type Answer, type HttpRoom } from '../../support/http/room.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';
import { openWebSocket } from '../../support/websocket.ts';

const naming = namingProfiles.kubernetes;
const { catalogue, schemas } = realCatalogue(naming);
const cbor = 'application/cbor';
const sequence = 'application/cbor-seq';
const json = 'application/json';
const maps = '/api/v1/namespaces/x/configmaps';

const map: JsonObject = {
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name: 'a', namespace: 'x', labels: { a: 'ü' }, creationTimestamp: '2024-01-02T03:04:05Z' },
  data: { a: '1', b: '' },
  binaryData: { c: 'AAEC' },
};

function withVersion(object: JsonObject, resourceVersion: string): JsonObject {
  return { ...object, metadata: { ...(object['metadata'] as JsonObject), resourceVersion } };
}

/** The object of an answer, which says what it is. */
function decoded({ bytes, headers }: Pick<Answer, 'bytes' | 'headers'>): JsonObject {
  expect(headers['content-type']).toBe(cbor);
  return documentOf(bytes);
}

function documentOf(bytes: Buffer): JsonObject {
  expect(bytes.subarray(0, 3).toString('hex')).toBe('d9d9f7');
  return decodeCbor(bytes) as JsonObject;
}

/** The data items of a sequence: each event begins alike. */
function eventsOf(bytes: Buffer): { type: string; object: JsonObject }[] {
  const starts: number[] = [];
  const opening = Buffer.from('d9d9f7a24474797065', 'hex');
  for (let at = bytes.indexOf(opening); at >= 0; at = bytes.indexOf(opening, at + 1)) starts.push(at);
  expect(starts[0]).toBe(0);
  return starts.map((start, i) => decodeCbor(bytes.subarray(start, starts[i + 1])) as never);
}

let folder: Awaited<ReturnType<typeof makeTempFolder>>;
let room: HttpRoom;

afterEach(async () => {
  await room.close();
  await folder.remove();
});

async function open(deps: Parameters<typeof openRoom>[1]): Promise<void> {
  folder = await makeTempFolder('cbor');
  room = await openRoom(folder.path, { naming, catalogue: () => catalogue, schemas, ...deps });
}

type Types = Readonly<Record<'sent' | 'accept', string>>;

const send = (
  method: string,
  path: string,
  body: Buffer,
  { sent = cbor, accept = cbor }: Partial<Types> = {},
): Promise<Answer> => room.ask(path, { method, body, headers: { 'content-type': sent, accept } });

describe('with the feature gate', () => {
  beforeEach(() => open({ speaksCbor: true }));

  test('objects make the round trip of create, get and replace', async () => {
    const created = await send('POST', maps, encodeCborDocument(map));
    expect(created.code).toBe(201);
    expect(room.verbs.last.argument).toEqual(map);
    expect(decoded(created)).toEqual(withVersion(map, String(room.verbs.revision)));
    room.verbs.entries = [entryOf(map, 'x/a', 7)];
    const got = await room.ask(`${maps}/a`, { headers: { accept: cbor } });
    expect(decoded(got)).toEqual(withVersion(map, '7'));
    // Bytes go out as bytes.
    expect(got.bytes.includes(Buffer.from('4163d643000102', 'hex'))).toBe(true);
    const replaced = await send('PUT', `${maps}/a`, encodeCbor(map), { accept: json });
    expect([replaced.code, replaced.headers['content-type']]).toEqual([200, json]);
  });

  test.each([
    ['application/cbor', cbor],
    ['application/json;q=0.9,application/cbor;q=1', cbor],
    ['application/cbor;q=0.9,application/json', json],
    ['application/cbor;q=0,*/*', json],
    ['application/cbor;as=Table;g=meta.k8s.io;v=v1,application/json;as=Table;g=meta.k8s.io;v=v1', json],
    ['application/cbor;as=Table;g=meta.k8s.io;v=v1,application/cbor', cbor],
  ])('Accept: %s', async (accept, type) => {
    room.verbs.entries = [entryOf(map, 'x/a', 7)];
    const answer = await room.ask(`${maps}/a`, { headers: { accept } });
    expect([answer.code, answer.headers['content-type']]).toEqual([200, type]);
  });

  test('there are no Tables, and no sequences of one object', async () => {
    for (const accept of [`${cbor};as=Table;g=meta.k8s.io;v=v1`, sequence]) {
      const answer = await room.ask(maps, { headers: { accept } });
      expect(answer.code).toBe(406);
      expect(answer.json()['message']).toContain(cbor);
    }
    const streamed = await send('POST', maps, encodeCborDocument(map), { sent: sequence, accept: json });
    expect(streamed.code).toBe(415);
  });

  test.each([0, 1, 30, 300])('lists of %d', async (count) => {
    room.verbs.entries = Array.from({ length: count }, (_, i) => entryOf(map, `x/a${String(i)}`, i + 1));
    const first = await room.ask('/api/v1/configmaps', { headers: { accept: cbor } });
    const { kind: _kind, apiVersion: _apiVersion, ...item } = map;
    expect(decoded(first)).toEqual({
      ...{ kind: 'ConfigMapList', apiVersion: 'v1' },
      metadata: { resourceVersion: String(room.verbs.revision) },
      items: room.verbs.entries.map((_, i) => withVersion(item, String(i + 1))),
    });
    const again = await room.ask('/api/v1/configmaps', { headers: { accept: cbor } });
    expect(again.bytes.equals(first.bytes)).toBe(true);
  });

  test('metadata alone', async () => {
    room.verbs.entries = [entryOf(map, 'x/a', 7)];
    const as = (kind: string): string => `${cbor};as=${kind};g=meta.k8s.io;v=v1`;
    const one = await room.ask(`${maps}/a`, { headers: { accept: as('PartialObjectMetadata') } });
    const expected = {
      ...{ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' },
      metadata: { name: 'a', namespace: 'x', resourceVersion: '7' },
    };
    expect(decoded(one)).toMatchObject(expected);
    const list = await room.ask(maps, { headers: { accept: as('PartialObjectMetadataList') } });
    expect(decoded(list)).toMatchObject({ kind: 'PartialObjectMetadataList', items: [expected] });
  });

  test('watches are sequences of events, bookmarks and errors', async () => {
    const res = await room.open(`${maps}?watch=1&allowWatchBookmarks=1`, { headers: { accept: cbor } });
    expect(res.headers['content-type']).toBe(sequence);
    const sink = room.verbs.watches.at(-1)?.sink;
    const event = entryOf(map, 'x/a', 9);
    sink?.onItems([
      { type: 'ADDED', event },
      { type: 'DELETED', event },
    ]);
    sink?.onBookmark(10, true);
    sink?.onError(new Error('odd'));
    const chunks: Buffer[] = [];
    res.on('data', (chunk: Buffer) => chunks.push(chunk));
    await waitFor('the end of the watch', () => res.complete);
    const events = eventsOf(Buffer.concat(chunks));
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'DELETED', 'BOOKMARK', 'ERROR']);
    expect(events[0]?.object).toEqual(withVersion(map, '9'));
    expect(events[2]?.object).toMatchObject({ kind: 'ConfigMap', metadata: { resourceVersion: '10' } });
    const { annotations } = events[2]?.object['metadata'] as { annotations: Record<string, string> };
    const blueprint = Buffer.from(annotations['kubernetes.io/initial-events-list-blueprint'] ?? '', 'base64');
    expect(documentOf(blueprint)).toMatchObject({ kind: 'ConfigMapList', items: [] });
    expect(events[3]?.object).toMatchObject({ kind: 'Status', code: 500 });
  });

  test('watches over WebSocket: an event is a message of bytes', async () => {
    const target = { port: room.server.port, ca: room.authority.ca, path: `${maps}?watch=1` };
    const { end } = await openWebSocket({ ...target, headers: { accept: cbor }, protocols: [] });
    const fake = await waitFor('the watch', () => room.verbs.watches.at(-1));
    fake.sink.onItems([{ type: 'ADDED', event: entryOf(map, 'x/a', 9) }]);
    await waitFor('a message', () => end.frames.length === 1);
    expect(end.frames[0]?.opcode).toBe(2);
    expect(eventsOf(end.frames[0]?.data ?? Buffer.alloc(0))).toEqual([
      { type: 'ADDED', object: withVersion(map, '9') },
    ]);
    end.socket.destroy();
  });

  test('configurations are applied', async () => {
    room.verbs.entries = [entryOf(map, 'x/a', 7)];
    const path = `${maps}/a?fieldManager=me&force=true`;
    const type = 'application/apply-patch+cbor';
    const applied = await send('PATCH', path, encodeCborDocument(map), { sent: type });
    expect(applied.code).toBe(200);
    expect(room.verbs.last).toMatchObject({
      verb: 'apply',
      argument: { configuration: map, options: { force: true } },
    });
    const list = await send('PATCH', path, encodeCborDocument([]), { sent: type });
    expect([list.code, decoded(list)['reason']]).toEqual([400, 'BadRequest']);
    const patch = await send('PATCH', path, encodeCborDocument({}), { sent: 'application/merge-patch+cbor' });
    expect(patch.code).toBe(415);
    expect(decoded(patch)['message']).toContain(type);
  });

  test('errors, actions, delete options and discovery', async () => {
    const missing = await room.ask(`${maps}/none`, { headers: { accept: cbor } });
    expect(missing.code).toBe(404);
    expect(decoded(missing)).toMatchObject({ kind: 'Status', reason: 'NotFound', code: 404 });
    const target = { kind: 'Node', name: 'n' };
    const binding = { kind: 'Binding', apiVersion: 'v1', metadata: { name: 'a' }, target };
    const bound = await send('POST', '/api/v1/namespaces/x/pods/a/binding', encodeCbor(binding));
    expect(room.verbs.last.argument).toMatchObject({ target });
    expect(decoded(bound)).toMatchObject({ kind: 'Status', status: 'Success' });
    room.verbs.entries = [entryOf(map, 'x/a', 7)];
    const options = { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 0 };
    const deleted = await send('DELETE', `${maps}/a`, encodeCbor(options));
    expect(room.verbs.last.argument).toMatchObject({ gracePeriodSeconds: 0 });
    expect(decoded(deleted)).toMatchObject({ kind: 'Status', details: { kind: 'configmaps' } });
    for (const path of ['/api', '/api/v1', '/apis', '/apis/apps', '/apis/apps/v1']) {
      const plain = await room.ask(path);
      expect(decoded(await room.ask(path, { headers: { accept: cbor } }))).toEqual(plain.json());
    }
    const form = 'g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    const all = await room.ask('/apis', { headers: { accept: `${cbor};${form}` } });
    expect(all.headers['content-type']).toBe(`${cbor};${form}`);
    const plain = await room.ask('/apis', { headers: { accept: `${json};${form}` } });
    expect(documentOf(all.bytes)).toEqual(plain.json());
  });

  test.each([
    ['nothing', Buffer.alloc(0)],
    ['JSON', Buffer.from('{"kind":"ConfigMap"}')],
    ['a list', encodeCborDocument([1])],
    ['a key given twice', Buffer.from('a2416101416102', 'hex')],
    ['deep nesting', Buffer.from('81'.repeat(60_000), 'hex')],
    ['a length of billions', Buffer.from('bb7fffffffffffffff', 'hex')],
    ['two objects', Buffer.concat([encodeCborDocument(map), encodeCborDocument(map)])],
  ])('a body with %s is a 400', async (_what, body) => {
    for (const query of ['', '?fieldValidation=Ignore']) {
      const answer = await send('POST', `${maps}${query}`, body);
      expect([answer.code, decoded(answer)['reason']]).toEqual([400, 'BadRequest']);
    }
  });

  test('OpenAPI names the media types, and is not written in it', async () => {
    const document = await room.ask('/openapi/v2');
    const paths = document.json()['paths'] as Record<string, Record<string, Record<string, string[]>>>;
    const path = paths['/api/v1/namespaces/{namespace}/configmaps'];
    expect(path?.['get']?.['produces']).toContain(cbor);
    expect(path?.['get']?.['produces']).toContain(sequence);
    const patch = paths['/api/v1/namespaces/{namespace}/configmaps/{name}']?.['patch'];
    expect(patch?.['consumes']).toContain('application/apply-patch+cbor');
    expect((await room.ask('/openapi/v2', { headers: { accept: cbor } })).code).toBe(406);
  });
});

describe('custom resources', () => {
  const custom = fakeCatalogue([{ group: 'example.com', kind: 'Thing', plural: 'things', namespaced: true }]);
  const path = '/apis/example.com/v1/namespaces/x/things';
  const thing = {
    ...{ kind: 'Thing', apiVersion: 'example.com/v1', metadata: { name: 'a', namespace: 'x' } },
    spec: { size: JSON.rawJSON('9007199254740993') as never, ratio: 0.5, parts: [null, true, { a: {} }] },
  };

  beforeEach(() => open({ naming: namingProfiles.orch, catalogue: () => custom, speaksCbor: true }));

  test('are read and written in it, their items with their type', async () => {
    const created = await send('POST', path, encodeCborDocument(thing));
    expect(created.code).toBe(201);
    expect(JSON.stringify(room.verbs.last.argument)).toBe(JSON.stringify(thing));
    room.verbs.entries = [entryOf(thing, 'x/a', 7)];
    const list = await room.ask(path, { headers: { accept: cbor } });
    expect(decoded(list)['items']).toEqual([withVersion(thing, '7')]);
  });
});

describe('without the feature gate', () => {
  beforeEach(() => open({}));

  test('nothing is read or written in it', async () => {
    const refused = await room.ask(maps, { headers: { accept: cbor } });
    expect(refused.code).toBe(406);
    expect(refused.json()['message']).not.toContain(cbor);
    for (const [method, type] of [
      ['POST', cbor],
      ['PATCH', 'application/apply-patch+cbor'],
    ] as const) {
      const name = method === 'POST' ? '' : '/a';
      const sent = await send(method, `${maps}${name}`, encodeCborDocument(map), {
        sent: type,
        accept: json,
      });
      expect(sent.code).toBe(415);
      expect(sent.json()['message']).not.toContain('cbor');
    }
  });
});
