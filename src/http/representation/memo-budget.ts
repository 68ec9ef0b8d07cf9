/**
 * Representations are remembered on the entry they were made from and dropped with it. This bounds what they take
 * together: beyond the budget the oldest are forgotten first.
 */
import type { Entry } from '../../storage/types.ts';

interface Remembered {
  readonly entry: Entry;
  readonly key: unknown;
  readonly size: number;
}

/** Room for bookkeeping per remembered buffer, in bytes. */
const overhead = 200;

export class MemoBudget {
  private readonly maxBytes: number;
  private queue: (Remembered | undefined)[] = [];
  private head = 0;
  private bytes = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  /** The buffer made for this entry and key: the remembered one or, at first, what `make` gives. */
  take(entry: Entry, key: unknown, make: () => Buffer): Buffer {
    const known = entry.memo?.get(key);
    if (known !== undefined) return known as Buffer;
    const value = make();
    this.remember(entry, key, value);
    return value;
  }

  /** Bytes held now; for the metric and tests. */
  get size(): number {
    return this.bytes;
  }

  private remember(entry: Entry, key: unknown, value: Buffer): void {
    const size = value.length + overhead;
    if (size > this.maxBytes) return;
    (entry.memo ??= new Map()).set(key, value);
    this.queue.push({ entry, key, size });
    this.bytes += size;
    while (this.bytes > this.maxBytes) this.forgetOldest();
  }

  private forgetOldest(): void {
    const oldest = this.queue[this.head];
    this.queue[this.head++] = undefined;
    if (oldest) {
      oldest.entry.memo?.delete(oldest.key);
      this.bytes -= oldest.size;
    }
    if (this.head > 1_024 && this.head * 2 > this.queue.length) {
      this.queue = this.queue.slice(this.head);
      this.head = 0;
    }
  }
}
