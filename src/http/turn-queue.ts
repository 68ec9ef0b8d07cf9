/**
 * Spreads requests over turns of the event loop. Node delivers all that it has read in one turn, of each connection, and
 * of HTTP/2 hundreds of each: they would hold the thread for as long as all of them take together. So in one turn a bounded
 * number begins, for a bounded time; the others wait. Those with small heads come first: heads of 64 KB, with thousands of
 * requirements or of groups to impersonate, take milliseconds each, and health checks must not wait behind hundreds of them.
 */
import { written } from '../base/cooperate.ts';
import { eventLoop } from '../base/event-loop.ts';
import { Fifo } from '../base/fifo.ts';

/** Requests that begin in one turn, of all connections together. */
const perTurn = 32;
/** No further request begins in a turn after this time. */
const turnMs = 5;
/** Bytes of a small head. */
const smallHeadBytes = 4 * 1024;

interface Head {
  readonly url?: string | undefined;
  readonly rawHeaders: readonly string[];
}

/** Names, values and path of a request in UTF-16 code units. */
export function headBytesOf({ url = '', rawHeaders }: Head): number {
  return rawHeaders.reduce((bytes, text) => bytes + text.length, url.length);
}

export class TurnQueue {
  /** All clients of a replica that was started again come at once. */
  readonly #small = new Fifo<() => void>();
  readonly #large = new Fifo<() => void>();
  #begun = 0;
  #end = 0;

  /** Requests that wait for a later turn. */
  get waiting(): number {
    return this.#small.length + this.#large.length;
  }

  /** Begins at once if few have begun in this turn and it is not over, or in a later turn. */
  begin(head: Head, work: () => void): void {
    const loop = eventLoop();
    if (this.#begun === 0 && this.waiting === 0) this.#open();
    if (this.waiting === 0 && this.#begun < perTurn && loop.now() <= this.#end) {
      this.#begun += 1;
      work();
    } else (headBytesOf(head) <= smallHeadBytes ? this.#small : this.#large).push(work);
  }

  #open(): void {
    this.#begun = 0;
    this.#end = eventLoop().now() + turnMs;
    eventLoop().nextTurn(() => void this.#nextTurn());
  }

  async #nextTurn(): Promise<void> {
    this.#begun = 0;
    if (this.waiting === 0) return;
    this.#open();
    while (this.#begun < perTurn && eventLoop().now() <= this.#end && (await this.#beginNext()));
    // Large ones come behind, but they come.
    if (this.#small.length > 0) await this.#beginOf(this.#large);
  }

  /** Returns whether one has waited. */
  async #beginNext(): Promise<boolean> {
    return (await this.#beginOf(this.#small)) || (await this.#beginOf(this.#large));
  }

  /** Resolves once all that the request does at once is done, and what it wrote is sent. */
  async #beginOf(waiting: Fifo<() => void>): Promise<boolean> {
    const work = waiting.shift();
    if (!work) return false;
    this.#begun += 1;
    work();
    await written();
    return true;
  }
}
