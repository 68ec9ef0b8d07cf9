/**
 * Continue tokens of chunked lists. They hold all that a later chunk needs, so that any replica serves it, also
 * after a restart: the revision of the first page and the last key given.
 */
import { badRequest } from '../../meta/status.ts';

export interface ContinueToken {
  /** Revision of the snapshot; undefined: continue at the newest (an inconsistent continuation after a 410). */
  readonly revision: number | undefined;
  /** Last key given, relative to the scope of the list. */
  readonly after: string;
}

const maxTokenLength = 4096;

/** Opaque text for `metadata.continue`. */
export function encodeContinueToken(token: ContinueToken): string {
  const body = JSON.stringify({ rv: token.revision ?? -1, after: token.after });
  return Buffer.from(body).toString('base64url');
}

/** Reads a token back. @throws StatusError 400 when it is not one of ours */
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
