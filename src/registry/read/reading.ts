/** What has to be read of large entries before a selector is held against them. */
import type { Entry } from '../../storage/types.ts';

export interface Reading {
  /** Whether what it reads of an entry is known, or is read in a short step when it is needed. */
  isRead(entry: Entry): boolean;
  /** Reads it of a large entry in slices, and keeps it. @throws DecodeError */
  read(entry: Entry): Promise<void>;
}

/** Reads entries once for all watches and lists that ask for them at once. */
export class SharedReading {
  readonly #underWay = new WeakMap<Entry, Promise<void>>();

  read(entry: Entry, read: () => Promise<void>): Promise<void> {
    const known = this.#underWay.get(entry);
    if (known) return known;
    const reading = read().finally(() => this.#underWay.delete(entry));
    this.#underWay.set(entry, reading);
    return reading;
  }
}
