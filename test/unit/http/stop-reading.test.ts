/** A connection that is stopped takes no more work, and leaves Node's parser as it was. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { stopReading } from '../../../src/http/stop-reading.ts';
import { waitFor, within } from '../../support/wait-for.ts';

const chunks = 1_000;
const waitMs = 15_000;
const head = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
const owned = new AsyncDisposableStack();
let server: Server;
/** Pieces of bodies that Node made. */
let made = 0;
let handle: (req: IncomingMessage) => void = () => undefined;

type PieceMaker = (this: unknown, piece: Buffer) => unknown;

/** Counts the pieces that Node's parser of a connection makes. */
function count(socket: Socket): void {
  const { parser } = socket as unknown as { readonly parser: Record<string, PieceMaker> };
  const key = Object.keys(parser).find((each) => parser[each]?.name === 'parserOnBody');
  // A parser that was not given its function back has none; its bodies do not come.
  if (key === undefined) return;
  const own = parser[key] as PieceMaker;
  parser[key] = function parserOnBody(piece) {
    made += 1;
    return own.call(this, piece);
  };
}

beforeAll(async () => {
  server = createServer((req) => {
    handle(req);
  });
  server.on('connection', count);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  owned.defer(() => {
    server.close();
    server.closeAllConnections();
  });
});
beforeEach(() => (made = 0));
afterAll(() => owned.disposeAsync());

function send(text: string): Socket {
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined);
  owned.defer(() => void client.destroy());
  client.write(text);
  return client;
}

async function stopAtFirstPiece(): Promise<void> {
  const stopped = new Promise<Socket>((resolve) => {
    handle = (req) => {
      req.once('data', () => {
        stopReading(req.socket);
        resolve(req.socket);
      });
    };
  });
  send(head + '1\r\n \r\n'.repeat(chunks));
  const socket = await within('the first piece', waitMs, stopped);
  // What came with the first chunk is parsed in the same turn.
  await new Promise((resolve) => setImmediate(resolve));
  const closed = once(socket, 'close');
  socket.destroy();
  await within('the end of the connection', waitMs, closed);
}

test('no piece is made of what was already read', async () => {
  await stopAtFirstPiece();
  expect(made).toBeGreaterThan(0);
  expect(made).toBeLessThan(10);
});

test('the next connection that has the parser gets its body', async () => {
  await stopAtFirstPiece();
  let text = '';
  handle = (req) => {
    req.on('data', (piece: Buffer) => (text += piece.toString()));
    req.on('end', () => (text += '.'));
  };
  send(`${head}5\r\nhello\r\n0\r\n\r\n`);
  await waitFor('the body', () => text === 'hello.', { timeout: waitMs });
});
