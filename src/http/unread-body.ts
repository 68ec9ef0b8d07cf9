/**
 * The rest of a request body after the response. It is read and dropped, so that the client gets to read the response and
 * can send its next request; but no more of it than a body may have, and not in chunks of a few bytes. 3 MB that are dropped take
 * two to three times as much processor time as a new connection, and every 40 MB of them a full garbage collection. So of large bodies
 * so many are dropped in a second; nothing is read of the others, as of net/http in Go, and their connections end once the client had
 * time to read the response.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { ChunkCount } from '../base/chunk-count.ts';
import { systemClock } from '../base/clock.ts';
import { TokenBucket } from '../base/token-bucket.ts';
import { maxBodyBytes } from '../codec/limits.ts';
import { serveNoMore, stopReading } from './stop-reading.ts';

const megabyte = 1024 * 1024;
/** Shorter bodies are always dropped: a handshake takes about as long. Go drops 256 KiB, and never more. */
const smallBytes = megabyte / 2;
/** Bytes of larger ones: a twentieth of the thread. */
const larger = new TokenBucket({ qps: 16 * megabyte, burst: 32 * megabyte }, systemClock);

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
export function isTooLongToDrop(req: IncomingMessage): boolean {
  return !req.complete && announcedBytes(req) > maxBodyBytes;
}

/** Whether to drop what the client still sends; otherwise there is to be `leaveRest`. To be asked once. */
export function mayDropRest(req: IncomingMessage): boolean {
  if (req.complete || req.httpVersionMajor === 2) return true;
  const bytes = Math.min(announcedBytes(req), maxBodyBytes);
  return bytes <= smallBytes || larger.tryTake(bytes);
}

/** Reads nothing more of the body; the caller ends the connection behind the response. */
export function leaveRest(req: IncomingMessage): void {
  dropped.add(req);
  req.pause();
  stopReading(req.socket);
}

function announcedBytes({ headers }: IncomingMessage): number {
  return Number(headers['content-length'] ?? 0);
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
