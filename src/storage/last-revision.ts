/**
 * The events of the last revision that the follower has seen. A stream that is resumed begins with that revision, and
 * etcd must tell it as before: otherwise it was restored, and has overtaken the view since.
 */
import type { EtcdEvent } from './etcd/message-types.ts';
import { numberOf } from './etcd/etcd-messages.ts';
import type { Revision } from './types.ts';

export class LastRevision {
  #events: readonly EtcdEvent[] = [];
  /** A stream was opened that begins with them. */
  #isExpected = false;

  /** 0 if none is known. */
  get revision(): Revision {
    return revisionOf(this.#events[0]);
  }

  /** The state was loaded: there is no event of its revision to compare. */
  forget(): void {
    this.#events = [];
    this.#isExpected = false;
  }

  /** A new stream begins with the last revision. */
  expectAgain(): void {
    this.#isExpected = this.#events.length > 0;
  }

  /** After events of complete revisions were applied. */
  note(events: readonly EtcdEvent[]): void {
    const revision = revisionOf(events.at(-1));
    if (revision < this.revision) return;
    let from = events.length;
    while (from > 0 && revisionOf(events[from - 1]) === revision) from -= 1;
    this.#events = events.slice(from);
  }

  /**
   * To be asked for events of complete revisions before they are applied.
   * @param start revision that the stream begins with
   */
  isContinuedBy(events: readonly EtcdEvent[], start: Revision): boolean {
    if (!this.#isExpected) return true;
    this.#isExpected = false;
    // Events may have come in no order: then those of the start are not known.
    if (this.revision !== start) return true;
    const known = new Map(this.#events.map((event) => [nameOf(event), event]));
    const again = events.filter((event) => revisionOf(event) === start);
    const keys = new Set(again.map(nameOf));
    return keys.size === known.size && again.every((event) => isSameEvent(event, known.get(nameOf(event))));
  }
}

function nameOf({ kv }: EtcdEvent): string {
  return kv.key.toString('latin1');
}

function revisionOf(event: EtcdEvent | undefined): Revision {
  return numberOf(event?.kv.mod_revision ?? 0);
}

/** Values end in the mark of their write, so that equal ones are of the same write. */
function isSameEvent(one: EtcdEvent, other: EtcdEvent | undefined): boolean {
  if (other === undefined || one.type !== other.type || revisionOf(one) !== revisionOf(other)) return false;
  return one.kv.key.equals(other.kv.key) && one.kv.value.equals(other.kv.value);
}
