/** Caches documents that change rarely: plain and compressed bytes, with a hash for the ETag. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Slice } from '../base/cooperate.ts';
import type { RequestContext } from './request-context.ts';
import { noCache, writeHead } from './respond.ts';
import { acceptsGzip, sendSlices, slicedBytes } from './sliced-stream.ts';

/** Smaller documents are not compressed. */
const minGzipBytes = 1_400;
/** Bytes: hashed in about a millisecond. */
const hashedAtOnce = 512 * 1024;
const yearSeconds = 365 * 24 * 3_600;

export interface CachedDocument {
  readonly mediaType: string;
  readonly bytes: Buffer;
  readonly compressed: Buffer | undefined;
  /** Hash of the content in upper-case hexadecimal. */
  readonly hash: string;
}

const compress = promisify(gzip);

/** Compresses in the thread pool and hashes in pieces. */
export async function cacheDocument(mediaType: string, bytes: Buffer): Promise<CachedDocument> {
  const hash = await hashOf(bytes);
  const compressed = bytes.length < minGzipBytes ? undefined : await compress(bytes);
  return { mediaType, bytes, compressed, hash };
}

async function hashOf(bytes: Buffer): Promise<string> {
  const digest = createHash('sha256');
  const slice = new Slice();
  for (let at = 0; at < bytes.length; at += hashedAtOnce) {
    digest.update(bytes.subarray(at, at + hashedAtOnce));
    await slice.breathe();
  }
  return digest.digest('hex').toUpperCase();
}

/**
 * Sends a document, or 304 if the client has it. Documents may have many megabytes, so they are sent in pieces at the
 * pace of the client.
 * @param isImmutable the URL names this content, so the client may cache it without revalidation
 */
export async function sendCached(
  context: RequestContext,
  document: CachedDocument,
  isImmutable = false,
): Promise<void> {
  if (context.isClosed()) return;
  const { mediaType: contentType, bytes, compressed, hash } = document;
  const isCompressed = compressed !== undefined && acceptsGzip(context);
  const etag = isCompressed ? `W/"${hash}"` : `"${hash}"`;
  const extra = ['ETag', etag, 'Vary', 'Accept, Accept-Encoding'];
  const cacheControl = isImmutable ? `public, max-age=${String(yearSeconds)}, immutable` : noCache;
  const { clock } = context.phase;
  if (isImmutable) extra.push('Expires', new Date(clock.now() + yearSeconds * 1_000).toUTCString());
  if (hasIt(context, hash)) {
    writeHead(context, { code: 304, contentType, length: undefined, cacheControl, extra }).end();
    return;
  }
  if (isCompressed) extra.push('Content-Encoding', 'gzip');
  const body = isCompressed ? compressed : bytes;
  const res = writeHead(context, { code: 200, contentType, length: body.length, cacheControl, extra });
  await sendSlices(context, res, slicedBytes(body));
}

/** RFC 9110, section 13.1.2: weak comparison. */
function hasIt({ req }: RequestContext, hash: string): boolean {
  const asked = req.headers['if-none-match']?.trim();
  if (asked === undefined) return false;
  return asked === '*' || asked.split(',').some((tag) => tag.trim().replace(/^W\//, '') === `"${hash}"`);
}
