/** Connections that Node hands over although an earlier response has them: they end, and the process goes on. */
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { offerUpgrade } from '../../../src/http/upgrade.ts';

test('a connection that an earlier response has is destroyed', () => {
  const socket = new Socket();
  new ServerResponse(new IncomingMessage(socket)).assignSocket(socket);
  const head = Buffer.alloc(0);
  expect(offerUpgrade(new IncomingMessage(socket), socket, { head })).toBeUndefined();
  expect(socket.destroyed).toBe(true);
});
