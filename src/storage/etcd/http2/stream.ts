/** An HTTP/2 stream: a request and its response. */
import { Slice } from '../../../base/cooperate.ts';
import { eventLoop } from '../../../base/event-loop.ts';
import type { Exchange, StreamListener, StreamRequest } from '../transport.ts';
import { errorCode } from './frames.ts';
import { PeerError } from './peer-error.ts';

/** The connection of a stream. */
export interface StreamOwner {
  /** Stream window in bytes. */
  readonly window: number;
  /** Received bytes after which a window update is sent. */
  readonly grantAt: number;
  /** Sends a window update for the stream. */
  grant(stream: Http2Stream, bytes: number): void;
  /** Resets the stream. */
  reset(stream: Http2Stream, code: number): void;
}

/** Maximum number of buffered pieces while paused: a window in pieces of 40 bytes; those of etcd are longer. */
const mostHeld = 100_000;
/** Delivered pieces are removed from the buffer in batches of this size. */
const manyHandedOver = 1_000;
const mostHeaderBlocks = 16;

type Arrival = (listener: StreamListener) => void;

/** The state of a stream; only its connection changes it. */
export class Http2Stream implements Exchange {
  readonly request: StreamRequest;
  readonly listener: StreamListener;
  readonly #owner: StreamOwner;
  /** 0 until it is opened. */
  id = 0;
  isOver = false;
  /** Remaining send window. */
  window = 0;
  /** Sent bytes of the body. */
  sent = 0;
  #taken = 0;
  #isPaused = false;
  /** Pieces received while paused, bounded by the window. */
  #held: Arrival[] = [];
  /** Number of delivered pieces. */
  #handedOver = 0;
  /** Remaining receive window. */
  #room: number;
  #headerBlocks = 0;
  /** A later turn goes on with what is held. */
  #isDue = false;

  constructor(request: StreamRequest, listener: StreamListener, owner: StreamOwner) {
    this.request = request;
    this.listener = listener;
    this.#owner = owner;
    this.#room = owner.window;
  }

  /** False while it waits for the concurrency limit of the peer. */
  get isSent(): boolean {
    return this.id !== 0;
  }

  isBodySent(): boolean {
    return this.sent === this.request.body.length;
  }

  /** Received data is buffered and must be copied. */
  get isHolding(): boolean {
    return this.#isPaused || this.#held.length > 0;
  }

  /**
   * Delivers a piece, or buffers it while paused.
   * @throws PeerError if the buffer is full
   */
  arrive(arrival: Arrival): void {
    if (this.isHolding && this.#held.length - this.#handedOver >= mostHeld)
      throw new PeerError('enhanceYourCalm', 'an answer comes in too many pieces');
    this.arriveLast(arrival);
  }

  /** The end of the stream, which is always buffered. */
  arriveLast(arrival: Arrival): void {
    if (this.isHolding) this.#held.push(arrival);
    else arrival(this.listener);
  }

  /** @throws PeerError if the received bytes, including padding, exceed the window */
  assertRoom(bytes: number): void {
    this.#room -= bytes;
    if (this.#room < 0)
      throw new PeerError('flowControl', 'more data came than the window of the stream lets through');
  }

  /**
   * A response has headers and trailers, and possibly informational headers.
   * @throws PeerError
   */
  countHeaders(): void {
    this.#headerBlocks += 1;
    if (this.#headerBlocks > mostHeaderBlocks)
      throw new PeerError('enhanceYourCalm', 'an answer has too many headers');
  }

  /** Counts received bytes, including padding. */
  take(bytes: number): void {
    this.#taken += bytes;
    if (!this.isHolding) this.#grant();
  }

  /** Stops delivery; the peer can send until its window is used up. */
  pause(): void {
    this.#isPaused = true;
  }

  /** Delivers what was received meanwhile, in slices: a whole window of short messages would hold the thread. */
  resume(): void {
    this.#isPaused = false;
    if (!this.#isDue) this.#handOverSlice();
  }

  #handOverSlice(): void {
    const slice = new Slice();
    while (this.#isWanted() && this.#handedOver < this.#held.length) {
      this.#handOver();
      if (slice.shouldYield()) break;
    }
    if (this.#handedOver === this.#held.length) this.#forgetHeld();
    if (!this.#isWanted()) return;
    if (this.isHolding) this.#handOverLater();
    else this.#grant();
  }

  #handOverLater(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    eventLoop().nextTurn(() => {
      this.#isDue = false;
      this.#handOverSlice();
    });
  }

  /** Does not use `shift`, which moves all remaining pieces. The listener may pause, resume or cancel meanwhile. */
  #handOver(): void {
    const arrival = this.#held[this.#handedOver];
    this.#handedOver += 1;
    if (this.#handedOver >= manyHandedOver && this.#handedOver > this.#held.length / 2) {
      this.#held = this.#held.slice(this.#handedOver);
      this.#handedOver = 0;
    }
    arrival?.(this.listener);
  }

  #forgetHeld(): void {
    this.#held = [];
    this.#handedOver = 0;
  }

  /** The listener may pause or cancel during delivery. */
  #isWanted(): boolean {
    return !this.#isPaused;
  }

  /** The listener is not called again. */
  cancel(): void {
    this.#forgetHeld();
    if (!this.isOver) this.#owner.reset(this, errorCode.cancel);
  }

  #grant(): void {
    if (this.#taken < this.#owner.grantAt || this.isOver) return;
    this.#owner.grant(this, this.#taken);
    this.#room += this.#taken;
    this.#taken = 0;
  }
}
