/**
 * Large texts that nobody has read for a while are kept compressed: thousands of definitions of tens of kilobytes each are
 * read once when they come, and then hardly ever. Of such texts a sixth is left. They stay compressed when they are read; what was
 * read lately is at hand for a while.
 */
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { Clock, Timer } from '../../base/clock.ts';
import { ownCopy } from '../../base/own-memory.ts';
import type { LatelyRead, StoredEntry } from './stored-entry.ts';

/** Bytes: shorter texts are read often, in long lists, and gain little. */
export const leastRestingBytes = 16 * 1024;
/** Bytes: to inflate this much holds the thread for about a millisecond. */
const mostBytes = 256 * 1024;
/** Milliseconds without a read. */
const restMs = 5_000;
/** Bytes of texts that were read lately. */
const latelyBytes = 8 * 1024 * 1024;

/** 45 KB take 0.5 ms of another thread. */
const level = { level: 1 };
const pack = promisify<Buffer, { level: number }, Buffer>(deflateRaw);

interface Waiting {
  /** What is replaced meanwhile is not kept by this. */
  readonly entry: WeakRef<StoredEntry>;
  readonly since: number;
}

/** Texts that rest and were read lately, within a bound of bytes. */
export function latelyRead(): LatelyRead {
  return new LRUCache<object, Buffer>({ maxSize: latelyBytes, sizeCalculation: ({ length }) => length });
}

export class RestingTexts {
  readonly #clock: Clock;
  readonly #stopping: AbortSignal;
  readonly #lately = latelyRead();
  /** Those that came first are first. */
  #waiting: Waiting[] = [];
  #timer: Timer | undefined;

  /** @param stopping when it aborts, nothing is compressed any more */
  constructor(clock: Clock, stopping: AbortSignal) {
    this.#clock = clock;
    this.#stopping = stopping;
    stopping.addEventListener('abort', () => this.#close(), { once: true });
  }

  /** Entries that are still looked at. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Compresses the text of the entry once nobody reads it, if it is of a size that is worth it. */
  add(entry: StoredEntry): void {
    if (entry.size < leastRestingBytes || entry.size > mostBytes || this.#stopping.aborted) return;
    this.#wait(new WeakRef(entry));
    this.#plan();
  }

  #close(): void {
    this.#waiting = [];
    this.#clock.clear(this.#timer);
  }

  #wait(entry: WeakRef<StoredEntry>): void {
    this.#waiting.push({ entry, since: this.#clock.monotonic() });
  }

  #plan(): void {
    const [first] = this.#waiting;
    if (first === undefined || this.#timer !== undefined || this.#stopping.aborted) return;
    const ms = Math.max(1, first.since + restMs - this.#clock.monotonic());
    this.#timer = this.#clock.setTimeout(() => void this.#look(), ms);
    this.#timer.unref();
  }

  /** Looks at those whose time is over; one after the other, as each takes memory meanwhile. */
  async #look(): Promise<void> {
    const due = this.#clock.monotonic() - restMs;
    const end = this.#waiting.findIndex(({ since }) => since > due);
    for (const { entry } of this.#waiting.splice(0, end === -1 ? Infinity : end)) await this.#rest(entry);
    this.#timer = undefined;
    this.#plan();
  }

  async #rest(reference: WeakRef<StoredEntry>): Promise<void> {
    const text = reference.deref()?.textToRest();
    if (text === undefined || this.#stopping.aborted) return;
    if (text === 'read') {
      this.#wait(reference);
      return;
    }
    const packed = await pack(text, level);
    // What the library gives lies in 16 KiB of its own, whatever its length.
    if (packed.length < text.length / 2) reference.deref()?.rest(text, ownCopy(packed), this.#lately);
  }
}
