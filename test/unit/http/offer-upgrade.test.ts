/** Connections that Node hands over although an earlier response has them: they end, and the process goes on. */
import { once } from 'node:events';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { connect, Socket, type AddressInfo } from 'node:net';
import { stopReading } from '../../../src/http/stop-reading.ts';
import { offerUpgrade } from '../../../src/http/upgrade.ts';

test('a connection that an earlier response has is destroyed', () => {
  const socket = new Socket();
  new ServerResponse(new IncomingMessage(socket)).assignSocket(socket);
  const head = Buffer.alloc(0);
  expect(offerUpgrade(new IncomingMessage(socket), socket, { head })).toBeUndefined();
  expect(socket.destroyed).toBe(true);
});

test.each(['GET', 'CONNECT'])('Node hands over no connection that is read no more (%s)', async (method) => {
  const handed: unknown[] = [];
  const note = (req: IncomingMessage): unknown => handed.push(req.url);
  const server = createServer((req, res) => {
    stopReading(req.socket);
    res.writeHead(400, { Connection: 'close' }).end();
  });
  server.on('upgrade', note).on('connect', note).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').resume();
  const upgrade = `${method} /b HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n`;
  client.write(`GET /a HTTP/1.1\r\nHost: x\r\n\r\n${upgrade}`);
  await once(client, 'close');
  server.close();
  await once(server, 'close');
  expect(handed).toEqual([]);
});
