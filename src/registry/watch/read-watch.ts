/** Reads what the selectors of a watch need of large objects in slices, before its events are held against them. */
import type { Entry, StoredEvent } from '../../storage/types.ts';
import { QueuedWatch, type QueuedSubscriber } from '../conversion/queued-watch.ts';
import type { Selection } from '../read/selection.ts';

export class ReadWatch extends QueuedWatch {
  readonly #selection: Selection;

  constructor(selection: Selection, subscriber: QueuedSubscriber) {
    super(subscriber);
    this.#selection = selection;
  }

  protected override readyNow(events: readonly StoredEvent[]): readonly StoredEvent[] | undefined {
    return events.every((event) => this.#isRead(event)) ? events : undefined;
  }

  protected override async prepared(events: readonly StoredEvent[]): Promise<readonly StoredEvent[]> {
    for (const { entry, previous } of events) {
      await this.#selection.read(entry);
      if (previous) await this.#selection.read(previous);
    }
    return events;
  }

  /** The previous state was read with its own event, as a rule. */
  protected override entriesOf({ entry }: StoredEvent): readonly Entry[] {
    return [entry];
  }

  #isRead({ entry, previous }: StoredEvent): boolean {
    return this.#selection.isRead(entry) && (previous === undefined || this.#selection.isRead(previous));
  }
}
