/** Takes credentials out of a request, so that nothing that comes later can log them or pass them on. */
import type { IncomingMessage } from 'node:http';
import type { ProxyHeaders } from '../../authn/request-header.ts';

/** @param proxyHeaders in which an authenticating proxy tells of users; they prove as much as a password does */
export function createCredentialRemoval(proxyHeaders?: ProxyHeaders): (req: IncomingMessage) => void {
  return proxyHeaders === undefined ? removeAuthorization : removalOf(proxyHeaders);
}

const authorization = 'authorization';

/** Looks at no header twice, and at none where there is nothing to remove: every request comes by here. */
function removeAuthorization({ headers, rawHeaders }: IncomingMessage): void {
  if (headers.authorization === undefined) return;
  delete headers.authorization;
  for (let i = rawHeaders.length - 2; i >= 0; i -= 2) {
    const name = rawHeaders[i] ?? '';
    if (name.length === authorization.length && name.toLowerCase() === authorization) rawHeaders.splice(i, 2);
  }
}

function removalOf({ usernames, groups, extraPrefixes }: ProxyHeaders): (req: IncomingMessage) => void {
  const names = new Set([authorization, ...usernames, ...groups]);
  const isCredential = (name: string): boolean =>
    names.has(name) || extraPrefixes.some((prefix) => name.startsWith(prefix));
  return (req) => {
    for (const name of Object.keys(req.headers))
      if (isCredential(name)) Reflect.deleteProperty(req.headers, name);
    req.rawHeaders = without(req.rawHeaders, isCredential);
  };
}

function without(rawHeaders: readonly string[], isCredential: (name: string) => boolean): string[] {
  const kept: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const [name = '', value = ''] = [rawHeaders[i], rawHeaders[i + 1]];
    if (!isCredential(name.toLowerCase())) kept.push(name, value);
  }
  return kept;
}
