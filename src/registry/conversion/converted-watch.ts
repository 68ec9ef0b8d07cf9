/**
 * Converts the events of a watch. Events stay in order and wait in a bounded queue: a watch whose events arrive
 * faster than they are converted is ended, and its client resumes.
 */
import { turnFor } from '../../base/cooperate.ts';
import { serviceUnavailable } from '../../meta/status.ts';
import { sizeOf } from '../../storage/size.ts';
import type { CollectionSnapshot, Entry, Revision, StorageError, StoredEvent } from '../../storage/types.ts';
import type { WatchSubscriber } from '../../storage/types.ts';
import type { StoredConversion } from './object-conversion.ts';

/** Maximum bytes of events that wait for conversion. */
const mayWait = 16 * 1024 * 1024;

export interface ConvertedSubscriber extends WatchSubscriber {
  /** Ends the watch with an error that is not a StorageError. */
  fail(error: unknown): void;
}

export interface ConvertedWatchParts {
  readonly conversion: StoredConversion;
  readonly signal: AbortSignal;
  /** Whether a selector needs the previous state. */
  readonly needsPrevious: boolean;
  readonly subscriber: ConvertedSubscriber;
}

export class ConvertedWatch implements WatchSubscriber {
  private readonly parts: ConvertedWatchParts;
  /** Resolves when all events so far are delivered. */
  private tail: Promise<void> = Promise.resolve();
  private pending = 0;
  private waitingBytes = 0;
  private isOver = false;

  constructor(parts: ConvertedWatchParts) {
    this.parts = parts;
  }

  onEstablished(): void {
    this.parts.subscriber.onEstablished();
  }

  /** The subscriber converts the initial state itself, in batches. */
  onInitial(snapshot: CollectionSnapshot): void {
    this.parts.subscriber.onInitial(snapshot);
  }

  onEvents(events: readonly StoredEvent[]): void {
    if (this.isOver) return;
    const { subscriber, conversion, signal } = this.parts;
    const entries = events.flatMap((event) => this.entriesOf(event));
    const known = this.pending === 0 ? allKnown(conversion, entries) : undefined;
    if (known) {
      subscriber.onEvents(this.replaced(events, known));
      return;
    }
    const bytes = entries.reduce((sum, entry) => sum + sizeOf(entry), 0);
    this.waitingBytes += bytes;
    if (this.waitingBytes > mayWait) {
      this.fail(serviceUnavailable('events come faster than they can be converted; watch again'));
      return;
    }
    this.enqueue(async () => {
      const shown = await conversion.decode(entries, signal);
      this.waitingBytes -= bytes;
      // Watches share a conversion and would all go on in the turn in which it ends.
      await turnFor(shown.reduce((sum, entry) => sum + sizeOf(entry), 0));
      if (!this.isOver) subscriber.onEvents(this.replaced(events, shown));
    });
  }

  onProgress(revision: Revision): void {
    const { subscriber } = this.parts;
    if (this.pending === 0) subscriber.onProgress(revision);
    else
      this.enqueue(() => {
        subscriber.onProgress(revision);
      });
  }

  onEnd(reason: StorageError): void {
    this.enqueue(() => {
      this.parts.subscriber.onEnd(reason);
    });
  }

  async ready(): Promise<void> {
    await this.tail;
    await this.parts.subscriber.ready();
  }

  private enqueue(step: () => Promise<void> | void): void {
    this.pending += 1;
    this.tail = this.tail
      .then(() => (this.isOver ? undefined : step()))
      .catch((error: unknown) => {
        this.fail(error);
      })
      .finally(() => {
        this.pending -= 1;
      });
  }

  private fail(error: unknown): void {
    if (this.isOver) return;
    this.isOver = true;
    this.parts.subscriber.fail(error);
  }

  private entriesOf({ entry, previous }: StoredEvent): readonly Entry[] {
    return previous && this.parts.needsPrevious ? [entry, previous] : [entry];
  }

  /** The events with `shown` in the order of `entriesOf`. */
  private replaced(events: readonly StoredEvent[], shown: readonly Entry[]): StoredEvent[] {
    const left = shown.values();
    return events.map((event) => {
      const [entry = event.entry, previous = event.previous] = this.entriesOf(event).map(
        () => left.next().value,
      );
      return { ...event, entry, previous };
    });
  }
}

function allKnown(conversion: StoredConversion, entries: readonly Entry[]): Entry[] | undefined {
  const known: Entry[] = [];
  for (const entry of entries) {
    const shown = conversion.known(entry);
    if (!shown) return undefined;
    known.push(shown);
  }
  return known;
}
