/** Takes credentials out of a request, so that nothing that comes later can log them or pass them on. */
import type { IncomingMessage } from 'node:http';
import type { ProxyHeaders } from '../../authn/request-header.ts';

/** @param proxyHeaders in which an authenticating proxy tells of users; they prove as much as a password does */
export function createCredentialRemoval(proxyHeaders?: ProxyHeaders): (req: IncomingMessage) => void {
  const { usernames = [], groups = [], extraPrefixes = [] } = proxyHeaders ?? {};
  const names = new Set(['authorization', ...usernames, ...groups]);
  const isCredential = (name: string): boolean =>
    names.has(name) || extraPrefixes.some((prefix) => name.startsWith(prefix));
  return (req) => {
    // Most requests have none, and looking at every header is not free.
    if (proxyHeaders === undefined && req.headers.authorization === undefined) return;
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
