/**
 * The request headers that name the user to another server, as `SetAuthProxyHeaders` of client-go writes them. That
 * server believes them because of the client certificate (`--proxy-client-cert-file`).
 */
import type { UserInfo } from './user.ts';

const userHeader = 'x-remote-user';
const groupHeader = 'x-remote-group';
const extraPrefix = 'x-remote-extra-';
/** Release 1.32 and later read it, too. */
const uidHeader = 'x-remote-uid';

const names: ReadonlySet<string> = new Set([userHeader, groupHeader, uidHeader]);

/**
 * Values by name in lower case.
 * @param passesUid whether the UID is one of them (feature gate `RemoteRequestHeaderUID`)
 */
export function userHeaders(
  { name, uid, groups, extra }: UserInfo,
  passesUid: boolean,
): Record<string, string | string[]> {
  const ofExtra = Object.entries(extra).map(([key, values]) => [
    `${extraPrefix}${escapedKey(key)}`,
    values.map(wireText),
  ]);
  return {
    [userHeader]: wireText(name),
    ...(passesUid && uid !== '' && { [uidHeader]: wireText(uid) }),
    ...(groups.length > 0 && { [groupHeader]: groups.map(wireText) }),
    ...(Object.fromEntries(ofExtra) as Record<string, string[]>),
  };
}

/** Whether a header would name a user: those of clients must not reach another server. @param header in lower case */
export function namesUser(header: string): boolean {
  return names.has(header) || header.startsWith(extraPrefix);
}

/** UTF-8 bytes, one character each: Node writes headers in Latin-1. */
function wireText(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Everything that a header name cannot hold is percent-encoded, and so is the percent sign; in lower case. */
function escapedKey(key: string): string {
  return [...Buffer.from(key, 'utf8')]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[!#$&'*+\-.^_`|~0-9A-Za-z]/.test(character)
        ? character
        : `%${byte.toString(16).padStart(2, '0')}`;
    })
    .join('')
    .toLowerCase();
}
