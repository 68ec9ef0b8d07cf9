/** Addresses in audit events: of a long header no more than proxies need. */
import type { IncomingMessage } from 'node:http';
import { sourceIps } from '../../../src/http/source-ips.ts';

function of(forwarded?: string, real?: string, peer = '::ffff:127.0.0.1'): string[] {
  const headers = { 'x-forwarded-for': forwarded, 'x-real-ip': real };
  return sourceIps({ headers, socket: { remoteAddress: peer } } as unknown as IncomingMessage);
}

test('those of the headers, each once, then the peer', () => {
  expect(of()).toEqual(['127.0.0.1']);
  expect(of(' 192.0.2.1 ,2001:db8::1, nonsense,,192.0.2.1', '192.0.2.9')).toEqual([
    ...['192.0.2.1', '2001:db8::1', '192.0.2.9', '127.0.0.1'],
  ]);
});

test.each([
  ['addresses', (i: number) => `10.${String(i >> 8)}.${String(i & 255)}.123`],
  ['addresses of IPv6', (i: number) => `2001:db8::${i.toString(16)}`],
])('of thousands of %s the first and the last', (_what, address) => {
  const all = Array.from({ length: 4_000 }, (_, i) => address(i));
  const found = of(all.join(','));
  expect(found.length).toBeLessThan(200);
  expect(found.slice(0, 3)).toEqual(all.slice(0, 3));
  expect(found.slice(-3)).toEqual([...all.slice(-2), '127.0.0.1']);
  const known = new Set([...all, '127.0.0.1']);
  // None that is a part of another one.
  expect(found.filter((text) => !known.has(text))).toEqual([]);
});

test('one long text is no address', () => {
  expect(of('1'.repeat(60_000))).toEqual(['127.0.0.1']);
});
