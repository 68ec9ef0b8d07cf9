/** Headers that pass a proxy, and those that do not (RFC 9110, section 7.6.1). */
import type { IncomingMessage } from 'node:http';
import type { Backend } from './types.ts';

/** They belong to one connection; a header `Connection` names further ones, but never `Content-Length`. */
const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'proxy-connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Requests: what the proxy says itself or must not hand on. Credentials and impersonation were for the proxy; expectations
 * are answered by it.
 */
function isOfProxy(name: string): boolean {
  return name === 'host' || name === 'expect' || name === 'authorization' || name.startsWith('impersonate-');
}

/** A backend could open the API to other web pages with them, as its pages have the origin of the API. */
const corsHeaders: ReadonlySet<string> = new Set([
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
]);

/** Written anew below. */
function isForwarding(name: string, { mount }: Backend): boolean {
  return name === 'x-forwarded-for' || (name === 'x-forwarded-uri' && mount !== undefined);
}

/** Headers as names and values alternating, as Node has them in `rawHeaders`. */
export type HeaderList = readonly string[];

/** The headers for the backend; `Connection` and `Upgrade` are left to the caller. */
export function requestHeaders(req: IncomingMessage, backend: Backend): string[] {
  const own = backend.headers ?? {};
  const isLeftOut = (name: string): boolean =>
    isOfProxy(name) || Object.hasOwn(own, name) || backend.isWithheld?.(name) === true;
  const kept = endToEnd(req.rawHeaders, (name) => isForwarding(name, backend) || isLeftOut(name));
  // First, as RFC 9110 (section 7.2) recommends.
  const headers = ['Host', backend.hostHeader ?? req.headers.host ?? hostOf(backend), ...kept];
  if (req.headers['transfer-encoding'] !== undefined) headers.push('Transfer-Encoding', 'chunked');
  if (!Object.hasOwn(own, 'x-forwarded-for') && !isLeftOut('x-forwarded-for'))
    headers.push(...forwardedFor(req));
  // For backends that make links of it.
  if (backend.mount !== undefined) headers.push('X-Forwarded-Uri', (req.url ?? '/').split('?', 1)[0] ?? '/');
  for (const [name, value] of Object.entries(own))
    for (const each of typeof value === 'string' ? [value] : value) headers.push(name, each);
  return headers;
}

/** The headers for the client. */
export function responseHeaders(
  response: IncomingMessage,
  { mount }: Pick<Backend, 'mount'>,
  ownHeaders: HeaderList = [],
): string[] {
  const isLeftOut = (name: string): boolean => mount !== undefined && corsHeaders.has(name);
  const kept = endToEnd(response.rawHeaders, isLeftOut);
  const given = new Set(kept.filter((_text, i) => i % 2 === 0).map((name) => name.toLowerCase()));
  const added: string[] = [];
  for (let i = 0; i + 1 < ownHeaders.length; i += 2) {
    const [name = '', value = ''] = ownHeaders.slice(i, i + 2);
    if (!given.has(name.toLowerCase())) added.push(name, value);
  }
  return [...added, ...kept];
}

/** Whether a message says that it changes the protocol of its connection. */
export function upgradesTo({ headers }: IncomingMessage): string | undefined {
  const isAsked = (headers.connection ?? '').toLowerCase().includes('upgrade');
  return isAsked && headers.upgrade !== undefined ? headers.upgrade : undefined;
}

/** `host:port` of the backend, without the usual port of its scheme. */
export function hostOf({ scheme, host, port }: Backend): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return port === (scheme === 'https' ? 443 : 80) ? name : `${name}:${String(port)}`;
}

function endToEnd(rawHeaders: HeaderList, isLeftOut: (name: string) => boolean): string[] {
  const named = new Set<string>();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.toLowerCase() === 'connection')
      for (const name of (rawHeaders[i + 1] ?? '').split(',')) named.add(name.trim().toLowerCase());
  // Without its length, the body of a GET would reach the backend as a further request, in the name of the proxy.
  named.delete('content-length');
  const kept: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    const lower = name.toLowerCase();
    if (!hopByHop.has(lower) && !named.has(lower) && !isLeftOut(lower))
      kept.push(name, rawHeaders[i + 1] ?? '');
  }
  return kept;
}

/** The chain of addresses that the request came through, its last one the peer of this connection. */
function forwardedFor({ headers, socket }: IncomingMessage): string[] {
  const peer = (socket.remoteAddress ?? '').replace(/^::ffff:(?=[0-9.]+$)/, '');
  const chain = [headers['x-forwarded-for'] ?? '', peer].flat().filter((text) => text !== '');
  return chain.length === 0 ? [] : ['X-Forwarded-For', chain.join(', ')];
}
