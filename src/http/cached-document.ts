/** Caches documents that change rarely: plain or compressed bytes, with a hash for the ETag. */
import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGzip, gzip } from 'node:zlib';
import { Slice } from '../base/cooperate.ts';
import type { RequestContext } from './request-context.ts';
import { noCache, writeHead } from './respond.ts';
import { acceptsGzip, sendSlices, sendUnpacked, slicedBytes } from './sliced-stream.ts';

/** Smaller documents are not compressed. */
const minGzipBytes = 1_400;
/** Larger ones are kept compressed only, a tenth of their size: clients that do not accept gzip are few. */
const maxPlainBytes = 64 * 1024;
/** Bytes: hashed in about half a millisecond. */
export const blockBytes = 256 * 1024;
const yearSeconds = 365 * 24 * 3_600;

export interface CachedDocument {
  readonly mediaType: string;
  /** Bytes of the content, not compressed. */
  readonly length: number;
  /** The content; undefined if only the compressed one is kept. */
  readonly bytes: Buffer | undefined;
  /** Undefined for small ones. */
  readonly compressed: Buffer | undefined;
  /** A hash that says the same content, in upper-case hexadecimal. */
  readonly hash: string;
}

const compress = promisify(gzip);

/**
 * Compresses in the thread pool and hashes in slices.
 * @param parts the content; large documents are never put together
 * @param known what names the content, where that is known; default: a hash of it
 */
export async function cacheDocument(
  mediaType: string,
  parts: readonly Buffer[],
  known?: string,
): Promise<CachedDocument> {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const digest = createHash('sha256');
  if (length > maxPlainBytes) {
    const compressed = await packed(blocksOf(parts), digest);
    return { mediaType, length, bytes: undefined, compressed, hash: known ?? hashText(digest) };
  }
  const bytes = Buffer.concat(parts);
  const hash = known ?? hashText(digest.update(bytes));
  const compressed = length < minGzipBytes ? undefined : await compress(bytes);
  return { mediaType, length, bytes, compressed, hash };
}

function hashText(digest: Hash): string {
  return digest.digest('hex').toUpperCase();
}

async function packed(blocks: Iterable<Buffer>, digest: Hash): Promise<Buffer> {
  const compressed: Buffer[] = [];
  await pipeline(
    Readable.from(hashing(blocks, digest)),
    createGzip(),
    async (made: AsyncIterable<Buffer>) => {
      for await (const chunk of made) compressed.push(chunk);
    },
  );
  return Buffer.concat(compressed);
}

async function* hashing(blocks: Iterable<Buffer>, digest: Hash): AsyncGenerator<Buffer, void, undefined> {
  const slice = new Slice();
  for (const block of blocks) {
    digest.update(block);
    yield block;
    await slice.breathe();
  }
}

/** The same bytes in blocks of about the same size: some parts are of one byte, others of megabytes. */
export function* blocksOf(parts: readonly Buffer[]): Iterable<Buffer> {
  let small: Buffer[] = [];
  let size = 0;
  for (const part of parts) {
    for (let at = 0; at < part.length; at += blockBytes) {
      const piece = part.subarray(at, at + blockBytes);
      small.push(piece);
      size += piece.length;
      if (size < blockBytes) continue;
      yield small.length === 1 ? piece : Buffer.concat(small);
      small = [];
      size = 0;
    }
  }
  if (size > 0) yield Buffer.concat(small);
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
  const { mediaType: contentType, compressed, hash } = document;
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
  const length = isCompressed ? compressed.length : document.length;
  const res = writeHead(context, { code: 200, contentType, length, cacheControl, extra });
  const body = isCompressed ? compressed : document.bytes;
  if (body) await sendSlices(context, res, slicedBytes(body));
  else if (compressed) await sendUnpacked(context, res, compressed);
}

/** RFC 9110, section 13.1.2: weak comparison. */
function hasIt({ req }: RequestContext, hash: string): boolean {
  const asked = req.headers['if-none-match']?.trim();
  if (asked === undefined) return false;
  return asked === '*' || asked.split(',').some((tag) => tag.trim().replace(/^W\//, '') === `"${hash}"`);
}
