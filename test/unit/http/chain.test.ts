import { defaultBodyLimits } from '../../../src/http/body.ts';
import { request } from 'node:https';
import { connect } from 'node:tls';
import { badRequest, tooLargeResourceVersion } from '../../../src/meta/status.ts';
import type { HttpRoom } from '../../support/http/room.ts';
import { always, openRoom } from '../../support/http/room.ts';
import { podEntry } from '../../support/http/fake-verbs.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

describe('the chain', () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let room: HttpRoom;
  const pods = '/api/v1/namespaces/x/pods';

  beforeAll(async () => {
    folder = await makeTempFolder('chain');
    room = await openRoom(folder.path, {
      requestTimeoutMs: 60_000,
      bodyLimits: { ...defaultBodyLimits, maxBytes: 1_000, timeoutMs: 400 },
    });
  });

  afterAll(async () => {
    await room.close();
    await folder.remove();
  });

  beforeEach(() => {
    room.verbs.entries = [podEntry('a', 7)];
    room.verbs.calls.length = 0;
    room.verbs.error = undefined;
    room.verbs.before = () => Promise.resolve();
    room.authenticate = always('tester');
    room.authorize = () => Promise.resolve({ decision: 'allow', reason: '' });
  });

  /** Sends the beginning of a body and no more; gives the status code. */
  function postHalf(): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': '900' };
      const target = { host: '127.0.0.1', port: room.server.port, path: pods, ca: room.authority.ca };
      const req = request({ ...target, method: 'POST', headers, agent: false }, (res) => {
        resolve(res.statusCode);
        req.destroy();
      });
      req.on('error', reject);
      req.write('{');
    });
  }

  /** Sends bytes as they are; gives all that comes back. */
  function exchange(bytes: string): Promise<string> {
    return new Promise((resolve, reject) => {
      let text = '';
      const socket = connect({ host: '127.0.0.1', port: room.server.port, ca: room.authority.ca });
      socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
      socket.on('error', reject).on('close', () => {
        resolve(text);
      });
      socket.write(bytes);
    });
  }

  test('every answer has an audit id and may not be cached; express does not show', async () => {
    const { headers } = await room.ask(`${pods}/a`);
    expect(headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers['cache-control']).toBe('no-cache, private');
    expect(headers['x-powered-by']).toBeUndefined();
    expect(headers.etag).toBeUndefined();
  });

  test('a harmless audit id of the client is kept, another is replaced', async () => {
    const kept = await room.ask(`${pods}/a`, { headers: { 'audit-id': 'abc-1' } });
    expect(kept.headers['audit-id']).toBe('abc-1');
    const replaced = await room.ask(`${pods}/a`, { headers: { 'audit-id': 'a b"c' } });
    expect(replaced.headers['audit-id']).not.toBe('a b"c');
  });

  test('an unknown error is a 500 that names the audit id; only the log has the cause', async () => {
    room.verbs.error = new Error('the secret cause');
    const answer = await room.ask(`${pods}/a`);
    expect(answer.code).toBe(500);
    expect(answer.text).not.toContain('secret');
    const id = String(answer.headers['audit-id']);
    expect(answer.json()).toMatchObject({ kind: 'Status', reason: 'InternalError', code: 500 });
    expect(answer.text).toContain(id);
    const line = room.logs.find((l) => l.level === 'error' && l.fields['auditId'] === id);
    expect(String(line?.fields['err'])).toContain('the secret cause');
  });

  test('a malformed escape in the path is a 400', async () => {
    expect((await room.ask('/api/v1/namespaces/x/pods/%zz')).code).toBe(400);
  });

  test.each([
    ['GET http://[/version', 200],
    ['GET //a@[#', 400],
    ['OPTIONS *', 400],
    ['GET ftp://host/version', 400],
    ['GET https://host/version', 200],
    [`GET https://host${pods}/a`, 200],
  ])('the target %s gets a %d of this API, and is authorized as it is routed', async (line, code) => {
    const paths: string[] = [];
    room.authorize = ({ info }) => {
      paths.push(info.path);
      return Promise.resolve({ decision: 'allow', reason: '' });
    };
    const text = await exchange(`${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(text).toMatch(
      new RegExp(`^HTTP/1.1 ${String(code)} [^]*Audit-Id: [^]*Content-Type: application/json`),
    );
    for (const path of paths) expect(path).toMatch(/^\//);
  });

  test('rejected credentials are a 401 without a reason', async () => {
    room.authenticate = () => Promise.resolve({ outcome: 'rejected', authenticator: 't', reason: 'expired' });
    const answer = await room.ask(`${pods}/a`);
    expect(answer.code).toBe(401);
    expect(answer.json()).toMatchObject({
      status: 'Failure',
      reason: 'Unauthorized',
      message: 'Unauthorized',
    });
    expect(answer.headers['www-authenticate']).toBeDefined();
    room.authenticate = () => Promise.resolve(undefined);
    expect((await room.ask(`${pods}/a`)).code).toBe(401);
    expect(room.verbs.calls).toHaveLength(0);
  });

  test('the authenticator sees token and certificate; nothing later sees the token', async () => {
    const client = await room.authority.client({ commonName: 'jane', organizations: ['dev'] });
    room.asked.length = 0;
    await room.ask(`${pods}/a`, { headers: { authorization: 'Bearer abc' }, client });
    const [facts] = room.asked;
    expect(facts?.bearerToken).toBe('abc');
    expect(facts?.peer.authorized).toBe(true);
    expect(facts?.peer.certificates[0]?.subject).toContain('CN=jane');
    expect(facts?.headers['authorization']).toBeUndefined();
    expect(facts?.remoteAddress).toContain('127.0.0.1');
  });

  test.each([
    [
      'GET',
      `${pods}/a`,
      'pods \\"a\\" is forbidden: User \\"tester\\" cannot get resource \\"pods\\" in API group \\"\\" in the namespace \\"x\\"',
    ],
    [
      'GET',
      '/api/v1/pods',
      'pods is forbidden: User \\"tester\\" cannot list resource \\"pods\\" in API group \\"\\" at the cluster scope',
    ],
    ['PUT', `${pods}/a/status`, 'cannot update resource \\"pods/status\\"'],
    [
      'DELETE',
      '/apis/apps/v1/namespaces/x/deployments',
      'deployments.apps is forbidden: User \\"tester\\" cannot deletecollection resource \\"deployments\\" in API group \\"apps\\"',
    ],
    ['GET', '/metrics', 'forbidden: User \\"tester\\" cannot get path \\"/metrics\\"'],
  ])('a refusal of %s %s says who may not do what', async (method, path, message) => {
    room.authorize = () => Promise.resolve({ decision: 'noOpinion', reason: '' });
    const answer = await room.ask(path, { method });
    expect(answer.code).toBe(403);
    expect(answer.json()).toMatchObject({ reason: 'Forbidden', code: 403 });
    expect(answer.text).toContain(message);
  });

  test('a reason is added; deny is a refusal too', async () => {
    room.authorize = () => Promise.resolve({ decision: 'deny', reason: 'because' });
    expect((await room.ask(pods)).text).toContain(': because');
  });

  test('authorization comes before the body: a stranger is refused while still sending', async () => {
    room.authorize = () => Promise.resolve({ decision: 'noOpinion', reason: '' });
    const code = await postHalf();
    expect(code).toBe(403);
    expect(room.verbs.calls).toHaveLength(0);
  });

  test('a status error keeps its code, details and Retry-After', async () => {
    room.verbs.error = badRequest('no');
    expect((await room.ask(`${pods}/a`)).json()).toMatchObject({
      code: 400,
      reason: 'BadRequest',
      message: 'no',
    });
    room.verbs.error = tooLargeResourceVersion('9', '1');
    const late = await room.ask(`${pods}/a`);
    expect(late.code).toBe(504);
    expect(late.headers['retry-after']).toBe('1');
  });

  test('an error that cannot be told ends the connection, and nothing else', async () => {
    const error = badRequest('no');
    Object.assign(error.status, { code: 0 });
    room.verbs.error = error;
    await expect(room.ask(`${pods}/a`)).rejects.toThrow('socket hang up');
    room.verbs.error = undefined;
    expect((await room.ask(`${pods}/a`)).code).toBe(200);
  });

  test('a request that times out is a 504, and its work is cancelled', async () => {
    const aborted = Promise.withResolvers<undefined>();
    room.verbs.before = (scope) =>
      new Promise((_resolve, reject) => {
        scope.signal.addEventListener('abort', () => {
          aborted.resolve(undefined);
          reject(new Error('aborted'));
        });
      });
    const answer = await room.ask(`${pods}/a?timeout=50ms`);
    expect(answer.code).toBe(504);
    expect(answer.json()).toMatchObject({ reason: 'Timeout' });
    await aborted.promise;
    expect((await room.ask(`${pods}/a?timeout=soon`)).code).toBe(400);
  });

  test('a client that goes away aborts the work', async () => {
    const aborted = Promise.withResolvers<undefined>();
    const started = Promise.withResolvers<undefined>();
    room.verbs.before = (scope) =>
      new Promise((_resolve, reject) => {
        started.resolve(undefined);
        scope.signal.addEventListener('abort', () => {
          aborted.resolve(undefined);
          reject(new Error('aborted'));
        });
      });
    const socket = connect({ host: '127.0.0.1', port: room.server.port, ca: room.authority.ca });
    socket.write(`GET ${pods}/a HTTP/1.1\r\nHost: x\r\n\r\n`);
    await started.promise;
    socket.destroy();
    await aborted.promise;
    expect(
      room.logs.filter(
        (l) =>
          l.fields['path'] === `${pods}/a` &&
          l.level === 'error' &&
          String(l.fields['err']).includes('aborted'),
      ),
    ).toHaveLength(0);
  });

  describe('bodies', () => {
    const headers = { 'content-type': 'application/json' };

    test('a body over the limit is a 413, announced or counted, and the connection lives on', async () => {
      const body = JSON.stringify({ text: 'x'.repeat(5_000) });
      const announced = await room.ask(pods, { method: 'POST', body, headers });
      expect(announced.code).toBe(413);
      expect(announced.json()).toMatchObject({ reason: 'RequestEntityTooLarge' });
      const counted = await room.ask(pods, {
        method: 'POST',
        body,
        headers: { ...headers, 'transfer-encoding': 'chunked' },
      });
      expect(counted.code).toBe(413);
      expect((await room.ask(`${pods}/a`)).code).toBe(200);
      expect(room.verbs.calls.map((c) => c.verb)).toEqual(['get']);
    });

    test('a body that stops coming is a 408', async () => {
      expect(await postHalf()).toBe(408);
    });

    test('a wrong content type is refused before the body is read', async () => {
      const answer = await room.ask(pods, {
        method: 'POST',
        body: 'x',
        headers: { 'content-type': 'text/plain' },
      });
      expect(answer.code).toBe(415);
      expect(answer.json()).toMatchObject({ reason: 'UnsupportedMediaType' });
    });

    test('an unknown Accept is refused before any work', async () => {
      for (const accept of ['text/html', 'application/*', 'garbage', 'application/vnd.orch.protobuf']) {
        const answer = await room.ask(`${pods}/a`, { headers: { accept } });
        expect([accept, answer.code]).toEqual([accept, 406]);
        expect(answer.json()).toMatchObject({ reason: 'NotAcceptable' });
      }
      expect(room.verbs.calls).toHaveLength(0);
    });

    test('a client that waits for 100 Continue gets it once it is allowed, otherwise only the refusal', async () => {
      const post = (): Promise<{ continued: boolean; code: number | undefined }> =>
        new Promise((resolve, reject) => {
          let continued = false;
          const req = request(
            {
              host: '127.0.0.1',
              port: room.server.port,
              path: pods,
              method: 'POST',
              ca: room.authority.ca,
              headers: { ...headers, expect: '100-continue', 'content-length': '2' },
            },
            (res) => {
              res.resume();
              resolve({ continued, code: res.statusCode });
              req.destroy();
            },
          );
          req.on('error', reject);
          req.on('continue', () => {
            continued = true;
            req.end('{}');
          });
          req.flushHeaders();
        });
      expect(await post()).toEqual({ continued: true, code: 201 });
      room.authorize = () => Promise.resolve({ decision: 'noOpinion', reason: '' });
      expect(await post()).toEqual({ continued: false, code: 403 });
    });
  });

  test('requests are counted by resource and code; unknown paths add no labels', async () => {
    await room.ask(`${pods}/a`);
    await room.ask(`${pods}/nope`);
    await room.ask('/api/v1/namespaces/x/random-thing/y');
    const text = await waitFor('the counts', async () => {
      const metrics = await room.metrics.text();
      return metrics.includes('code="404"') ? metrics : undefined;
    });
    const line = (parts: string[]): boolean =>
      text
        .split('\n')
        .some((l) => l.startsWith('apiserver_request_total') && parts.every((p) => l.includes(p)));
    expect(line(['verb="GET"', 'resource="pods"', 'scope="resource"', 'code="200"', 'version="v1"'])).toBe(
      true,
    );
    expect(line(['resource="pods"', 'code="404"'])).toBe(true);
    expect(text).not.toContain('random-thing');
    expect(text).toMatch(/apiserver_response_sizes_count\{verb="GET",[^}]*resource="pods"[^}]*\} [1-9]/);
    expect(text).toMatch(/apiserver_request_filter_duration_seconds_count\{filter="authorization"\} [1-9]/);
    expect(text).toMatch(/authentication_attempts\{result="success"\} [1-9]/);
    expect(text).toContain('apiserver_current_inflight_requests{request_kind="readOnly"} 0');
  });
});
