/** Documents that change rarely and are asked for often: ready bytes, plain and compressed, with a hash that clients keep. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { RequestContext } from './context.ts';
import { notKept, writeHead } from './respond.ts';
import { acceptsGzip } from './stream.ts';

/** Below this compression saves nothing worth it. */
const minGzipBytes = 1_400;
const yearSeconds = 365 * 24 * 3_600;

export interface CachedDocument {
  readonly mediaType: string;
  readonly bytes: Buffer;
  readonly compressed: Buffer | undefined;
  /** Of the content; upper-case hexadecimal. */
  readonly hash: string;
}

const compress = promisify(gzip);

/** Compresses off this thread. */
export async function cacheDocument(mediaType: string, bytes: Buffer): Promise<CachedDocument> {
  const hash = createHash('sha256').update(bytes).digest('hex').toUpperCase();
  const compressed = bytes.length < minGzipBytes ? undefined : await compress(bytes);
  return { mediaType, bytes, compressed, hash };
}

/**
 * Answers with a document, or with 304 when the client has it.
 * @param isImmutable the address names this very content: the client need not ask again
 */
export function sendCached(context: RequestContext, document: CachedDocument, isImmutable = false): void {
  if (context.isClosed()) return;
  const { mediaType: contentType, bytes, compressed, hash } = document;
  const isCompressed = compressed !== undefined && acceptsGzip(context);
  const etag = isCompressed ? `W/"${hash}"` : `"${hash}"`;
  const extra = ['ETag', etag, 'Vary', 'Accept, Accept-Encoding'];
  const cacheControl = isImmutable ? `public, max-age=${String(yearSeconds)}, immutable` : notKept;
  if (isImmutable) extra.push('Expires', new Date(Date.now() + yearSeconds * 1_000).toUTCString());
  if (hasIt(context, hash)) {
    writeHead(context, { code: 304, contentType, length: undefined, cacheControl, extra }).end();
    return;
  }
  if (isCompressed) extra.push('Content-Encoding', 'gzip');
  const body = isCompressed ? compressed : bytes;
  writeHead(context, { code: 200, contentType, length: body.length, cacheControl, extra }).end(body);
}

/** RFC 9110, section 13.1.2: weak comparison. */
function hasIt({ req }: RequestContext, hash: string): boolean {
  const asked = req.headers['if-none-match']?.trim();
  if (asked === undefined) return false;
  return asked === '*' || asked.split(',').some((tag) => tag.trim().replace(/^W\//, '') === `"${hash}"`);
}
