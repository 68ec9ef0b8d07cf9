/** Removes credentials from a request, so that later steps cannot log or forward them. */
import type { IncomingMessage } from 'node:http';
import type { ProxyHeaders } from '../../authn/request-header.ts';
import { protocolsHeader, type SocketTokens } from '../../authn/socket-token.ts';

/** @param proxyHeaders of an authenticating proxy, which are credentials too */
export function createCredentialRemoval(proxyHeaders?: ProxyHeaders): (req: IncomingMessage) => void {
  return proxyHeaders === undefined ? removeAuthorization : removalOf(proxyHeaders);
}

const authorization = 'authorization';

/** On the hot path: looks at each header once, and at none if there is nothing to remove. */
function removeAuthorization({ headers, rawHeaders }: IncomingMessage): void {
  if (headers.authorization === undefined) return;
  delete headers.authorization;
  for (let i = rawHeaders.length - 2; i >= 0; i -= 2) {
    const name = rawHeaders[i] ?? '';
    if (name.length === authorization.length && name.toLowerCase() === authorization) rawHeaders.splice(i, 2);
  }
}

function removalOf({ usernames, uids, groups, extraPrefixes }: ProxyHeaders): (req: IncomingMessage) => void {
  const names = new Set([authorization, ...usernames, ...uids, ...groups]);
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
