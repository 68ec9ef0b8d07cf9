/**
 * Bodies of requests to the testing paths. What comes beyond the longest, or is not wanted, is passed over to its end: a client that
 * is still sending when the answer comes, or whose connection ends, gets an error of its socket in place of the answer.
 */
import type { IncomingMessage } from 'node:http';
import { StatusError } from '../../meta/status.ts';

export const longestBody = 64 * 1024;

export interface DropLimits {
  readonly bytes: number;
  /** Of the whole rest. */
  readonly ms: number;
}

const usualDropLimits: DropLimits = { bytes: 64 * 1024 * 1024, ms: 10_000 };

/** @returns the whole body @throws StatusError 413 as soon as it is too long; Error if the client leaves */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers['content-length']) > longestBody) throw tooLong();
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunksOf(request)) {
    length += chunk.length;
    if (length > longestBody) throw tooLong();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Passes over the rest of the body.
 * @returns whether the connection can go on: not behind more bytes than the limit, or if the client left or sent for longer
 */
export async function dropRest(
  request: IncomingMessage,
  { bytes, ms }: DropLimits = usualDropLimits,
): Promise<boolean> {
  const overdue = setTimeout(() => request.destroy(), ms);
  let left = bytes;
  try {
    for await (const chunk of chunksOf(request)) {
      left -= chunk.length;
      if (left < 0) return false;
    }
    return true;
  } catch {
    return false;
  } finally {
    clearTimeout(overdue);
  }
}

/** Who stops in between may go on later. */
function chunksOf(request: IncomingMessage): AsyncIterable<Buffer> {
  return request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
}

function tooLong(): StatusError {
  const most = `at most ${String(longestBody)} bytes: files are named by their path`;
  return new StatusError(413, 'RequestEntityTooLarge', `a body has ${most}`);
}
