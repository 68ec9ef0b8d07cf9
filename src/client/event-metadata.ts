/**
 * Metadata of objects in watch events for controllers. Several controllers follow the same resources (pods: three)
 * and receive a change in the same turn of the event loop: its metadata are parsed once, which takes 3 to 6 µs, and
 * shared. Very many labels, annotations or owners take longer than a turn has: they are parsed in slices.
 */
import { SharedSlice } from '../base/cooperate.ts';
import { eventLoop } from '../base/event-loop.ts';
import type { JsonObject } from '../base/json.ts';
import { setOwn } from '../base/json.ts';
import { whenReady, type MaybePromise } from '../base/maybe-promise.ts';
import { metadataHead } from '../codec/stored-metadata.ts';
import type { Entry } from '../storage/types.ts';

/** The metadata of an entry with its resourceVersion, without `managedFields`; a promise only where they are long. */
export function metadataOf({ bytes, modRevision }: Entry, slice: SharedSlice): MaybePromise<JsonObject> {
  const breathe = (): MaybePromise<void> => (slice.shouldYield() ? slice.yieldNow() : undefined);
  return whenReady(metadataHead(bytes, breathe), (metadata) => {
    setOwn(metadata, 'resourceVersion', String(modRevision));
    return metadata;
  });
}

/** The metadata are shared and must not be mutated. */
export class EventMetadata {
  readonly #cached = new Map<Entry, MaybePromise<JsonObject>>();
  readonly #slice = new SharedSlice();

  /** The result of `metadataOf`, cached. */
  of(entry: Entry): MaybePromise<JsonObject> {
    const cached = this.#cached.get(entry);
    if (cached) return cached;
    if (this.#cached.size === 0) eventLoop().nextTurn(() => this.#cached.clear());
    const metadata = metadataOf(entry, this.#slice);
    this.#cached.set(entry, metadata);
    return metadata;
  }
}
