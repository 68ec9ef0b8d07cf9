/** A bare server of HTTP/2, in a process of its own: it answers each stream with a head and leaves it open. The least memory that a watch can take. */
import { createSecureServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';

export interface BareStreamsOrder {
  readonly cert: string;
  readonly key: string;
  /** Streams of one connection. */
  readonly streams: number;
}

function listen({ cert, key, streams }: BareStreamsOrder): void {
  const server = createSecureServer({ cert, key, settings: { maxConcurrentStreams: streams } });
  server.on('stream', (stream: ServerHttp2Stream) => {
    stream.on('error', () => undefined);
    stream.respond({ ':status': 200, 'content-type': 'application/json' });
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

process.on('message', listen);
process.on('disconnect', () => process.exit());
