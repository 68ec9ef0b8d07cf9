/** Removes credentials from a request, so that later steps cannot log or forward them. */
import type { IncomingMessage } from 'node:http';
import type { ProxyHeaders } from '../../authn/request-header.ts';
import { namesUser } from '../../meta/user-headers.ts';
import { protocolsHeader, type SocketTokens } from '../../authn/socket-token.ts';

/**
 * Removes `Authorization` and the headers that name a user to a server behind a proxy: those of this API, which servers of
 * other APIs believe, also where nobody may send them here (WithAuthentication of apiserver).
 * @param proxyHeaders further ones of an authenticating proxy
 */
export function createCredentialRemoval(proxyHeaders?: ProxyHeaders): (req: IncomingMessage) => void {
  const { usernames = [], uids = [], groups = [], extraPrefixes = [] } = proxyHeaders ?? {};
  const names = new Set(['authorization', ...usernames, ...uids, ...groups]);
  const isCredential = (name: string): boolean =>
    names.has(name) || namesUser(name) || extraPrefixes.some((prefix) => name.startsWith(prefix));
  return (req) => {
    let hasAny = false;
    // On the hot path: nothing more where there is nothing to remove.
    for (const name in req.headers)
      if (isCredential(name)) {
        hasAny = true;
        Reflect.deleteProperty(req.headers, name);
      }
    if (hasAny) req.rawHeaders = without(req.rawHeaders, isCredential);
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

/** Removes the token from the subprotocols of a WebSocket; the others stay. */
export function removeSocketToken(req: IncomingMessage, tokens: SocketTokens): void {
  const { headers } = req;
  const protocols = headers[protocolsHeader];
  if (protocols === undefined || tokens.without(protocols) === protocols) return;
  const kept: string[] = [];
  for (let i = 0; i + 1 < req.rawHeaders.length; i += 2) {
    const [name = '', value = ''] = [req.rawHeaders[i], req.rawHeaders[i + 1]];
    const rest = name.toLowerCase() === protocolsHeader ? tokens.without(value) : value;
    if (rest !== '' || value === '') kept.push(name, rest);
  }
  req.rawHeaders = kept;
  const rest = tokens.without(protocols);
  if (rest === '') Reflect.deleteProperty(headers, protocolsHeader);
  else headers[protocolsHeader] = rest;
}
