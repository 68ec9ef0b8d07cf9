/**
 * The rest of a request body after the response. It is read and dropped, so that the client gets to read the response and
 * can send its next request; but no more of it than a body may have, and not in chunks of a few bytes.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { ChunkCount } from '../base/chunk-count.ts';
import { maxBodyBytes } from '../codec/limits.ts';
import { serveNoMore, stopReading } from './stop-reading.ts';

/** A client that is still sending has this time to read the response before the connection is closed. */
const lingerMs = 1_000;

const dropped = new WeakSet<IncomingMessage>();

/**
 * Drops the rest of the body; closes the connection if that is too long. Idempotent. A stream of HTTP/2 is reset after its
 * response instead.
 * @param progress what was read before, where it counts
 */
export function dropRest(req: IncomingMessage, progress = new ChunkCount()): void {
  if (req.complete || dropped.has(req)) return;
  dropped.add(req);
  // The response of a stream ends it, whatever the client still sends.
  if (req.httpVersionMajor === 2) return;
  let isOver = false;
  req.on('data', (chunk: Buffer) => {
    progress.take(chunk.length);
    if (isOver || (progress.bytes <= maxBodyBytes && !progress.areTooSmall)) return;
    isOver = true;
    req.pause();
    stopReading(req.socket);
    closeAfterLinger(req.socket);
  });
  req.resume();
}

/** Whether more of the body is announced than is dropped: the connection cannot go on behind it. */
export function isTooLongToDrop({ complete, headers }: IncomingMessage): boolean {
  return !complete && Number(headers['content-length'] ?? 0) > maxBodyBytes;
}

/**
 * Ends the connection after the response, which says so: a client, or a proxy that has many clients on the connection, would send
 * its next request into a reset. Node itself would close it at once, with what the client still sends unread, and so discard the response.
 */
export function endBehindResponse({ socket, httpVersionMajor }: IncomingMessage): void {
  if (httpVersionMajor === 2) return;
  serveNoMore(socket);
  socket.destroySoon = () => {
    socket.end();
    closeAfterLinger(socket);
  };
}

/** True if the request has a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** An immediate reset would discard the response for a client that is still sending. */
export function closeAfterLinger(socket: Duplex): void {
  const overdue = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => {
    clearTimeout(overdue);
  });
}
