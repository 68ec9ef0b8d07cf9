/** TokenReview as exchanged with a webhook: the request and the response. */
import { isObject, setOwn, textOf, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { UserInfo } from '../../meta/user.ts';

export type ReviewVersion = 'v1' | 'v1beta1';

/** @param apiVersion group and version */
export function tokenReview(apiVersion: string, token: string, audiences: readonly string[]): JsonObject {
  return {
    kind: 'TokenReview',
    apiVersion,
    metadata: { creationTimestamp: null },
    spec: { token, audiences: [...audiences] },
  };
}

export interface TokenReviewResult {
  /** undefined: the token is not authenticated. */
  readonly user: UserInfo | undefined;
  /** Whom the token is meant for; empty where the webhook does not say. */
  readonly audiences: readonly string[];
  /** Why it is not authenticated; '' when the webhook gives no reason. */
  readonly error: string;
}

/** @throws Error when the answer is none */
export function readTokenReview(result: JsonObject, apiVersion: string): TokenReviewResult {
  const { kind, status } = result;
  if (kind !== 'TokenReview' || result['apiVersion'] !== apiVersion || !isObject(status))
    throw new Error(`the answer is no TokenReview of ${apiVersion} with a status`);
  const error = textOf(status['error']);
  if (status['authenticated'] !== true) return { user: undefined, audiences: [], error };
  return { user: readUser(status['user']), audiences: textsOf(status['audiences']), error };
}

function readUser(json: JsonValue | undefined): UserInfo {
  const user = isObject(json) ? json : {};
  const name = textOf(user['username']);
  if (name === '') throw new Error('the answer accepts the token and names no user');
  const groups = [...new Set(textsOf(user['groups']))];
  return { name, uid: textOf(user['uid']), groups, extra: extraOf(user['extra']) };
}

function extraOf(json: JsonValue | undefined): UserInfo['extra'] {
  const extra: JsonObject = {};
  for (const [key, values] of Object.entries(isObject(json) ? json : {})) setOwn(extra, key, textsOf(values));
  return extra as Record<string, string[]>;
}

function textsOf(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
