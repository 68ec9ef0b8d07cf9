/**
 * The rest of a request body after the response. It is read and dropped, so that the client gets to read the response and
 * can send its next request; but no more of it than a body may have, and not in chunks of a few bytes.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { ChunkCount } from '../base/chunk-count.ts';
import { maxBodyBytes } from '../codec/limits.ts';
import { stopReading } from './stop-reading.ts';

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
