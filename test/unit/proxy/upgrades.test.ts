/** Connections that change their protocol on the way through the proxy. */
import { createServer, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { HandClock } from '../../support/hand-clock.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ProxyBench } from './support.ts';

let bench: ProxyBench;
beforeEach(async () => {
  bench = new ProxyBench();
  await bench.open();
});
afterEach(() => bench.close());

const asking =
  'POST /exec?command=ls HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n' +
  'X-Stream-Protocol-Version: v4\r\nAuthorization: Bearer s3cret\r\nContent-Length: 0\r\n\r\n';

interface Seen {
  readonly req: IncomingMessage;
  readonly socket: Socket;
}

/** A backend that changes the protocol, and says what it was asked. */
async function switching(first = ''): Promise<Seen[]> {
  const seen: Seen[] = [];
  const server = createServer();
  server.on('upgrade', (req: IncomingMessage, socket: Socket, head: Buffer) => {
    seen.push({ req, socket });
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Own: 1\r\n\r\n${first}`,
    );
    const echo = (chunk: Buffer): unknown => socket.write(chunk.toString().toUpperCase());
    echo(head);
    socket.on('data', echo).on('error', () => undefined);
    socket.on('end', () => socket.end());
  });
  await bench.to(server);
  return seen;
}

describe('after 101', () => {
  test('bytes pass both ways, those that came with the heads included', async () => {
    const seen = await switching('hello ');
    const { socket, said } = bench.talk(`${asking}early`);
    await waitFor('what came with the heads', () => said().endsWith('hello EARLY'));
    socket.write(' late');
    await waitFor('what came later', () => said().endsWith('hello EARLY LATE'));
    expect(said()).toMatch(
      /^HTTP\/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY\/3.1\r\nX-Own: 1\r\n/,
    );
    expect(seen[0]?.req).toMatchObject({ method: 'POST', url: '/exec?command=ls' });
    expect(seen[0]?.req.headers).toMatchObject({ upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'v4' });
    expect(seen[0]?.req.headers).not.toHaveProperty('authorization');
  });

  test('what the backend said last arrives before the end', async () => {
    const seen = await switching();
    const { said, isOver } = bench.talk(asking);
    const { socket } = await waitFor('the backend', () => seen[0]);
    const last = 'x'.repeat(1_000_000);
    socket.end(last);
    await waitFor('the end', isOver);
    expect(said().endsWith(last)).toBe(true);
  });

  test.each(['client', 'backend'])('the loss of the %s ends the other side', async (who) => {
    const seen = await switching();
    const { socket, said, isOver } = bench.talk(asking);
    await waitFor('the change', () => said().includes('101'));
    const backend = seen[0]?.socket;
    if (who === 'client') socket.resetAndDestroy();
    else backend?.resetAndDestroy();
    await waitFor('the end of both', () => isOver() && backend?.closed === true);
  });

  test('a limit of bytes per second holds each way, and loses nothing at the end', async () => {
    const clock = (bench.clock = new HandClock());
    const seen = await switching();
    bench.backend = { ...bench.backend, bytesPerSecond: 20_000 };
    const { socket, said, isOver } = bench.talk(asking);
    await waitFor('the change', () => said().includes('101'));
    const slowly = (what: string, isDone: () => boolean): Promise<unknown> =>
      waitFor(what, () => {
        clock.advance(50);
        return isDone();
      });
    socket.write('a'.repeat(10_000));
    await slowly('all of it, and back', () => said().endsWith('A'.repeat(10_000)));
    // Four pieces wait for a tenth of a second each.
    expect(clock.monotonic()).toBeGreaterThan(350);
    seen[0]?.socket.end('z'.repeat(10_000));
    await slowly('the end', isOver);
    expect(said().endsWith(`A${'z'.repeat(10_000)}`)).toBe(true);
  });

  test('a side that is asked to end and does not is cut off', async () => {
    const clock = (bench.clock = new HandClock());
    const seen = await switching();
    const { socket, said, isOver } = bench.talk(asking);
    await waitFor('the change', () => said().includes('101'));
    const backend = seen[0]?.socket.removeAllListeners('end');
    socket.end();
    await waitFor('the last words', () => clock.timers > 0);
    clock.advance(9_999);
    backend?.write('still here');
    await waitFor('what it still says', () => said().endsWith('still here'));
    clock.advance(1);
    await waitFor('the end', isOver);
    expect(clock.timers).toBe(0);
  });

  test.each(['client', 'backend'] as const)(
    'a %s that is reset while the other side does not read takes it with it',
    async (who) => {
      const clock = (bench.clock = new HandClock());
      const seen = await switching();
      const { socket, said } = bench.talk(asking);
      await waitFor('the change', () => said().includes('101') && seen.length > 0);
      const backend = seen[0]?.socket;
      const [talker, listener] = who === 'client' ? [socket, backend] : [backend, socket];
      listener?.removeAllListeners('data').pause();
      const chunk = Buffer.alloc(64 * 1024);
      let before = -1;
      await waitFor(
        'the stream to stop',
        () => {
          while (talker && talker.writableLength < chunk.length) talker.write(chunk);
          const taken = (talker?.bytesWritten ?? 0) - (talker?.writableLength ?? 0);
          const hasStopped = taken === before;
          before = taken;
          return hasStopped;
        },
        { interval: 100 },
      );
      clock.advance(60_000);
      expect(bench.passing).toBe(1);
      talker?.resetAndDestroy();
      await waitFor('the end of both', () => {
        clock.advance(5_000);
        return bench.passing === 0;
      });
      expect(clock.timers).toBe(0);
    },
  );

  test('a client that does not read holds the backend back', async () => {
    const seen = await switching();
    const { socket, said } = bench.talk(asking);
    await waitFor('the change', () => said().includes('101'));
    socket.pause();
    const backend = seen[0]?.socket;
    const chunk = Buffer.alloc(64 * 1024);
    let before = -1;
    await waitFor(
      'the stream to stop',
      () => {
        while (backend && backend.writableLength < chunk.length) backend.write(chunk);
        const taken = (backend?.bytesWritten ?? 0) - (backend?.writableLength ?? 0);
        const hasStopped = taken === before;
        before = taken;
        return hasStopped;
      },
      { interval: 100 },
    );
    expect(before).toBeLessThan(32 * 1024 * 1024);
  });
});

describe('a backend that does not change the protocol', () => {
  test('has its refusal passed on', async () => {
    const text = 'no such container\n'.repeat(10_000);
    await bench.serve((_req, res) => {
      res.writeHead(404, { 'content-type': 'text/plain' }).end(text);
    });
    const { said, isOver } = bench.talk(asking);
    await waitFor('the end', isOver);
    expect(said()).toMatch(/^HTTP\/1.1 404 Not Found\r\n/);
    expect(said()).toMatch(/\r\nConnection: close\r\n\r\n/);
    expect(said().endsWith(text)).toBe(true);
  });

  test('has ten seconds for its refusal', async () => {
    const clock = (bench.clock = new HandClock());
    await bench.serve((_req, res) => res.writeHead(403).write('never'));
    const { said, isOver } = bench.talk(asking);
    await waitFor('its begin', () => said().includes('never'));
    clock.advance(10_000);
    await waitFor('the end', () => isOver() && bench.errors.length > 0);
    expect(bench.errors[0]?.message).toBe('the response of the backend ended early');
    expect(clock.timers).toBe(0);
  });

  test.each([200, 302])('is an error where it says %i; a redirect leads nowhere', async (code) => {
    let asked = 0;
    await bench.serve((_req, res) => {
      asked += 1;
      res.writeHead(code, { location: `http://127.0.0.1:${String(bench.backend.port)}/` }).end();
    });
    const { isOver } = bench.talk(asking);
    await waitFor('the end', isOver);
    expect(bench.errors[0]?.message).toBe(`invalid upgrade response: status code ${String(code)}`);
    expect(asked).toBe(1);
  });
});
