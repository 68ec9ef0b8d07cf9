/**
 * A reverse proxy that knows upgrades: passes a request to a backend, and what comes back to the client.
 *
 *   request ──headers.ts──▶ ask-backend.ts ──▶ response ──headers.ts, links.ts──▶ client
 *   upgrade ──headers.ts──▶ ask-backend.ts ──▶ 101: relay.ts, bytes both ways
 *                                          └─▶ 4xx, 5xx: as it is, then the connection ends
 *
 * Behaviour: UpgradeAwareHandler and Transport in util/proxy of apimachinery. It follows no redirects (CVE-2020-8559).
 */
import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Duplex, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { Clock } from '../base/clock.ts';
import { timeLimit } from '../base/time-limit.ts';
import { askBackend, type BackendAnswer } from './ask-backend.ts';
import { hostOf, requestHeaders, responseHeaders, upgradesTo } from './headers.ts';
import { HtmlLinks } from './html-links.ts';
import { rewriteLink } from './links.ts';
import { relay } from './relay.ts';
import { BackendError, type Backend, type ProxiedRequest, type ProxyWaits } from './types.ts';

/** A backend that refuses an upgrade has this time for its response. */
const refusalMs = 10_000;
/** A response without a body; a length would tell some client that one comes (RFC 9110, section 8.6). */
const noContent = 204;

/**
 * Resolves when the response is passed on, or the connection of another protocol is closed.
 * @throws BackendError: nothing was sent to the client if its response has no head yet and its connection is not taken
 */
export async function proxyRequest(
  client: ProxiedRequest,
  backend: Backend,
  waits: ProxyWaits,
): Promise<void> {
  const { takeConnection } = client;
  const protocol = takeConnection && upgradesTo(client.req);
  if (takeConnection && protocol !== undefined)
    await passUpgrade({ ...client, takeConnection }, { backend, protocol, waits });
  else await passRequest(client, backend, waits);
}

async function passRequest(client: ProxiedRequest, backend: Backend, waits: ProxyWaits): Promise<void> {
  const { req, signal } = client;
  const hasBody =
    req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
  if (hasBody) client.beginBody?.();
  const answer = await askBackend(
    backend,
    {
      ...{ method: req.method ?? 'GET', headers: requestHeaders(req, backend), signal },
      ...(hasBody && { body: req }),
    },
    waits,
  );
  await passResponse(client, backend, answer);
}

async function passResponse(
  client: ProxiedRequest,
  backend: Backend,
  { response, body }: BackendAnswer,
): Promise<void> {
  const { res, signal } = client;
  const headers = responseHeaders(response, backend, client.ownHeaders);
  const { rewrite, location } = linksOf(client, backend);
  const isPage = rewrite !== undefined && location(headers) === undefined && isHtml(response);
  const filters = isPage && res.req.method !== 'HEAD' ? pageFilters(response, rewrite) : [];
  const isLengthKept = filters.length === 0 && response.statusCode !== noContent;
  const sent = isLengthKept ? headers : without(headers, 'content-length');
  client.beginResponse?.();
  try {
    res.writeHead(response.statusCode ?? 502, sent);
  } catch (error) {
    response.destroy();
    throw new BackendError('the response has headers that cannot be passed on', { cause: error });
  }
  // Clients wait for the head of a stream whose first event may come late.
  res.flushHeaders();
  try {
    await pipeline([body, ...filters, res], { signal });
  } catch (error) {
    response.destroy();
    throw new BackendError('the response of the backend ended early', { cause: error });
  }
}

interface Links {
  /** Absent: links stay as they are. */
  readonly rewrite: ((link: string) => string) | undefined;
  /** Rewrites the header Location in place, and returns it; undefined if there is none. */
  readonly location: (headers: string[]) => string | undefined;
}

function linksOf({ req }: ProxiedRequest, backend: Backend): Links {
  const { mount } = backend;
  const place = mount !== undefined && {
    ...{ mount, clientHost: req.headers.host ?? '' },
    ownHosts: new Set([hostOf(backend), `${backend.host}:${String(backend.port)}`]),
  };
  const rewrite = place ? (link: string): string => rewriteLink(link, place) : undefined;
  return {
    rewrite,
    location: (headers) => {
      const at = headers.findIndex((text, i) => i % 2 === 0 && text.toLowerCase() === 'location');
      const link = headers[at + 1];
      if (at < 0 || link === undefined || !rewrite) return at < 0 ? undefined : link;
      return (headers[at + 1] = rewrite(link));
    },
  };
}

function isHtml({ headers }: IncomingMessage): boolean {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() === 'text/html';
}

/** Memory of a compressor in the eighth part of what is usual, as thousands of pages may pass at once. */
const small = { windowBits: 12, memLevel: 5 };

/** None for an encoding that is not known: such a page passes as it is. */
function pageFilters({ headers }: IncomingMessage, rewrite: (link: string) => string): Transform[] {
  const links = new HtmlLinks(rewrite);
  switch (headers['content-encoding']?.trim().toLowerCase() ?? '') {
    case '':
    case 'identity':
      return [links];
    case 'gzip':
      return [createGunzip(), links, createGzip(small)];
    default:
      return [];
  }
}

function without(headers: readonly string[], name: string): string[] {
  return headers.filter((_text, i) => headers[i - (i % 2)]?.toLowerCase() !== name);
}

type Upgrading = ProxiedRequest & { readonly takeConnection: NonNullable<ProxiedRequest['takeConnection']> };

interface Passage {
  readonly backend: Backend;
  readonly protocol: string;
  readonly waits: ProxyWaits;
}

async function passUpgrade(client: Upgrading, { backend, protocol, waits }: Passage): Promise<void> {
  const { req, signal } = client;
  const { clock } = waits;
  const headers = requestHeaders(req, backend);
  const method = req.method ?? 'GET';
  const answer = await askBackend(backend, { method, headers, protocol, signal }, waits);
  const code = answer.response.statusCode ?? 0;
  if (answer.switched) await passBytes(client, answer, { ...answer.switched, backend, clock });
  else if (code >= 400) await passRefusal(client, answer, clock);
  else {
    answer.response.destroy();
    throw new BackendError(`invalid upgrade response: status code ${String(code)}`);
  }
}

interface Switched {
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly backend: Backend;
  readonly clock: Clock;
}

async function passBytes(
  client: Upgrading,
  { response }: BackendAnswer,
  { socket, head, backend, clock }: Switched,
): Promise<void> {
  const taken = client.takeConnection(101);
  taken.socket.write(headText(101, response.rawHeaders));
  taken.socket.write(head);
  socket.write(taken.head);
  const { bytesPerSecond } = backend;
  await relay(taken.socket, socket, { clock, signal: client.signal, bytesPerSecond });
}

/** Node does not tell of the drain of a connection that it has handed over, so that the response is written here. */
async function passRefusal(
  client: Upgrading,
  { response, body }: BackendAnswer,
  clock: Clock,
): Promise<void> {
  const code = response.statusCode ?? 502;
  const headers = responseHeaders(response, {}, client.ownHeaders);
  const { socket } = client.takeConnection(code);
  socket.write(headText(code, [...headers, 'Connection', 'close']));
  using late = timeLimit(clock, refusalMs, client.signal);
  // What the client sends is of the protocol that is not spoken.
  socket.resume();
  try {
    await pipeline(body, socket, { signal: late.signal });
  } catch (error) {
    response.destroy();
    throw new BackendError('the response of the backend ended early', { cause: error });
  }
}

function headText(code: number, headers: readonly string[]): string {
  let text = `HTTP/1.1 ${String(code)} ${STATUS_CODES[code] ?? ''}\r\n`;
  for (let i = 0; i + 1 < headers.length; i += 2) text += `${headers[i] ?? ''}: ${headers[i + 1] ?? ''}\r\n`;
  return `${text}\r\n`;
}
