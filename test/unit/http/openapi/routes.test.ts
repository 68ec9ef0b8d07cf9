import { gunzipSync } from 'node:zlib';
import { namingProfiles } from '../../../../src/meta/naming.ts';
import { realCatalogue } from '../../../support/catalogue.ts';
import type { HttpRoom } from '../../../support/http/room.ts';
import { openRoom } from '../../../support/http/room.ts';
import { makeTempFolder } from '../../../support/temp-folder.ts';

const { catalogue, schemas } = realCatalogue(namingProfiles.kubernetes);

describe('OpenAPI routes', () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let room: HttpRoom;

  beforeAll(async () => {
    folder = await makeTempFolder('openapi');
    room = await openRoom(folder.path, { naming: catalogue.naming, catalogue: () => catalogue, schemas });
  });
  afterAll(async () => {
    await room.close();
    await folder.remove();
  });

  async function hashOf(key: string): Promise<string> {
    const { paths } = (await room.ask('/openapi/v3')).json() as {
      paths: Record<string, { serverRelativeURL: string }>;
    };
    const [path, hash = ''] = (paths[key]?.serverRelativeURL ?? '').split('?hash=');
    expect(path).toBe(`/openapi/v3/${key}`);
    return hash;
  }

  test.each([
    ['', 'application/json'],
    ['application/json, */*', 'application/json'],
    ['*/*', 'application/json'],
    [
      'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
      'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
    ],
    [
      'application/com.github.proto-openapi.spec.v2.v1.0+protobuf,application/json;q=0.5',
      'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
    ],
  ])('version 2 for Accept %j is %s', async (accept, type) => {
    const answer = await room.ask('/openapi/v2', { headers: { accept } });
    expect([answer.code, answer.headers['content-type']]).toEqual([200, type]);
    expect(answer.headers.vary).toBe('Accept, Accept-Encoding');
  });

  test('other forms are refused', async () => {
    const answer = await room.ask('/openapi/v2', { headers: { accept: 'text/html' } });
    expect(answer.code).toBe(406);
    expect((await room.ask('/openapi/v2', { method: 'POST' })).code).toBe(405);
    expect((await room.ask('/openapi/v3/apis/nope/v1')).code).toBe(404);
  });

  test('who has a document is not sent it again; compressed for those who ask', async () => {
    const plain = await room.ask('/openapi/v2');
    const { etag = '' } = plain.headers;
    const again = await room.ask('/openapi/v2', { headers: { 'if-none-match': `"other", ${etag}` } });
    expect([again.code, again.text, again.headers.etag]).toEqual([304, '', etag]);
    const packed = await room.ask('/openapi/v2', { headers: { 'accept-encoding': 'gzip' } });
    expect([packed.headers['content-encoding'], packed.headers.etag]).toEqual(['gzip', `W/${etag}`]);
    expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true);
    const stale = await room.ask('/openapi/v2', { headers: { 'if-none-match': '"other"' } });
    expect(stale.code).toBe(200);
  });

  test('a document under its hash is kept for good; an older hash leads to the present one', async () => {
    const hash = await hashOf('api/v1');
    for (const accept of ['application/json', 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf']) {
      const answer = await room.ask(`/openapi/v3/api/v1?hash=${hash}`, { headers: { accept } });
      expect([answer.code, answer.headers['cache-control']]).toEqual([
        200,
        'public, max-age=31536000, immutable',
      ]);
      expect(answer.headers['content-type']).toBe(accept.replace('@', '.'));
      expect(Date.parse(answer.headers.expires ?? '')).toBeGreaterThan(Date.now());
    }
    const older = await room.ask('/openapi/v3/api/v1?hash=ABC');
    expect([older.code, older.headers.location]).toEqual([301, `/openapi/v3/api/v1?hash=${hash}`]);
    const bare = await room.ask('/openapi/v3/api/v1');
    expect([bare.code, bare.headers['cache-control']]).toEqual([200, 'no-cache, private']);
    expect(bare.headers.etag).toBe(`"${hash}"`);
  });

  test.each([
    ['/api/v1/namespaces/{namespace}/pods/{name}', '/api/v1/namespaces/x/pods/a'],
    [
      '/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale',
      '/apis/apps/v1/namespaces/x/deployments/a/scale',
    ],
  ])('a patch names the media types that the server takes: %s', async (described, path) => {
    const { paths } = (await room.ask('/openapi/v2')).json() as {
      paths: Record<string, { patch: { consumes: string[] } }>;
    };
    const words = [
      'json-patch+json',
      'merge-patch+json',
      'strategic-merge-patch+json',
      'apply-patch+yaml',
      'json',
    ];
    const taken = await Promise.all(
      words.map(async (word) => {
        const headers = { 'content-type': `application/${word}` };
        const { code } = await room.ask(path, { method: 'PATCH', headers, body: '"no patch"' });
        return code === 415 ? [] : [`application/${word}`];
      }),
    );
    expect(paths[described]?.patch.consumes).toEqual(taken.flat());
    expect(taken.flat()).toHaveLength(4);
  });

  test('the list of paths has both roots', async () => {
    const { paths } = (await room.ask('/')).json() as { paths: string[] };
    expect(paths).toEqual(expect.arrayContaining(['/openapi/v2', '/openapi/v3']));
  });
});
