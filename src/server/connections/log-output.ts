/**
 * Where a log goes: the body of a response, or the messages of a WebSocket, as bytes or as text in base64. Behaviour:
 * wsstream.Reader of apiserver.
 */
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { PassiveClock } from '../../base/clock.ts';
import type { PassedRequest } from '../../http/pass-on.ts';
import { closeAfterLinger } from '../../http/unread-body.ts';
import { ClientFrames, closeFrame, handshakeOf, messageFrame, wantsWebSocket } from '../../http/websocket.ts';
import { StatusError } from '../../meta/status.ts';

export interface LogOutput {
  /**
   * Sends the log, which starts only now. Resolves when all of it is sent.
   * @throws Error when the log or the client ends early
   */
  send(log: AsyncIterable<Buffer>): Promise<void>;
}

/**
 * @param apiDomain domain of the names that the API defines, subprotocols among them
 * @param clock of the limit of what the client may send
 * @throws StatusError 400, 403: the WebSocket is asked for wrongly
 */
export function logOutputOf(client: PassedRequest, apiDomain: string, clock: PassiveClock): LogOutput {
  const { takeConnection } = client;
  if (!takeConnection || !wantsWebSocket(client.req)) return { send: (log) => sendBody(client, log) };
  const protocol = protocolOf(client, apiDomain);
  const handshake = handshakeOf(client.req, protocol);
  const isBinary = !protocol.startsWith('base64.');
  return {
    send: async (log) => {
      client.beginResponse();
      const { socket, head } = takeConnection(101);
      socket.write(handshake);
      new ClientFrames(socket, head, clock);
      await sendMessages(socket, messagesOf(log, isBinary), client.signal);
    },
  };
}

async function sendBody(
  { res, signal, ownHeaders, beginResponse }: PassedRequest,
  log: AsyncIterable<Buffer>,
) {
  beginResponse();
  res.writeHead(200, [...ownHeaders, 'Content-Type', 'text/plain', 'X-Content-Type-Options', 'nosniff']);
  res.flushHeaders();
  await pipeline(log, res, { signal });
}

/** @throws StatusError 403 */
function protocolOf({ req }: PassedRequest, apiDomain: string): string {
  const asked = req.headers['sec-websocket-protocol'];
  if (asked === undefined) return '';
  const known = [`binary.${apiDomain}`, `base64.binary.${apiDomain}`];
  const names = asked.split(',').map((name) => name.trim());
  const chosen = names.find((name) => known.includes(name));
  if (chosen !== undefined) return chosen;
  const problem = `the subprotocols of a log are ${known.join(' and ')}; none of them is asked for`;
  throw new StatusError(403, 'Forbidden', problem);
}

/** The first message is empty: it tells that the log has begun. */
async function* messagesOf(log: AsyncIterable<Buffer>, isBinary: boolean): AsyncGenerator<Buffer> {
  yield Buffer.concat(messageFrame(Buffer.alloc(0), isBinary));
  for await (const piece of log) {
    const payload = isBinary ? piece : Buffer.from(piece.toString('base64'));
    yield Buffer.concat(messageFrame(payload, isBinary));
  }
}

/** A client that ends the WebSocket has seen enough: that is no error. */
async function sendMessages(
  socket: Duplex,
  messages: AsyncIterable<Buffer>,
  signal: AbortSignal,
): Promise<void> {
  const isOver = new Promise<void>((resolve) => socket.once('finish', resolve).once('close', resolve));
  try {
    await Promise.race([pipeline(messages, socket, { signal, end: false }), isOver]);
    if (socket.writable) socket.end(closeFrame());
  } catch (error) {
    if (socket.writable && !signal.aborted) throw error;
  } finally {
    closeAfterLinger(socket);
  }
}
