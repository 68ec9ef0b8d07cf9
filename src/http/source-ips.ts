/** The addresses that a request came through, for audit events. */
import { isIP } from 'node:net';
import type { IncomingMessage } from 'node:http';

/** Characters of a header that are looked at on either side; a client may send 60 KB of addresses. */
const mostOfSide = 1_024;

/**
 * Addresses from the headers of proxies, then the peer of the connection; each once. Of a long header those at its begin
 * count, which name the client, and those at its end, which the nearest proxies have added.
 */
export function sourceIps({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): string[] {
  const named = [headers['x-forwarded-for'], headers['x-real-ip']].flatMap((header) =>
    partsOf(header?.toString() ?? ''),
  );
  const peer = (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  return [...new Set([...named.map((text) => text.trim()), peer].filter((text) => isIP(text) !== 0))];
}

function partsOf(header: string): string[] {
  if (header.length <= 2 * mostOfSide) return header.split(',');
  // What is cut through may look like another address.
  const first = header.slice(0, mostOfSide).split(',').slice(0, -1);
  const last = header.slice(-mostOfSide).split(',').slice(1);
  return [...first, ...last];
}
