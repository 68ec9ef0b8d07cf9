import { connect, type TLSSocket } from 'node:tls';
import { podEntry } from '../../support/http/fake-verbs.ts';
import type { HttpRoom } from '../../support/http/room.ts';
import { openRoom, readAnswer } from '../../support/http/room.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { waitFor, within } from '../../support/wait-for.ts';

const pods = '/api/v1/namespaces/x/pods';

describe('the server', () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let room: HttpRoom;

  beforeEach(async () => {
    folder = await makeTempFolder('server');
    room = await openRoom(folder.path);
    room.verbs.entries = [podEntry('a', 1)];
  });

  afterEach(async () => {
    await room.close();
    await folder.remove();
  });

  test('speaks TLS 1.2 and newer only', async () => {
    const target = { host: '127.0.0.1', port: room.server.port, ca: room.authority.ca };
    const old = connect({
      ...target,
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'ALL:@SECLEVEL=0',
    });
    await expect(
      new Promise((resolve, reject) => old.once('secureConnect', resolve).once('error', reject)),
    ).rejects.toThrow();
    expect((await room.ask(`${pods}/a`)).code).toBe(200);
  });

  const suites: [string, 'TLSv1.2' | 'TLSv1.3', boolean][] = [
    ['TLS_AES_128_GCM_SHA256', 'TLSv1.3', true],
    ['ECDHE-ECDSA-AES128-GCM-SHA256', 'TLSv1.2', true],
    ['ECDHE-ECDSA-CHACHA20-POLY1305', 'TLSv1.2', true],
    ['ECDHE-ECDSA-AES128-SHA256', 'TLSv1.2', false],
    ['ECDHE-ECDSA-AES256-SHA', 'TLSv1.2', false],
    ['AES128-GCM-SHA256:AES256-SHA', 'TLSv1.2', false],
    ['DHE-RSA-AES128-GCM-SHA256', 'TLSv1.2', false],
    ['aNULL:eNULL', 'TLSv1.2', false],
  ];
  test.each(suites)('%s over %s: %s', async (ciphers, version, isSpoken) => {
    const target = { host: '127.0.0.1', port: room.server.port, ca: room.authority.ca };
    const socket = connect({
      ...target,
      minVersion: version,
      maxVersion: version,
      ciphers: version === 'TLSv1.3' ? ciphers : `${ciphers}:@SECLEVEL=0`,
    });
    const spoken = await new Promise((resolve) => {
      socket.once('secureConnect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    expect(spoken).toBe(isSpoken);
  });

  test('a stranger certificate is not a broken handshake but an unverified peer', async () => {
    const { makeAuthority } = await import('../../support/pki.ts');
    const other = await makeAuthority(`${folder.path}/other`, 'another authority');
    const client = await other.client({ commonName: 'mallory' });
    expect((await room.ask(`${pods}/a`, { client })).code).toBe(200);
    expect(room.asked.at(-1)?.peer).toMatchObject({ authorized: false });
  });

  test('serves many requests over one connection', async () => {
    for (let i = 0; i < 3; i++) expect((await room.ask(`${pods}/a`)).headers.connection).toBe('keep-alive');
  });

  describe('pipelined requests', () => {
    const pipelined = (line: string, count: number): string =>
      `${line} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(count);

    /** Sends bytes over one connection, and gathers what comes back. */
    function send(bytes: string): { socket: TLSSocket; text: () => string } {
      let text = '';
      const socket = connect({ host: '127.0.0.1', port: room.server.port, ca: room.authority.ca });
      socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1'))).on('error', () => undefined);
      socket.write(bytes);
      return { socket, text: () => text };
    }

    test('are served one at a time, in order', async () => {
      const releases: (() => void)[] = [];
      room.verbs.before = () => new Promise((resolve) => releases.push(resolve));
      const lines = ['a', 'b', 'a'].map((name) => pipelined(`GET ${pods}/${name}`, 1));
      const { socket, text } = send(lines.join(''));
      for (const count of [1, 2, 3]) {
        await waitFor('the next request to run', () => releases.length === count);
        expect(room.verbs.calls).toHaveLength(count);
        releases.at(-1)?.();
      }
      await waitFor('three answers', () => text().match(/^HTTP/gm)?.length === 3);
      expect(text().match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404', 'HTTP/1.1 200']);
      socket.destroy();
    });

    test('in the hundreds are too many; nothing is left of them', async () => {
      const watch = 'GET ' + pods + '?watch=1';
      const { socket } = send(pipelined(watch, 1) + pipelined(`GET ${pods}/a`, 300));
      await within('the cut', 3_000, new Promise((resolve) => socket.once('close', resolve)));
      expect(room.verbs.calls.filter(({ verb }) => verb === 'get')).toHaveLength(0);
      await waitFor('the watch to be closed', () => room.verbs.watches[0]?.closed === true);
      expect(await room.metrics.text()).toMatch(
        /apiserver_current_inflight_requests\{request_kind="readOnly"\} 0/,
      );
    });

    test('behind one that waits are dropped when the client goes', async () => {
      const release = Promise.withResolvers<undefined>();
      room.verbs.before = () => release.promise.then(() => undefined);
      const { socket } = send(pipelined(`GET ${pods}/a`, 5));
      await waitFor('the first to run', () => room.verbs.calls.length === 1);
      socket.destroy();
      await waitFor('its cancellation', () => room.verbs.calls[0]?.scope.signal.aborted === true);
      release.resolve(undefined);
      expect((await room.ask(`${pods}/a`)).code).toBe(200);
      expect(room.verbs.calls).toHaveLength(2);
    });
  });

  test('other certificates can be taken up while running', async () => {
    const renewed = await room.authority.server('renewed');
    room.server.setTls({ cert: renewed.cert, key: renewed.key, clientCa: room.authority.ca });
    const socket = connect({ host: '127.0.0.1', port: room.server.port, ca: room.authority.ca });
    await new Promise((resolve) => socket.once('secureConnect', resolve));
    expect(socket.getPeerCertificate().subject.CN).toBe('renewed');
    socket.destroy();
  });

  test('close lets running requests finish, ends watches cleanly, and takes no more connections', async () => {
    const release = Promise.withResolvers<undefined>();
    const watch = await room.open(`${pods}?watch=1`);
    room.verbs.before = () => release.promise.then(() => undefined);
    const running = room.ask(`${pods}/a`);
    await waitFor('the request to run', () => room.verbs.last.verb === 'get');
    const closed = room.server.close(5_000);
    expect((await within('the end of the watch', 2_000, readAnswer(watch))).text).toBe('');
    const late = connect({ host: '127.0.0.1', port: room.server.port, ca: room.authority.ca });
    await expect(
      new Promise((resolve, reject) => late.once('secureConnect', resolve).once('error', reject)),
    ).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    release.resolve(undefined);
    expect((await running).code).toBe(200);
    await within('the close', 2_000, closed);
  });

  test('an answer that is still on its way is not cut by close', async () => {
    room.verbs.entries = Array.from({ length: 2_000 }, (_, i) => podEntry(`p${String(i)}`, i + 1, 10_000));
    const list = await room.open(pods);
    const closed = room.server.close(10_000);
    const { items } = (await readAnswer(list)).json() as { items: unknown[] };
    expect(items).toHaveLength(2_000);
    await within('the close', 2_000, closed);
  });

  test('a request that ran when the end began says that its connection closes', async () => {
    const release = Promise.withResolvers<undefined>();
    room.verbs.before = () => release.promise.then(() => undefined);
    const running = room.ask(`${pods}/a`);
    await waitFor('the request to run', () => room.verbs.calls.length === 1);
    const closed = room.server.close(5_000);
    release.resolve(undefined);
    expect((await running).headers.connection).toBe('close');
    await within('the close', 2_000, closed);
  });

  test('what outlives the grace is cut', async () => {
    room.verbs.before = () => new Promise(() => undefined);
    const running = room.ask(`${pods}/a`).catch((error: unknown) => error);
    await waitFor('the request to run', () => room.verbs.calls.length === 1);
    await within('the close', 2_000, room.server.close(50));
    expect(await running).toMatchObject({ code: 'ECONNRESET' });
  });

  test('a port in use is an error', async () => {
    const { createHttpServer } = await import('../../../src/http/server.ts');
    const { silentLogger } = await import('../../../src/observe/log.ts');
    const credential = await room.authority.server('second');
    const handler = Object.assign(() => undefined, { drain: () => undefined });
    await expect(
      createHttpServer({
        host: '127.0.0.1',
        port: room.server.port,
        tls: credential,
        handler,
        logger: silentLogger,
      }),
    ).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
