/** One request and its answer on a connection of HTTP/2. */
import type { Exchange, StreamListener, StreamRequest } from '../transport.ts';
import { errorCode } from './frames.ts';
import { PeerError } from './peer-error.ts';

/** What a stream needs of its connection. */
export interface StreamOwner {
  /** So many bytes may come before the peer is told that more may. */
  readonly window: number;
  /** When so many bytes came, the peer is told that it may send as many more. */
  readonly grantAt: number;
  /** The peer may send so many bytes more on the stream. */
  grant(stream: Http2Stream, bytes: number): void;
  /** Neither side says anything more on the stream. */
  reset(stream: Http2Stream, code: number): void;
}

/** What a peer says in a whole window while nobody listens, in pieces of 40 bytes; etcd's are longer. */
const mostHeld = 100_000;
/** From so many on, those that were handed over are let go of. */
const manyHandedOver = 1_000;
const mostHeaderBlocks = 16;

type Arrival = (listener: StreamListener) => void;

/** The state of one stream; only its connection changes it. */
export class Http2Stream implements Exchange {
  readonly request: StreamRequest;
  readonly listener: StreamListener;
  readonly #owner: StreamOwner;
  /** 0 until it is sent. */
  id = 0;
  isOver = false;
  /** How many bytes more the peer takes on it. */
  window = 0;
  /** How much of the body was sent. */
  sent = 0;
  #taken = 0;
  #isPaused = false;
  /** What came while it was paused: as much as the peer may send at once. */
  #held: Arrival[] = [];
  /** So many of them were handed over. */
  #handedOver = 0;
  /** How many bytes more the peer may send. */
  #room: number;
  #headerBlocks = 0;

  constructor(request: StreamRequest, listener: StreamListener, owner: StreamOwner) {
    this.request = request;
    this.listener = listener;
    this.#owner = owner;
    this.#room = owner.window;
  }

  /** False while it waits for the peer to take one more. */
  get isSent(): boolean {
    return this.id !== 0;
  }

  isBodySent(): boolean {
    return this.sent === this.request.body.length;
  }

  /** Nobody wants what comes now: it is kept, and must not be a view into more. */
  get isHolding(): boolean {
    return this.#isPaused || this.#held.length > 0;
  }

  /** Hands over what came, or keeps it while nobody wants it. @throws PeerError when that is too much */
  arrive(arrival: Arrival): void {
    if (this.isHolding && this.#held.length - this.#handedOver >= mostHeld)
      throw new PeerError('enhanceYourCalm', 'an answer comes in too many pieces');
    this.arriveLast(arrival);
  }

  /** The end, for which there is always room. */
  arriveLast(arrival: Arrival): void {
    if (this.isHolding) this.#held.push(arrival);
    else arrival(this.listener);
  }

  /** @throws PeerError when more bytes came than the peer may send, padding and all */
  assertRoom(bytes: number): void {
    this.#room -= bytes;
    if (this.#room < 0)
      throw new PeerError('flowControl', 'more data came than the window of the stream lets through');
  }

  /** An answer has headers and trailers, and perhaps some that tell of others to come. @throws PeerError */
  countHeaders(): void {
    this.#headerBlocks += 1;
    if (this.#headerBlocks > mostHeaderBlocks)
      throw new PeerError('enhanceYourCalm', 'an answer has too many headers');
  }

  /** Counts what came, with its padding. */
  take(bytes: number): void {
    this.#taken += bytes;
    if (!this.#isPaused) this.#grant();
  }

  /** Hands nothing over from now on; the peer goes on until its window is used up. */
  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    while (this.#isWanted() && this.#handedOver < this.#held.length) this.#handOver();
    if (this.#handedOver === this.#held.length) this.#forgetHeld();
    if (this.#isWanted()) this.#grant();
  }

  /** Not by `shift`, which moves all that are left. The listener may pause, resume or cancel meanwhile. */
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

  /** The listener may pause or cancel while it hears. */
  #isWanted(): boolean {
    return !this.#isPaused;
  }

  /** The listener hears nothing more. */
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
