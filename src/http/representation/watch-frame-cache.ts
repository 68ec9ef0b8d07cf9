/**
 * Caches the frames of watch events on their entries, so that all watches share them. Bounded; the oldest frames are
 * evicted first.
 */
import { aloneInMemory } from '../../base/own-memory.ts';
import type { NumberSeries } from '../../observe/metric-series.ts';
import type { Entry } from '../../storage/types.ts';

interface Kept {
  readonly memo: Map<unknown, unknown>;
  readonly key: unknown;
  readonly size: number;
}

/** Overhead per frame, in bytes. */
const overhead = 500;

export class WatchFrameCache {
  private readonly maxBytes: number;
  private readonly sizeCell: NumberSeries;
  private queue: (Kept | undefined)[] = [];
  private head = 0;
  private bytes = 0;

  /** @param sizeCell the gauge of cached bytes */
  constructor(maxBytes: number, sizeCell: NumberSeries) {
    this.maxBytes = maxBytes;
    this.sizeCell = sizeCell;
  }

  /** Whether the frame of this entry and key is cached. */
  has(entry: Entry, key: unknown): boolean {
    return entry.memo?.has(key) === true;
  }

  /** The cached frame of this entry and key, or the result of `make`, which is then cached. */
  take(entry: Entry, key: unknown, make: () => Buffer): Buffer {
    const known = entry.memo?.get(key);
    if (known !== undefined) return known as Buffer;
    const frame = aloneInMemory(make());
    this.keep(entry, key, frame);
    return frame;
  }

  /** Bytes in the cache. */
  get size(): number {
    return this.bytes;
  }

  /** Takes all frames off their entries, which other replicas of this process may share. */
  clear(): void {
    for (const kept of this.queue) kept?.memo.delete(kept.key);
    this.queue = [];
    this.head = 0;
    this.bytes = 0;
    this.sizeCell.set(0);
  }

  private keep(entry: Entry, key: unknown, frame: Buffer): void {
    const size = frame.length + overhead;
    if (size > this.maxBytes) return;
    const memo = (entry.memo ??= new Map());
    memo.set(key, frame);
    this.queue.push({ memo, key, size });
    this.bytes += size;
    while (this.bytes > this.maxBytes) this.forgetOldest();
    this.sizeCell.set(this.bytes);
  }

  private forgetOldest(): void {
    const oldest = this.queue[this.head];
    this.queue[this.head++] = undefined;
    if (oldest) {
      oldest.memo.delete(oldest.key);
      this.bytes -= oldest.size;
    }
    if (this.head > 1_024 && this.head * 2 > this.queue.length) {
      this.queue = this.queue.slice(this.head);
      this.head = 0;
    }
  }
}
