/** Converts the events of a watch. */
import type { Entry, StoredEvent } from '../../storage/types.ts';
import type { StoredConversion } from './object-conversion.ts';
import { QueuedWatch, type QueuedSubscriber } from './queued-watch.ts';

export interface ConvertedWatchParts {
  readonly conversion: StoredConversion;
  readonly signal: AbortSignal;
  /** Whether a selector needs the previous state. */
  readonly needsPrevious: boolean;
  readonly subscriber: QueuedSubscriber;
}

export class ConvertedWatch extends QueuedWatch {
  readonly #parts: ConvertedWatchParts;

  constructor(parts: ConvertedWatchParts) {
    super(parts.subscriber);
    this.#parts = parts;
  }

  protected override readyNow(events: readonly StoredEvent[]): readonly StoredEvent[] | undefined {
    const known = allKnown(this.#parts.conversion, this.#entries(events));
    return known && this.#replaced(events, known);
  }

  protected override async prepared(events: readonly StoredEvent[]): Promise<readonly StoredEvent[]> {
    const { conversion, signal } = this.#parts;
    return this.#replaced(events, await conversion.decode(this.#entries(events), signal));
  }

  protected override entriesOf({ entry, previous }: StoredEvent): readonly Entry[] {
    return previous && this.#parts.needsPrevious ? [entry, previous] : [entry];
  }

  #entries(events: readonly StoredEvent[]): readonly Entry[] {
    return events.flatMap((event) => this.entriesOf(event));
  }

  /** The events with `shown` in the order of `entriesOf`. */
  #replaced(events: readonly StoredEvent[], shown: readonly Entry[]): StoredEvent[] {
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
