/**
 * The events of a watch that need work before they are delivered. They stay in order and wait in a bounded queue: a
 * watch whose events arrive faster than they are worked on is ended, and its client resumes.
 */
import { turnFor } from '../../base/cooperate.ts';
import { serviceUnavailable } from '../../meta/status.ts';
import { sizeOf } from '../../storage/size.ts';
import type {
  CollectionSnapshot,
  Entry,
  Revision,
  StorageError,
  StoredEvent,
  WatchSubscriber,
} from '../../storage/types.ts';

/** Maximum bytes of events that wait. */
const mayWait = 16 * 1024 * 1024;

export interface QueuedSubscriber extends WatchSubscriber {
  /** Ends the watch with an error that is not a StorageError. */
  fail(error: unknown): void;
}

export abstract class QueuedWatch implements QueuedSubscriber {
  readonly #subscriber: QueuedSubscriber;
  /** Resolves when all events so far are delivered. */
  #tail: Promise<void> = Promise.resolve();
  #pending = 0;
  #waitingBytes = 0;
  #isOver = false;

  constructor(subscriber: QueuedSubscriber) {
    this.#subscriber = subscriber;
  }

  /** The events as they are delivered, if there is nothing to do for them. */
  protected abstract readyNow(events: readonly StoredEvent[]): readonly StoredEvent[] | undefined;

  /** What is to be worked on. */
  protected abstract entriesOf(event: StoredEvent): readonly Entry[];

  /** The events as they are delivered. Those who need the same entries share the work. */
  protected abstract prepared(events: readonly StoredEvent[]): Promise<readonly StoredEvent[]>;

  onEstablished(): void {
    this.#subscriber.onEstablished();
  }

  /** The subscriber works on the initial state itself, in batches. */
  onInitial(snapshot: CollectionSnapshot): void {
    this.#subscriber.onInitial(snapshot);
  }

  onEvents(events: readonly StoredEvent[]): void {
    if (this.#isOver) return;
    const ready = this.#pending === 0 ? this.readyNow(events) : undefined;
    if (ready) {
      this.#subscriber.onEvents(ready);
      return;
    }
    const bytes = bytesOf(events.flatMap((event) => this.entriesOf(event)));
    this.#waitingBytes += bytes;
    if (this.#waitingBytes > mayWait) {
      this.fail(serviceUnavailable('events come faster than they can be processed; watch again'));
      return;
    }
    this.#enqueue(async () => {
      const shown = await this.prepared(events);
      this.#waitingBytes -= bytes;
      // Watches share the work and would all go on in the turn in which it ends.
      await turnFor(bytesOf(shown.flatMap((event) => this.entriesOf(event))));
      if (!this.#isOver) this.#subscriber.onEvents(shown);
    });
  }

  onProgress(revision: Revision): void {
    if (this.#pending === 0) this.#subscriber.onProgress(revision);
    else
      this.#enqueue(() => {
        this.#subscriber.onProgress(revision);
      });
  }

  onEnd(reason: StorageError): void {
    this.#enqueue(() => {
      this.#subscriber.onEnd(reason);
    });
  }

  fail(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#subscriber.fail(error);
  }

  async ready(): Promise<void> {
    await this.#tail;
    await this.#subscriber.ready();
  }

  #enqueue(step: () => Promise<void> | void): void {
    this.#pending += 1;
    this.#tail = this.#tail
      .then(() => (this.#isOver ? undefined : step()))
      .catch((error: unknown) => {
        this.fail(error);
      })
      .finally(() => {
        this.#pending -= 1;
      });
  }
}

function bytesOf(entries: readonly Entry[]): number {
  return entries.reduce((sum, entry) => sum + sizeOf(entry), 0);
}
