/** A turn of the event loop reads from etcd for a few milliseconds only. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { useEventLoop } from '../../../../src/base/event-loop.ts';
import { openSocket } from '../../../../src/storage/etcd/http2/socket.ts';
import { waitFor } from '../../../support/wait-for.ts';

const sent = 4 * 1024 * 1024;

afterEach(() => {
  useEventLoop(undefined);
});

test('a peer that sends much at once is read in many turns, completely and in order', async () => {
  const server = createServer((peer) => {
    peer.end(Uint8Array.from({ length: sent }, (_unused, at) => at % 251));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // To take a chunk takes two milliseconds.
  let now = 0;
  useEventLoop({ now: () => now, nextTurn: (callback) => setImmediate(callback) });
  let read = 0;
  let isInOrder = true;
  let isOver = false;
  let inTurn = 0;
  const chunksOfTurns: number[] = [];
  const { port } = server.address() as AddressInfo;
  const socket: Socket = openSocket(new URL(`http://127.0.0.1:${port}`), undefined, {
    onReady: () => undefined,
    onError: () => {
      isOver = true;
    },
    onData: (chunk) => {
      now += 2;
      isInOrder &&= chunk[0] === read % 251;
      read += chunk.length;
      if (inTurn === 0)
        setImmediate(() => {
          chunksOfTurns.push(inTurn);
          inTurn = 0;
        });
      inTurn += 1;
    },
  });
  await waitFor('the end of the connection', () => isOver);
  socket.destroy();
  server.close();
  expect({ read, isInOrder }).toEqual({ read: sent, isInOrder: true });
  // Three take 6 ms; one more came before the socket stopped.
  expect(Math.max(...chunksOfTurns)).toBeLessThanOrEqual(4);
});
