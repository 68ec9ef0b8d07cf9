/**
 * Continue tokens of chunked lists. They contain the revision of the first page, the past of etcd that it is of, and the last
 * returned key, so that any replica can serve the next chunk, even after a restart, and none goes on with another state.
 */
import { badRequest } from '../../meta/status.ts';

export interface ContinueToken {
  /** Revision of the snapshot; undefined: continue at the newest (an inconsistent continuation after a 410). */
  readonly revision: number | undefined;
  /** Last returned key, relative to the scope of the list. */
  readonly after: string;
  /** Name of the past of etcd (`storage/past-name.ts`); absent if it has none, and in tokens of former builds. */
  readonly past?: string | undefined;
}

const maxTokenLength = 4096;

/** Opaque text for `metadata.continue`. */
export function encodeContinueToken(token: ContinueToken): string {
  const { revision = -1, after, past } = token;
  const body = JSON.stringify({ rv: revision, after, past });
  return Buffer.from(body).toString('base64url');
}

/**
 * Decodes a token.
 * @throws StatusError 400 if it is malformed
 */
export function decodeContinueToken(text: string): ContinueToken {
  const body = parseBody(text);
  const { rv, after, past } = body ?? {};
  const valid = typeof rv === 'number' && Number.isSafeInteger(rv) && (rv > 0 || rv === -1);
  const isOfPast = past === undefined || typeof past === 'string';
  if (!valid || !isOfPast || typeof after !== 'string' || after === '') {
    throw badRequest('continue key is not valid: pass back metadata.continue of the former chunk unchanged');
  }
  return { revision: rv === -1 ? undefined : rv, after, ...(past !== undefined && { past }) };
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
