/** The content of a cached document, however it is kept. */
import { gunzipSync } from 'node:zlib';
import type { CachedDocument } from '../../../src/http/cached-document.ts';

/** Empty for no document. */
export function contentOf(document: CachedDocument | undefined): Buffer {
  if (document?.bytes) return document.bytes;
  return document?.compressed ? gunzipSync(document.compressed) : Buffer.alloc(0);
}
