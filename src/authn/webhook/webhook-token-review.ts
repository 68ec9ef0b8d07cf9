/** TokenReview as exchanged with a webhook: the request and the response. */
import { isObject, setOwn, textOf, type JsonObject, type JsonValue } from '../../base/json.ts';
import { assertTypes, isFlag, isMapOf, isText, isTexts } from '../../meta/answer-types.ts';
import type { UserInfo } from '../../meta/user.ts';
import { mostLength, mostTexts } from '../user-bounds.ts';

export type ReviewVersion = 'v1' | 'v1beta1';

/** How reviews are written. */
export interface ReviewForm {
  /** Group and version. */
  readonly apiVersion: string;
  /** Metadata say that they have no time of creation (`creationTimestamp: null`): releases before 1.34 do. */
  readonly writesZeroTime: boolean;
}

export function tokenReview(
  { apiVersion, writesZeroTime }: ReviewForm,
  token: string,
  audiences: readonly string[],
): JsonObject {
  return {
    kind: 'TokenReview',
    apiVersion,
    metadata: writesZeroTime ? { creationTimestamp: null } : {},
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

const statusTypes = { authenticated: isFlag, error: isText, audiences: isTexts, user: isObject };
const userTypes = { username: isText, uid: isText, groups: isTexts, extra: isMapOf(isTexts) };

/** @throws Error when the answer is none, or its user has more than a user may have */
export function readTokenReview(result: JsonObject, apiVersion: string): TokenReviewResult {
  const { kind, status } = result;
  if (kind !== 'TokenReview' || result['apiVersion'] !== apiVersion || !isObject(status))
    throw new Error(`the answer is no TokenReview of ${apiVersion} with a status`);
  assertTypes(status, 'status', statusTypes);
  const error = textOf(status['error']);
  if (status['authenticated'] !== true) return { user: undefined, audiences: [], error };
  return { user: readUser(status['user']), audiences: textsOf(status['audiences']), error };
}

function readUser(json: JsonValue | undefined): UserInfo {
  const user = isObject(json) ? json : {};
  assertTypes(user, 'status.user', userTypes);
  const name = textOf(user['username']);
  if (name === '') throw new Error('the answer accepts the token and names no user');
  assertModest(user);
  const groups = [...new Set(textsOf(user['groups']))];
  return { name, uid: textOf(user['uid']), groups, extra: extraOf(user['extra']) };
}

/** Before anything is made of it. @throws Error */
function assertModest({ username, uid, groups, extra }: JsonObject): void {
  const values = Object.entries(isObject(extra) ? extra : {});
  let count = textsIn(groups).length + values.length;
  for (const [, texts] of values) count += textsIn(texts).length;
  if (count > mostTexts)
    throw new Error(`the answer gives the user more than ${String(mostTexts)} groups and values of extra`);
  const texts = [
    username,
    uid,
    ...textsIn(groups),
    ...values.flatMap(([key, each]) => [key, ...textsIn(each)]),
  ];
  const length = texts.reduce<number>((sum, text) => sum + textOf(text).length, 0);
  if (length > mostLength)
    throw new Error(`the answer gives the user names of more than ${String(mostLength)} characters`);
}

function textsIn(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function extraOf(json: JsonValue | undefined): UserInfo['extra'] {
  const extra: JsonObject = {};
  for (const [key, values] of Object.entries(isObject(json) ? json : {})) setOwn(extra, key, textsOf(values));
  return extra as Record<string, string[]>;
}

function textsOf(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
