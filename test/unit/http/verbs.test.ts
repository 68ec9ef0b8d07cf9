import { gunzipSync } from 'node:zlib';
import type { HttpRoom } from '../../support/http/room.ts';
import { openRoom } from '../../support/http/room.ts';
import { entryOf, podEntry } from '../../support/http/fake-verbs.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const json = { 'content-type': 'application/json' };
const pods = '/api/v1/namespaces/x/pods';

describe('verbs over HTTP', () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let room: HttpRoom;

  beforeAll(async () => {
    folder = await makeTempFolder('verbs');
    room = await openRoom(folder.path);
  });

  afterAll(async () => {
    await room.close();
    await folder.remove();
  });

  beforeEach(() => {
    room.verbs.entries = [podEntry('a', 7), podEntry('b', 8)];
    room.verbs.calls.length = 0;
    room.verbs.removed = true;
    room.verbs.revision = 1000;
  });

  describe('routing', () => {
    test.each([
      ['GET', '/api/v1/random', 404, 'Status'],
      ['GET', '/api/v1/namespaces/x/random/y', 404, 'Status'],
      ['GET', '/apis/nope/v1/things', 404, 'page'],
      ['GET', '/apis/apps/v9/deployments', 404, 'page'],
      ['GET', '/api/v2/pods', 404, 'page'],
      ['GET', '/nope', 404, 'page'],
      ['GET', '/api/v1/pods/a', 404, 'Status'],
      ['GET', '/api/v1/namespaces/x/nodes', 404, 'Status'],
      ['GET', `${pods}/a/nope`, 404, 'Status'],
      ['GET', `${pods}/a/status/deeper`, 404, 'Status'],
      ['GET', `${pods}//status`, 404, 'Status'],
      ['GET', '/api/v1/namespaces//pods', 404, 'Status'],
      ['DELETE', '/api/v1/namespaces//pods', 404, 'Status'],
      ['DELETE', `${pods}?labelSelector=%ff`, 400, 'Status'],
      ['DELETE', `${pods}?fieldSelector=%zz`, 400, 'Status'],
      ['GET', '/metrics#x', 400, 'Status'],
      ['POST', '/api/v1/pods', 405, 'Status'],
      ['DELETE', '/api/v1/pods', 405, 'Status'],
      ['POST', `${pods}/a`, 405, 'Status'],
      ['PUT', pods, 405, 'Status'],
      ['PATCH', pods, 405, 'Status'],
      ['POST', `${pods}/a/status`, 405, 'Status'],
      ['GET', `${pods}/a/binding`, 405, 'Status'],
      ['DELETE', `${pods}/a/status`, 405, 'Status'],
      ['OPTIONS', `${pods}/a`, 405, 'Status'],
      ['POST', '/api/v1/watch/pods', 405, 'Status'],
      ['GET', '/api/v1/namespaces/x/bindings', 405, 'Status'],
      ['POST', '/version', 405, 'Status'],
    ])('%s %s is a %d', async (method, path, code, form) => {
      const answer = await room.ask(path, { method, headers: json, ...(method !== 'GET' && { body: '{}' }) });
      expect(answer.code).toBe(code);
      if (form === 'page') {
        expect(answer.text).toBe('404 page not found\n');
        expect(answer.headers['content-type']).toContain('text/plain');
      } else expect(answer.json()).toMatchObject({ kind: 'Status', status: 'Failure', code });
      expect(room.verbs.calls).toHaveLength(0);
    });

    test('HEAD is not served for resources', async () => {
      expect((await room.ask(`${pods}/a`, { method: 'HEAD' })).code).toBe(405);
    });

    test('a namespace is found by its own path', async () => {
      room.verbs.entries = [
        entryOf({ kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'x' } }, '/x', 3),
      ];
      expect((await room.ask('/api/v1/namespaces/x')).code).toBe(200);
      expect(room.verbs.last).toMatchObject({ verb: 'get', name: 'x', scope: { namespace: '' } });
    });
  });

  describe('reads', () => {
    test('get answers the stored bytes with the resource version', async () => {
      const answer = await room.ask(`${pods}/a?resourceVersion=5`);
      expect(answer.code).toBe(200);
      expect(answer.headers['content-type']).toBe('application/json');
      expect(answer.text.endsWith('}\n')).toBe(true);
      expect(answer.json()).toMatchObject({ kind: 'Pod', metadata: { name: 'a', resourceVersion: '7' } });
      expect(room.verbs.last).toMatchObject({
        argument: { resourceVersion: '5' },
        scope: { namespace: 'x', subresource: '', dryRun: false },
      });
    });

    test('get of a subresource keeps the name of it', async () => {
      await room.ask(`${pods}/a/status`);
      expect(room.verbs.last.scope.subresource).toBe('status');
    });

    test('list passes its query on', async () => {
      const answer = await room.ask(
        `${pods}?limit=2&labelSelector=a%3Db&fieldSelector=x!%3Dy&resourceVersion=3&resourceVersionMatch=Exact&continue=t`,
      );
      expect(answer.json()).toMatchObject({
        kind: 'PodList',
        apiVersion: 'v1',
        metadata: { resourceVersion: '1000' },
        items: [{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }],
      });
      expect(room.verbs.last.argument).toEqual({
        labelSelector: 'a=b',
        fieldSelector: 'x!=y',
        resourceVersion: '3',
        resourceVersionMatch: 'Exact',
        limit: 2,
        continue: 't',
      });
    });

    const malformed =
      'limit=x limit=1.5 limit=1e3 timeoutSeconds=abc watch=1&timeoutSeconds=x watch=1&timeoutSeconds=-1';
    test.each(malformed.split(' '))('a malformed number is a 400: %s', async (query) => {
      const answer = await room.ask(`${pods}?${query}`);
      expect(answer.code).toBe(400);
      expect(answer.json()).toMatchObject({ reason: 'BadRequest' });
    });

    test('a large list is sent with its length, all of it', async () => {
      room.verbs.entries = Array.from({ length: 300 }, (_, i) => podEntry(`p${String(i)}`, i + 1, 5_000));
      const answer = await room.ask(pods);
      expect(answer.headers['content-length']).toBe(String(answer.bytes.length));
      expect(answer.bytes.length).toBeGreaterThan(1_500_000);
      const items = answer.json()['items'] as { metadata: { resourceVersion: string } }[];
      expect(items.map((i) => i.metadata.resourceVersion)).toEqual(items.map((_, i) => String(i + 1)));
    });

    test('a large list is compressed for those who ask, a small one is not', async () => {
      const headers = { 'accept-encoding': 'br, gzip;q=0.5' };
      expect((await room.ask(pods, { headers })).headers['content-encoding']).toBeUndefined();
      room.verbs.entries = Array.from({ length: 300 }, (_, i) => podEntry(`p${String(i)}`, i + 1, 5_000));
      const answer = await room.ask(pods, { headers });
      expect(answer.headers['content-encoding']).toBe('gzip');
      const plain = JSON.parse(gunzipSync(answer.bytes).toString()) as { items: unknown[] };
      expect(plain.items).toHaveLength(300);
      const refused = await room.ask(pods, { headers: { 'accept-encoding': 'gzip;q=0' } });
      expect(refused.headers['content-encoding']).toBeUndefined();
    });

    test('nothing is compressed where the gate is off', async () => {
      const plain = await openRoom(folder.path, { compresses: false });
      plain.verbs.entries = Array.from({ length: 300 }, (_, i) => podEntry(`p${String(i)}`, i + 1, 5_000));
      const { headers } = await plain.ask(pods, { headers: { 'accept-encoding': 'gzip' } });
      expect(headers['content-encoding']).toBeUndefined();
      await plain.close();
    });

    test('an empty list has an empty items member', async () => {
      room.verbs.entries = [];
      expect((await room.ask(pods)).json()['items']).toEqual([]);
      expect((await room.ask(`${pods}?pretty=1`)).json()['items']).toEqual([]);
      const yaml = await room.ask(pods, { headers: { accept: 'application/yaml' } });
      expect(yaml.text).toContain('items: []');
    });
  });

  describe('writes', () => {
    const body = JSON.stringify({ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'new' } });

    test('create is 201 with the object', async () => {
      const answer = await room.ask(pods, {
        method: 'POST',
        body,
        headers: { ...json, 'user-agent': 'kubectl/v1 (x)' },
      });
      expect(answer.code).toBe(201);
      expect(answer.json()).toMatchObject({
        metadata: { name: 'new', resourceVersion: expect.stringMatching(/\d+/) as string },
      });
      expect(room.verbs.last.scope).toMatchObject({ fieldManager: 'kubectl', dryRun: false, namespace: 'x' });
    });

    test('a dry run says so to the verb and has no resource version', async () => {
      const answer = await room.ask(`${pods}?dryRun=All&fieldManager=me`, {
        method: 'POST',
        body,
        headers: json,
      });
      expect(answer.code).toBe(201);
      expect(answer.json()['metadata']).toEqual({ name: 'new' });
      expect(room.verbs.last.scope).toMatchObject({ dryRun: true, fieldManager: 'me' });
    });

    test.each(['', '{', '[]', '"x"', 'null', '{"a":1}{'])(
      'a body that is no object is a 400: %s',
      async (text) => {
        const answer = await room.ask(pods, { method: 'POST', body: text, headers: json });
        expect(answer.code).toBe(400);
        expect(room.verbs.calls).toHaveLength(0);
      },
    );

    test('YAML bodies are read', async () => {
      const answer = await room.ask(pods, {
        method: 'POST',
        body: 'metadata:\n  name: web\n',
        headers: { 'content-type': 'application/yaml' },
      });
      expect(answer.code).toBe(201);
      expect(room.verbs.last.argument).toEqual({ metadata: { name: 'web' } });
    });

    test('replace is 200, or 201 when it created', async () => {
      expect((await room.ask(`${pods}/a`, { method: 'PUT', body, headers: json })).code).toBe(200);
      expect((await room.ask(`${pods}/zzz`, { method: 'PUT', body, headers: json })).code).toBe(201);
    });

    test.each([
      ['application/json-patch+json', '[{"op":"add","path":"/spec/z","value":1}]', { z: 1 }],
      ['application/merge-patch+json', '{"spec":{"z":2}}', { z: 2 }],
      ['application/merge-patch+json; charset=utf-8', '{"spec":{"z":2}}', { z: 2 }],
      ['application/strategic-merge-patch+json', '{"spec":{"z":3}}', { z: 3 }],
    ])('a patch of type %s is applied', async (type, patch, spec) => {
      const answer = await room.ask(`${pods}/a`, {
        method: 'PATCH',
        body: patch,
        headers: { 'content-type': type },
      });
      expect(answer.code).toBe(200);
      expect(answer.json()).toMatchObject({ spec });
    });

    test.each([
      ['application/json', '{}', 415],
      ['application/apply-patch+yaml', '{}', 422],
      ['application/json-patch+json', '{}', 400],
      ['application/json-patch+json', '[{"op":"fly","path":"/a"}]', 400],
      ['application/json-patch+json', '[{"op":"test","path":"/spec","value":1}]', 422],
      ['application/json-patch+json', '[{"op":"replace","path":"","value":1}]', 422],
      ['application/merge-patch+json', '[]', 400],
      ['application/merge-patch+json', '', 400],
      ['application/merge-patch+json', '{', 400],
    ])('a patch of type %s with body %s is a %d', async (type, patch, code) => {
      const answer = await room.ask(`${pods}/a`, {
        method: 'PATCH',
        body: patch,
        headers: { 'content-type': type },
      });
      expect(answer.code).toBe(code);
    });

    const apply = (query: string, body: string, agent = 'x/1'): ReturnType<HttpRoom['ask']> =>
      room.ask(`${pods}/a${query}`, {
        method: 'PATCH',
        body,
        headers: { 'content-type': 'application/apply-patch+yaml', 'user-agent': agent },
      });

    test('an apply takes YAML, its manager and force', async () => {
      const answer = await apply('?fieldManager=m&force=true', 'kind: Pod\nspec: {z: 1}\n');
      expect(answer.code).toBe(200);
      expect(room.verbs.last).toMatchObject({
        verb: 'apply',
        name: 'a',
        scope: { fieldManager: 'm' },
        argument: { configuration: { kind: 'Pod', spec: { z: 1 } }, options: { force: true } },
      });
      expect((await apply('?fieldManager=m&force=false', '{"kind":"Pod"}')).code).toBe(200);
      expect(room.verbs.last).toMatchObject({ argument: { options: { force: false } } });
    });

    test.each([
      ['', '{}', 422, /fieldManager: Required value/],
      ['?fieldManager=', '{}', 422, /fieldManager: Required value/],
      [`?fieldManager=${'m'.repeat(129)}`, '{}', 422, /Too long/],
      ['?fieldManager=a%00b', '{}', 422, /printable/],
      ['?fieldManager=m', '- a', 400, /object/],
      ['?fieldManager=m', 'a: [', 400, /YAML/],
    ])('an apply with query %j and body %j is a %d', async (query, body, code, text) => {
      const answer = await apply(query, body);
      expect(answer.code).toBe(code);
      expect(answer.json()).toMatchObject({ message: expect.stringMatching(text) as string });
    });

    test('force belongs to apply only', async () => {
      const headers = { 'content-type': 'application/merge-patch+json' };
      expect((await room.ask(`${pods}/a?force=true`, { method: 'PATCH', body: '{}', headers })).code).toBe(
        422,
      );
    });

    test('actions and virtual resources answer 201', async () => {
      expect(
        (await room.ask(`${pods}/a/binding`, { method: 'POST', body: '{"target":{}}', headers: json })).code,
      ).toBe(201);
      expect(room.verbs.last).toMatchObject({ verb: 'act create', name: 'a', argument: { target: {} } });
      expect(
        (await room.ask('/api/v1/namespaces/x/bindings', { method: 'POST', body: '{}', headers: json })).code,
      ).toBe(201);
      expect(room.verbs.last).toMatchObject({ verb: 'act create', name: '' });
    });

    test('a deprecated version warns with its replacement and sets the gauge', async () => {
      room.verbs.entries = [
        entryOf({ kind: 'Deployment', apiVersion: 'apps/v1', metadata: { name: 'd' } }, 'x/d', 4),
      ];
      const answer = await room.ask('/apis/apps/v1beta1/namespaces/x/deployments/d');
      expect(answer.headers['warning']).toBe(
        '299 - "apps/v1beta1 Deployment is deprecated in v1.20+, unavailable in v1.25+; use apps/v1 Deployment"',
      );
      expect(answer.json()).toMatchObject({ apiVersion: 'apps/v1beta1', metadata: { resourceVersion: '4' } });
      expect(await room.metrics.text()).toContain(
        'apiserver_requested_deprecated_apis{group="apps",version="v1beta1",resource="deployments",subresource="",removed_release="1.25"} 1',
      );
    });
  });

  describe('deletes', () => {
    test('a removed object is a Status with its uid, or itself where its kind says so', async () => {
      const status = await room.ask(`${pods}/a`, { method: 'DELETE' });
      expect(status.code).toBe(200);
      expect(status.json()).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Success',
        details: { name: 'a', kind: 'pods', uid: 'uid-a' },
        code: 200,
      });
      const object = await room.ask('/api/v1/nodes/a', { method: 'DELETE' });
      expect(object.json()).toMatchObject({ metadata: { name: 'a' } });
    });

    test('a form that no Status has does not refuse a deletion after it is done', async () => {
      const headers = { accept: 'application/json;as=Table;g=meta.orch.io;v=v1' };
      expect((await room.ask(`${pods}/a`, { method: 'DELETE', headers })).json()).toMatchObject({
        kind: 'Status',
      });
      expect((await room.ask(pods, { method: 'DELETE', headers })).json()).toMatchObject({ kind: 'Status' });
      const refused = await room.ask(pods, { method: 'DELETE', headers: { accept: 'text/html' } });
      expect([refused.code, room.verbs.calls.length]).toEqual([406, 2]);
    });

    test('a terminating object is answered by itself', async () => {
      room.verbs.removed = false;
      expect((await room.ask(`${pods}/a`, { method: 'DELETE' })).json()).toMatchObject({ kind: 'Pod' });
    });

    test('options come from body and query, the body first', async () => {
      await room.ask(`${pods}/a?gracePeriodSeconds=9&propagationPolicy=Orphan&dryRun=All`, {
        method: 'DELETE',
        body: JSON.stringify({
          kind: 'DeleteOptions',
          apiVersion: 'v1',
          gracePeriodSeconds: 3,
          preconditions: { uid: 'u', resourceVersion: null },
        }),
        headers: json,
      });
      expect(room.verbs.last.argument).toEqual({
        gracePeriodSeconds: 3,
        propagationPolicy: 'Orphan',
        orphanDependents: undefined,
        preconditions: { uid: 'u' },
      });
      expect(room.verbs.last.scope.dryRun).toBe(true);
      await room.ask(`${pods}/a`, { method: 'DELETE', body: '{"dryRun":["All"]}', headers: json });
      expect(room.verbs.last.scope.dryRun).toBe(true);
    });

    test.each([
      ['?gracePeriodSeconds=x', '', 400],
      ['?propagationPolicy=Never', '', 422],
      ['?propagationPolicy=Orphan&orphanDependents=true', '', 422],
      ['?dryRun=', '', 422],
      ['?dryRun=x', '', 422],
      ['?dryRun=all', '', 422],
      ['', '{"dryRun":["Some"]}', 422],
      ['', '{"dryRun":[""]}', 422],
      ['', '{"gracePeriodSeconds":"3"}', 400],
      ['', '{"gracePeriodSeconds":1.5}', 400],
      ['', '{"preconditions":[]}', 400],
      ['', '{"dryRun":"All"}', 400],
      ['', '{"kind":"Pod"}', 400],
      ['', '{', 400],
    ])('wrong options %s %s are a %d', async (query, body, code) => {
      const answer = await room.ask(`${pods}/a${query}`, { method: 'DELETE', body, headers: json });
      expect(answer.code).toBe(code);
      expect(room.verbs.calls).toHaveLength(0);
    });

    test('a collection is answered by a Status', async () => {
      const answer = await room.ask(`${pods}?labelSelector=a`, { method: 'DELETE' });
      expect(answer.json()).toMatchObject({ status: 'Success', details: { kind: 'pods' } });
      expect(room.verbs.last.argument).toMatchObject({ list: { labelSelector: 'a' } });
    });
  });
});
