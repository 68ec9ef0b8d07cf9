/**
 * Continue tokens of chunked lists. They contain the revision of the first page and the last returned key, so that
 * any replica can serve the next chunk, even after a restart.
 */
import { badRequest } from '../../meta/status.ts';

export interface ContinueToken {
  /** Revision of the snapshot; undefined: continue at the newest (an inconsistent continuation after a 410). */
  readonly revision: number | undefined;
  /** Last returned key, relative to the scope of the list. */
  readonly after: string;
}

const maxTokenLength = 4096;

/** Opaque text for `metadata.continue`. */
export function encodeContinueToken(token: ContinueToken): string {
  const body = JSON.stringify({ rv: token.revision ?? -1, after: token.after });
  return Buffer.from(body).toString('base64url');
}

/**
 * Decodes a token.
 * @throws StatusError 400 if it is malformed
 */
export function decodeContinueToken(text: string): ContinueToken {
  const body = parseBody(text);
  const { rv, after } = body ?? {};
  const valid = typeof rv === 'number' && Number.isSafeInteger(rv) && (rv > 0 || rv === -1);
  if (!valid || typeof after !== 'string' || after === '') {
    throw badRequest('continue key is not valid: pass back metadata.continue of the former chunk unchanged');
  }
  return { revision: rv === -1 ? undefined : rv, after };
}

function parseBody(text: string): Record<string, unknown> | undefined {
  if (text.length > maxTokenLength || !/^[A-Za-z0-9_-]+$/.test(text)) return undefined;
  try {
    const body: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
