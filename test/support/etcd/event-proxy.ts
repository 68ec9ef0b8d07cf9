/**
 * A proxy between a replica and etcd that understands gRPC: it changes the events of watches, as releases of etcd with
 * defects did, and holds calls back. Everything else passes as it is.
 */
import {
  connect,
  constants,
  createServer,
  type ClientHttp2Session,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';

import protobuf from 'protobufjs';

import { framed, MessageReader } from '../../../src/storage/etcd/grpc-message.ts';
import type { EtcdEvent, WatchResponse } from '../../../src/storage/etcd/message-types.ts';

const proto = createRequire(import.meta.url).resolve('etcd3/proto/rpc.proto');
const watchResponse = new protobuf.Root()
  .loadSync(proto, { keepCase: true })
  .lookupType('etcdserverpb.WatchResponse');

const forwarded = ['content-type', 'te', 'grpc-timeout', 'hasleader', 'token'] as const;

/** Gives the events that a response of a watch has instead of these; `stream` is the number of the watch. */
export type Meddling = (events: readonly EtcdEvent[], stream: number) => readonly EtcdEvent[];

/** What etcd answers to a call that it does not accept. */
const refusal = {
  ':status': 200,
  'content-type': 'application/grpc',
  'grpc-status': '3',
  'grpc-message': 'refused by the proxy',
};

export class EventProxy {
  readonly #server: Http2Server;
  readonly #target: string;
  readonly #sessions = new Set<ServerHttp2Session | ClientHttp2Session>();
  /** Applied to each response of a watch that has events; absent: they pass. */
  meddle: Meddling | undefined;
  /** Awaited before a call is sent on, by the path of its method; absent: it is sent at once. */
  beforeCall: ((path: string) => Promise<void> | undefined) | undefined;

  /** Calls of these methods are answered with an error, by their path; absent: none is. */
  refuse: ((path: string) => boolean) | undefined;
  #watches = 0;

  private constructor(server: Http2Server, target: string) {
    this.#server = server;
    this.#target = target;
  }

  /** Listens on a free port; the caller closes it. */
  static async start(target: string): Promise<EventProxy> {
    const server = createServer();
    const proxy = new EventProxy(server, target);
    server.on('session', (session) => {
      proxy.#accept(session);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}`;
  }

  async close(): Promise<void> {
    for (const session of this.#sessions) session.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #accept(session: ServerHttp2Session): void {
    const upstream = connect(this.#target);
    for (const [one, other] of [
      [session, upstream],
      [upstream, session],
    ] as const) {
      this.#sessions.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        this.#sessions.delete(one);
        other.destroy();
      });
    }
    session.on('stream', (stream, headers) => {
      stream.on('error', () => undefined);
      void this.#forward(upstream, stream, headers);
    });
  }

  async #forward(
    upstream: ClientHttp2Session,
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
  ): Promise<void> {
    const path = headers[':path'] ?? '';
    await this.beforeCall?.(path);
    if (stream.destroyed || upstream.destroyed) return;
    if (this.refuse?.(path) === true) {
      stream.respond(refusal, { endStream: true });
      return;
    }
    const kept = forwarded.filter((name) => headers[name] !== undefined);
    const call = upstream.request({
      ':method': 'POST',
      ':path': path,
      ...Object.fromEntries(kept.map((name) => [name, headers[name]])),
    });
    stream.pipe(call);
    stream.on('close', () => call.close(constants.NGHTTP2_CANCEL));
    call.on('error', () => stream.destroy());
    const change = path.endsWith('/Watch') ? this.#changing() : (chunk: Buffer): Buffer => chunk;
    let trailers: IncomingHttpHeaders = {};
    call.on('response', (answer, flags) => {
      const isWhole = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
      if (!stream.destroyed)
        stream.respond(answer, isWhole ? { endStream: true } : { waitForTrailers: true });
    });
    call.on('trailers', (fields) => (trailers = fields));
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    call.on('data', (chunk: Buffer) => {
      const bytes = change(chunk);
      if (bytes.length > 0 && stream.writable) stream.write(bytes);
    });
    call.on('end', () => stream.end());
  }

  /** Makes other bytes of those of a watch stream. */
  #changing(): (chunk: Buffer) => Buffer {
    const reader = new MessageReader();
    this.#watches += 1;
    const number = this.#watches;
    return (chunk) => {
      reader.take(chunk);
      const messages: Buffer[] = [];
      for (let message = reader.next(); message !== undefined; message = reader.next())
        messages.push(...this.#changed(message, number));
      return Buffer.concat(messages.map(framed));
    };
  }

  #changed(message: Buffer, stream: number): Buffer[] {
    const response = watchResponse.decode(message) as unknown as WatchResponse;
    if (this.meddle === undefined || response.events.length === 0) return [Buffer.from(message)];
    const events = this.meddle(response.events, stream);
    if (events.length === 0) return [];
    const changed = Object.assign(Object.create(response) as object, response, { events });
    return [watchResponse.encode(changed).finish() as Buffer];
  }
}
