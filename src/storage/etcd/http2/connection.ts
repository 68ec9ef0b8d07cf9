/**
 * An HTTP/2 client connection (RFC 9113) with the features that gRPC calls need: no push, no priorities, no dynamic
 * table for received headers. With Node's module (`node-http2/`) a create or replace takes a seventh more CPU time:
 * test/bench/README.md.
 *
 *   connecting ──settings of the peer──▶ up ──GOAWAY or close──▶ finishing ──last stream──▶ over
 *        └──────────────── error, end of the socket ────────────────┴─────────────────────▶ over
 */
import { asError } from '../../../base/errors.ts';
import type { Socket } from 'node:net';
import type { StreamListener, StreamLoss, StreamRequest, Transport, TransportOptions } from '../transport.ts';
import { BodySender } from './body-sender.ts';
import {
  callFrames,
  errorCode,
  flag,
  frame,
  FrameReader,
  frameType,
  goAwayFrame,
  greeting,
  numberFrame,
  numberOf,
  setting,
  usual,
  type FrameHead,
} from './frames.ts';
import { FloodGuard } from './flood-guard.ts';
import { assertWellFormed, checkedWindow, widened } from './frame-rules.ts';
import { HeaderBlocks, withoutPadding, type HeaderBlock } from './header-blocks.ts';
import { HeaderReader } from './header-reader.ts';
import { HeaderWriter } from './header-writer.ts';
import { KeepAlive } from './keep-alive.ts';
import { Outbox } from './outbox.ts';
import { PeerError, peerErrorCodeOf } from './peer-error.ts';
import { Replies } from './replies.ts';
import { openSocket } from './socket.ts';
import { Http2Stream, type StreamOwner } from './stream.ts';

/** The stream window holds a whole page without window updates; that of the connection, several. */
const streamWindow = 4 * 1024 * 1024;
const connectionWindow = 16 * 1024 * 1024;
/** A client has 2^30 stream ids; the connection stops accepting streams long before. */
const lastStream = 2 ** 30;
const pingFrame = frame({ type: frameType.ping, flags: 0, stream: 0 }, Buffer.from('are you?'));
/** Stream id of the connection itself. */
const allStreams = 0;

export class Http2Connection implements Transport {
  readonly #socket: Socket;
  readonly #outbox = new Outbox((bytes, done) => {
    if (!this.#isOver)
      this.#socket.write(bytes, () => {
        this.#replies.left();
        done();
      });
  });
  readonly #replies = new Replies(this.#outbox);
  readonly #guard = new FloodGuard();
  readonly #bodies = new BodySender(this.#outbox);
  readonly #frames = new FrameReader((head, payload) => {
    if (!this.#isOver) this.#onFrame(head, payload);
  });
  readonly #blocks = new HeaderBlocks();
  readonly #headers = new HeaderReader();
  readonly #newWriter: (tableBytes: number) => HeaderWriter;
  #writer: HeaderWriter;
  readonly #streams = new Map<number, Http2Stream>();
  /** Streams beyond the concurrency limit of the peer. */
  readonly #waiting: Http2Stream[] = [];
  readonly #owner: StreamOwner = {
    window: streamWindow,
    grantAt: streamWindow / 2,
    grant: (stream, bytes) => {
      this.#grant(stream.id, bytes);
    },
    reset: (stream, code) => {
      if (stream.isSent) this.#sendReset(stream, code);
      this.#forget(stream);
    },
  };
  readonly #up = Promise.withResolvers<undefined>();
  readonly #keepAlive: KeepAlive | undefined;
  #nextStream = 1;
  #maxStreams = Infinity;
  #peerWindow: number = usual.window;
  /** Received bytes that are not yet returned by a window update. */
  #taken = 0;
  #isFinishing = false;
  #isOver = false;

  private constructor(address: URL, { tls, headers, keepAlive }: TransportOptions) {
    this.#up.promise.catch(() => undefined);
    this.#newWriter = (tableBytes) => new HeaderWriter(address, headers, tableBytes);
    this.#writer = this.#newWriter(usual.headerTable);
    this.#socket = openSocket(address, tls, {
      onReady: () => {
        this.#greet();
      },
      onData: (chunk) => {
        this.#take(chunk);
      },
      onError: (error) => {
        this.#die(error);
      },
    });
    this.#keepAlive = KeepAlive.start(keepAlive, {
      ping: () => this.#ping(),
      fail: (error) => {
        this.#die(error);
      },
    });
  }

  /**
   * Resolves when the peer's SETTINGS are received.
   * @throws Error if that fails or times out
   */
  static async connect(address: URL, options: TransportOptions, timeoutMs: number): Promise<Http2Connection> {
    const connection = new Http2Connection(address, options);
    const timer = setTimeout(() => {
      connection.#die(new Error('it does not respond'));
    }, timeoutMs);
    try {
      await connection.#up.promise;
      return connection;
    } finally {
      clearTimeout(timer);
    }
  }

  /** A request on it counts as sent. */
  get isUp(): boolean {
    return !this.#isFinishing;
  }

  /** Starts a request. If the connection is not up, the request ends as `refused` before this returns. */
  open(request: StreamRequest, listener: StreamListener): Http2Stream {
    const stream = new Http2Stream(request, listener, this.#owner);
    if (!this.isUp) this.#end(stream, 'refused');
    else if (this.#streams.size >= this.#maxStreams) this.#waiting.push(stream);
    else this.#begin(stream);
    return stream;
  }

  /** Accepts no further requests; open streams may finish within `graceMs`. */
  close(graceMs: number): void {
    this.#finish();
    const end = (): void => {
      this.#die(new Error('closed'));
    };
    if (graceMs <= 0) end();
    else if (!this.#isOver) setTimeout(end, graceMs).unref();
  }

  #greet(): void {
    this.#outbox.send(greeting(streamWindow), false);
    this.#grant(allStreams, connectionWindow - usual.window);
  }

  #take(chunk: Buffer): void {
    if (this.#isOver) return;
    try {
      this.#frames.read(chunk);
    } catch (error) {
      // Reports the error to the peer, if it still reads.
      this.#outbox.send(goAwayFrame(peerErrorCodeOf(error)), true);
      this.#die(asError(error));
    }
  }

  check(): void {
    this.#keepAlive?.check();
  }

  /** A connection without streams sends no pings: etcd closes idle connections that do. */
  #ping(): boolean {
    if (this.#streams.size === 0) return false;
    this.#outbox.send(pingFrame, true);
    return true;
  }

  #begin(stream: Http2Stream): void {
    stream.id = this.#nextStream;
    this.#nextStream += 2;
    if (this.#nextStream >= lastStream) this.#isFinishing = true;
    stream.window = this.#peerWindow;
    this.#streams.set(stream.id, stream);
    const { head, body, isWhole, isUrgent } = stream.request;
    this.#guard.earn(body.length);
    const block = this.#writer.write(head);
    if (isWhole && this.#bodies.claimWhole(stream)) {
      this.#outbox.send(callFrames(stream.id, block, body), isUrgent);
      return;
    }
    const headers = { type: frameType.headers, flags: flag.endHeaders, stream: stream.id };
    this.#outbox.send(frame(headers, block), isUrgent);
    this.#bodies.send(stream);
  }

  #onFrame(head: FrameHead, payload: Buffer): void {
    this.#blocks.assertNotWithin(head.type);
    assertWellFormed(head, payload);
    switch (head.type) {
      case frameType.data:
        this.#onData(head, payload);
        break;
      case frameType.headers:
        this.#onHeaders(this.#blocks.begin(head, payload));
        break;
      case frameType.continuation:
        this.#onHeaders(this.#blocks.goOn(head, payload));
        break;
      case frameType.windowUpdate:
        this.#guard.spend('WINDOW_UPDATE');
        this.#onWindow(head.stream, numberOf(payload));
        break;
      default:
        this.#onControl(head, payload);
    }
  }

  #onControl({ type, flags, stream }: FrameHead, payload: Buffer): void {
    const isAck = (flags & flag.ack) !== 0;
    if (type === frameType.settings) {
      this.#guard.spend('SETTINGS', 1 + payload.length / 6);
      if (!isAck) this.#onSettings(payload);
    } else if (type === frameType.ping) {
      this.#guard.spend('PING');
      if (isAck) this.#keepAlive?.hear();
      // A reply to a round-trip measurement of etcd, which is not urgent.
      else this.#replies.acknowledge(type, payload);
    } else if (type === frameType.reset) {
      this.#onReset(stream, numberOf(payload) === errorCode.refused ? 'refused' : 'lost');
    } else if (type === frameType.goAway) {
      this.#onGoAway(numberOf(payload));
    } else if (type === frameType.pushPromise) {
      throw new PeerError('protocol', 'unexpected PUSH_PROMISE');
    } else {
      this.#guard.spend('PRIORITY or an unknown type');
    }
  }

  #onData(head: FrameHead, payload: Buffer): void {
    this.#taken += payload.length;
    if (this.#taken >= connectionWindow / 2) {
      this.#grant(allStreams, this.#taken);
      this.#taken = 0;
    }
    const stream = this.#streams.get(head.stream);
    if (stream === undefined) {
      this.#guard.spend('DATA of a stream that is over');
      return;
    }
    stream.assertRoom(payload.length);
    const bytes = withoutPadding(head, payload);
    if (bytes.length > 0) {
      const kept = stream.isHolding ? Buffer.from(bytes) : bytes;
      stream.arrive((listener) => {
        listener.onData(kept);
      });
    } else if ((head.flags & flag.endStream) === 0) {
      this.#guard.spend('DATA without any');
    }
    if ((head.flags & flag.endStream) !== 0) this.#end(stream, undefined);
    else stream.take(payload.length);
  }

  /** undefined if the block continues. */
  #onHeaders(whole: HeaderBlock | undefined): void {
    if (whole === undefined) return;
    const stream = this.#streams.get(whole.head.stream);
    if (stream === undefined) {
      // Blocks are independent of each other, so this one need not be decoded.
      this.#guard.spend('HEADERS of a stream that is over');
      return;
    }
    stream.countHeaders();
    const fields = this.#headers.read(whole.block);
    stream.arrive((listener) => {
      listener.onHeaders(fields);
    });
    if ((whole.head.flags & flag.endStream) !== 0) this.#end(stream, undefined);
  }

  #onWindow(id: number, more: number): void {
    if (id === allStreams) {
      this.#bodies.widen(more);
      return;
    }
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    stream.window = widened(stream.window, more);
    this.#bodies.goOnWith(stream);
  }

  #onSettings(payload: Buffer): void {
    for (let at = 0; at + 6 <= payload.length; at += 6) {
      this.#onSetting(payload.readUInt16BE(at), payload.readUInt32BE(at + 2));
    }
    this.#replies.acknowledge(frameType.settings, Buffer.alloc(0));
    this.#up.resolve(undefined);
    this.#beginWaiting();
    this.#bodies.goOn();
  }

  #onSetting(id: number, value: number): void {
    if (id === setting.maxStreams) {
      this.#maxStreams = value;
    } else if (id === setting.initialWindow) {
      const more = checkedWindow(value) - this.#peerWindow;
      for (const stream of this.#streams.values()) stream.window = checkedWindow(stream.window + more);
      this.#peerWindow = value;
    } else if (id === setting.headerTableSize && value < usual.headerTable) {
      // The dynamic table of the peer is invalid now: a new connection starts with this size.
      if (this.#writer.hasTold) this.#finish();
      this.#writer = this.#newWriter(value);
    }
  }

  #onReset(id: number, loss: StreamLoss): void {
    const stream = this.#streams.get(id);
    if (stream !== undefined) this.#end(stream, loss);
    else this.#guard.spend('RST_STREAM of a stream that is over');
  }

  /** The peer finishes the streams up to that id and accepts no others. */
  #onGoAway(last: number): void {
    // First, so that waiting streams do not take the slots of ending ones.
    this.#finish();
    for (const stream of [...this.#streams.values()]) if (stream.id > last) this.#end(stream, 'refused');
  }

  #finish(): void {
    this.#isFinishing = true;
    for (const stream of this.#waiting.splice(0)) this.#end(stream, 'refused');
    this.#closeWhenDone();
  }

  #closeWhenDone(): void {
    if (this.#isFinishing && this.#streams.size === 0) this.#die(new Error('closed'));
  }

  #end(stream: Http2Stream, loss: StreamLoss | undefined, why?: string): void {
    const isHalfOpen = loss === undefined && !(stream.request.isWhole && stream.isBodySent());
    if (isHalfOpen) this.#sendReset(stream, errorCode.none);
    this.#forget(stream);
    stream.arriveLast((listener) => {
      listener.onEnd(loss, why);
    });
  }

  #sendReset(stream: Http2Stream, code: number): void {
    this.#outbox.send(numberFrame({ type: frameType.reset, flags: 0, stream: stream.id }, code), true);
  }

  #grant(id: number, bytes: number): void {
    this.#outbox.send(numberFrame({ type: frameType.windowUpdate, flags: 0, stream: id }, bytes), false);
  }

  #forget(stream: Http2Stream): void {
    stream.isOver = true;
    this.#bodies.forget(stream);
    if (this.#streams.delete(stream.id)) this.#beginWaiting();
    this.#closeWhenDone();
  }

  #beginWaiting(): void {
    while (this.#waiting.length > 0 && this.#streams.size < this.#maxStreams) {
      const stream = this.#waiting.shift();
      if (stream !== undefined && !stream.isOver) this.#begin(stream);
    }
  }

  #die(error: Error): void {
    if (this.#isOver) return;
    this.#outbox.flush();
    this.#isOver = true;
    this.#isFinishing = true;
    this.#keepAlive?.stop();
    this.#up.reject(error);
    this.#socket.destroy();
    for (const stream of this.#waiting.splice(0)) this.#end(stream, 'refused');
    for (const stream of [...this.#streams.values()]) this.#end(stream, 'lost', error.message);
  }
}
