/** Backends that break the rules: the proxy gives up, in bounded time and memory. */
import { once } from 'node:events';
import {
  connect,
  createServer as createTcpServer,
  type AddressInfo,
  type Server,
  type Socket,
} from 'node:net';
import { askBackend, type BackendAnswer } from '../../../src/proxy/ask-backend.ts';
import { gunzipSync, gzipSync } from 'node:zlib';
import { cpuBudget, leastOfThree } from '../../support/cpu-time.ts';
import { HandClock } from '../../support/hand-clock.ts';
import { turnsOf } from '../../support/turns.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ProxyBench } from './support.ts';

let bench: ProxyBench;
const timers: NodeJS.Timeout[] = [];
beforeEach(async () => {
  bench = new ProxyBench();
  await bench.open();
});
afterEach(async () => {
  timers.splice(0).forEach(clearInterval);
  await bench.close();
});

const plain = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
const upgrade = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';

/** Writes the next piece every millisecond, for as long as the connection is there. */
function drip(socket: Socket, next: () => string): void {
  const timer = setInterval(() => {
    if (socket.destroyed) clearInterval(timer);
    else socket.write(next());
  }, 1);
  timers.push(timer);
}

const hostile: [string, (socket: Socket) => void, RegExp][] = [
  [
    'sends informational responses without end',
    (socket) => drip(socket, () => 'HTTP/1.1 103 Early Hints\r\n\r\n'),
    /1xx/,
  ],
  ['sends a head byte by byte', (socket) => drip(socket, () => 'x'), /Parse Error/],
  [
    'sends a header byte by byte',
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nX-Long: ');
      drip(socket, () => 'x');
    },
    /did not respond in time/,
  ],
  [
    'sends a head of a megabyte',
    (socket) => socket.write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(1 << 20)}`),
    /overflow/i,
  ],
  ['is silent', () => undefined, /did not respond in time/],
  [
    'resets the connection',
    (socket) => socket.once('data', () => socket.resetAndDestroy()),
    /ECONNRESET|without a response|hang up/,
  ],
  ['ends the connection', (socket) => socket.once('data', () => socket.end()), /hang up/],
  ['speaks no HTTP', (socket) => socket.write('SSH-2.0-x\r\n'), /Parse Error/],
];

describe.each([
  ['a request', plain],
  ['an upgrade', upgrade],
])('%s to a backend that', (_what, request) => {
  test.each(hostile)('%s is given up', async (_how, behave, message) => {
    const clock = (bench.clock = new HandClock());
    bench.patience = { connectMs: 1_000_000, headMs: 300 };
    let isLeft = false;
    await bench.raw((socket) => {
      socket.on('close', () => (isLeft = true));
      behave(socket);
      socket.resume();
    });
    const { isOver } = bench.talk(request);
    const isTimed = message.source.includes('in time');
    await waitFor('the end', () => {
      if (isTimed) clock.advance(100);
      return isOver() && isLeft;
    });
    expect(bench.errors[0]?.name).toBe('BackendError');
    expect(bench.errors[0]?.message).toMatch(message);
  });

  test('does not listen is given up', async () => {
    const { isOver } = bench.talk(request);
    await waitFor('the end', isOver);
    expect(bench.errors[0]?.message).toMatch(/ECONNREFUSED|EACCES/);
  });

  test('does not finish its TLS handshake is given up', async () => {
    const clock = (bench.clock = new HandClock());
    bench.patience = { connectMs: 300, headMs: 10_000 };
    let isReached = false;
    await bench.raw((socket) => socket.once('data', () => (isReached = true)));
    bench.backend = { ...bench.backend, scheme: 'https' };
    const { isOver } = bench.talk(request);
    await waitFor('the begin of the handshake', () => isReached);
    clock.advance(300);
    await waitFor('the end', isOver);
    expect(bench.errors[0]?.message).toBe('the backend did not accept the connection in time');
  });
});

test.each(['Connection: Upgrade\r\nUpgrade: x\r\n', ''])(
  'a backend that changes the protocol unasked is given up, with headers %j',
  async (headers) => {
    await bench.raw((socket) => {
      socket.once('data', () => socket.write(`HTTP/1.1 101 Switching Protocols\r\n${headers}\r\n`));
    });
    const { said, isOver } = bench.talk(plain);
    await waitFor('the end', isOver);
    expect(said()).toMatch(/^HTTP\/1.1 502/);
    expect(bench.errors[0]?.message).toMatch(/without being asked/);
  },
);

test('a response without content has no length for its client', async () => {
  await bench.raw((socket) => {
    socket.once('data', () => socket.end('HTTP/1.1 204 No Content\r\nContent-Length: 2\r\nX-A: b\r\n\r\nok'));
  });
  const { said, isOver } = bench.talk(plain);
  await waitFor('the end', isOver);
  expect(said()).toMatch(/^HTTP\/1\.1 204 [^]*X-A: b\r\n/);
  expect(said()).not.toMatch(/content-length/i);
  expect(said()).not.toContain('ok');
});

describe('backends that send chunks of one byte without end', () => {
  const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
  const flood = '1\r\nx\r\n'.repeat(20_000);

  function flooding(): Server {
    return createTcpServer((socket) => {
      const go = (): void => {
        while (socket.writable && socket.write(flood));
      };
      socket.on('drain', go).once('data', () => {
        socket.write(head);
        go();
      });
    });
  }

  function ask(server: Server, signal: AbortSignal): Promise<BackendAnswer> {
    const { port } = server.address() as AddressInfo;
    const backend = { scheme: 'http', host: '127.0.0.1', port, path: '/' } as const;
    return askBackend(backend, { method: 'GET', headers: ['Host', 'x'], signal }, bench.waits);
  }

  test('are read in turn: a read of one of them in a turn of the event loop', async () => {
    const server = flooding();
    await bench.to(server);
    const stop = new AbortController();
    let [thisTurn, most] = [0, 0];
    const count = (): void => {
      most = Math.max(most, thisTurn);
      thisTurn = 0;
      if (!stop.signal.aborted) setImmediate(count);
    };
    const read = async (): Promise<void> => {
      const { body } = await ask(server, stop.signal);
      let pieces = 0;
      for await (const bytes of body) {
        thisTurn += bytes.length;
        if (++pieces === 4) break;
      }
    };
    setImmediate(count);
    try {
      await Promise.all(Array.from({ length: 6 }, read));
    } finally {
      stop.abort();
    }
    // A read takes 16 KiB, a sixth of it content; small reads of others may fall into the same turn.
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(5_000);
  });

  test('do not delay the lines of another one', async () => {
    await bench.to(flooding());
    const floods = Array.from({ length: 4 }, () => connect(bench.port).resume());
    for (const flood of floods) flood.on('error', () => undefined).write(plain);
    await waitFor('the floods', () => floods.every(({ bytesRead }) => bytesRead > 1_000));
    const log = createTcpServer();
    await bench.to(log);
    const asked = once(log, 'connection') as Promise<[Socket]>;
    const { said } = bench.talk(plain);
    const [socket] = await asked;
    socket.write(head);
    for (const line of ['one', 'two', 'three']) {
      socket.write(`${line.length.toString(16)}\r\n${line}\r\n`);
      await waitFor(line, () => said().includes(line));
    }
    for (const flood of floods) flood.destroy();
  });

  test('wait for a client that does not read', async () => {
    const server = flooding();
    const asked = once(server, 'connection') as Promise<[Socket]>;
    await bench.to(server);
    const stop = new AbortController();
    try {
      const { body } = await ask(server, stop.signal);
      const [socket] = await asked;
      const pieces = body[Symbol.asyncIterator]();
      await pieces.next();
      let [sent, looksUnchanged] = [0, 0];
      await waitFor('the end of the flood', () => {
        looksUnchanged = socket.bytesWritten === sent ? looksUnchanged + 1 : 0;
        sent = socket.bytesWritten;
        return looksUnchanged === 20;
      });
      while (socket.bytesWritten === sent) await pieces.next();
    } finally {
      stop.abort();
    }
  });
});

test('backends that send much at once are read in turn: about a megabyte of all in a turn of the event loop', async () => {
  const count = 60;
  const piece = Buffer.alloc(1024 * 1024, 'x');
  const length = 4 * piece.length;
  const asked: Socket[] = [];
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined).once('data', () => asked.push(socket));
  });
  await bench.to(server);
  const stop = new AbortController();
  let [thisTurn, most] = [0, 0];
  const nextTurn = (): void => {
    most = Math.max(most, thisTurn);
    thisTurn = 0;
    if (!stop.signal.aborted) setImmediate(nextTurn);
  };
  const read = async (): Promise<number> => {
    const { port } = server.address() as AddressInfo;
    const backend = { scheme: 'http', host: '127.0.0.1', port, path: '/' } as const;
    const asking = { method: 'GET', headers: ['Host', 'x'], signal: stop.signal };
    const { body } = await askBackend(backend, asking, bench.waits);
    let all = 0;
    for await (const bytes of body) {
      thisTurn += bytes.length;
      all += bytes.length;
    }
    return all;
  };
  const reads = Promise.all(Array.from({ length: count }, read));
  await waitFor('the requests', () => asked.length === count);
  setImmediate(nextTurn);
  for (const socket of asked) {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${String(length)}\r\n\r\n`);
    for (let sent = 0; sent < length; sent += piece.length) socket.write(piece);
  }
  try {
    expect(await reads).toEqual(Array(count).fill(length));
  } finally {
    stop.abort();
  }
  expect(most).toBeGreaterThan(64 * 1024);
  expect(most).toBeLessThan(2 * 1024 * 1024);
});

/** Asks for so many at once, each on a connection of its own. */
async function collectPages(pages: Buffer[], count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    const socket = connect(bench.port);
    const pieces: Buffer[] = [];
    socket.on('data', (piece: Buffer) => pieces.push(piece)).on('error', () => undefined);
    socket.on('close', () => pages.push(Buffer.concat(pieces))).write(plain);
  }
  await waitFor('the pages', () => pages.length === count);
}

test.each(['gzip', 'identity'])(
  'pages of links (%s) that come at once are rewritten in turns',
  async (encoding) => {
    const links = '<a href="/x">'.repeat(25_000);
    const page = encoding === 'gzip' ? gzipSync(links) : Buffer.from(links);
    const server = await bench.serve((_req, res) => {
      res.writeHead(200, { 'Content-Type': 'text/html', 'Content-Encoding': encoding }).end(page);
    });
    const { port } = server.address() as AddressInfo;
    bench.backend = { port, mount: '/m' };
    const count = 60;
    const pages: Buffer[] = [];
    const longest = await leastOfThree(async () => {
      pages.length = 0;
      const turns = await turnsOf(() => collectPages(pages, count));
      return turns[0] ?? 0;
    });
    expect(longest).toBeLessThan(cpuBudget(25));
    const last = bodyOf(pages[count - 1] ?? Buffer.of());
    const shown = encoding === 'gzip' ? gunzipSync(last) : last;
    expect(shown.toString()).toBe('<a href="/m/x">'.repeat(25_000));
  },
);

/** The body of a response in chunks. */
function bodyOf(response: Buffer): Buffer {
  const chunks: Buffer[] = [];
  for (let at = response.indexOf('\r\n\r\n') + 4; at < response.length;) {
    const lineEnd = response.indexOf('\r\n', at);
    const size = parseInt(response.toString('latin1', at, lineEnd), 16);
    chunks.push(response.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 4 + size;
  }
  return Buffer.concat(chunks);
}
