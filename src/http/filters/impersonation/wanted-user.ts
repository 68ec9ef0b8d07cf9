/** The user that a request asks to be, by its headers. */
import type { IncomingMessage } from 'node:http';
import { headerText, HeaderTextError } from '../../../base/header-text.ts';
import { badRequest } from '../../../meta/status.ts';

const prefix = 'impersonate-';
const extraPrefix = 'impersonate-extra-';

/** The user that the client impersonates. */
export interface WantedUser {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** Whether a header may name one. */
export function requestsImpersonation({ headers }: IncomingMessage): boolean {
  for (const name in headers) if (name.startsWith(prefix)) return true;
  return false;
}

/**
 * Reads and removes the headers; undefined if they name no user.
 * @throws StatusError 400 for attributes without a user, and for invalid UTF-8
 */
export function takeWantedUser({ headers, rawHeaders }: IncomingMessage): WantedUser | undefined {
  const values = new Map<string, string[]>();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]?.toLowerCase() ?? '';
    if (name.startsWith(prefix)) append(values, name, textOf(rawHeaders[i + 1] ?? ''));
  }
  for (const name of values.keys()) Reflect.deleteProperty(headers, name);
  const of = (name: string): string[] => values.get(`${prefix}${name}`) ?? [];
  const extra = extraOf(values);
  const wanted = {
    name: of('user')[0] ?? '',
    uid: of('uid')[0] ?? '',
    groups: of('group'),
    extra: Object.fromEntries(extra),
  };
  if (wanted.name !== '') return wanted;
  if (wanted.uid === '' && wanted.groups.length === 0 && extra.size === 0) return undefined;
  throw badRequest('attributes of a user are asked for without impersonating a user');
}

/** Several headers may spell one key, as `a` and `%61`: their values go together. */
function extraOf(values: ReadonlyMap<string, readonly string[]>): Map<string, string[]> {
  const extra = new Map<string, string[]>();
  for (const [name, list] of values)
    if (name.startsWith(extraPrefix)) for (const value of list) append(extra, extraKey(name), value);
  return extra;
}

function append(values: Map<string, string[]>, name: string, value: string): void {
  const known = values.get(name);
  if (known) known.push(value);
  else values.set(name, [value]);
}

function textOf(value: string): string {
  try {
    return headerText(value);
  } catch (error) {
    throw error instanceof HeaderTextError ? badRequest(error.message) : error;
  }
}

/** Keys are lower-case; invalid escapes are kept. */
function extraKey(name: string): string {
  const key = name.slice(extraPrefix.length);
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
