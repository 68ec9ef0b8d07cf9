/**
 * What is found by a look at all objects of a collection, such as the class that is marked as default. There may be thousands,
 * and each pod asks: they are looked through once for each state of the collection, in slices where they are many.
 */
import { whenReady, type MaybePromise } from '../base/maybe-promise.ts';
import { smallBodyBytes } from '../codec/limits.ts';
import type { ApiObject } from '../meta/object.ts';
import type { CollectionId } from '../storage/types.ts';
import type { ObjectReader } from './object-reader.ts';

export class FoundAmong<T> {
  readonly #reader: ObjectReader;
  readonly #collection: CollectionId;
  readonly #choose: (objects: readonly ApiObject[]) => T;
  /** Of the state in which the collection was when it was last looked through. */
  #last: { readonly contents: object; readonly found: MaybePromise<T> } | undefined;

  /** @param choose takes some ten nanoseconds for each object */
  constructor(reader: ObjectReader, collection: CollectionId, choose: (objects: readonly ApiObject[]) => T) {
    this.#reader = reader;
    this.#collection = collection;
    this.#choose = choose;
  }

  /** As the replica's view has them now. @throws what the reader throws */
  now(): MaybePromise<T> {
    const contents = this.#reader.contentsOf?.(this.#collection);
    if (!contents) return this.#look();
    if (this.#last?.contents === contents) return this.#last.found;
    const found = this.#look();
    this.#last = { contents, found };
    if (found instanceof Promise) found.catch(() => (this.#last = undefined));
    return found;
  }

  #look(): MaybePromise<T> {
    const reader = this.#reader;
    const where = [this.#collection, ''] as const;
    const isSmall = (reader.bytesOf?.(...where) ?? 0) <= smallBodyBytes;
    const all = isSmall || !reader.listInSlices ? reader.list(...where) : reader.listInSlices(...where);
    return whenReady(all, this.#choose);
  }
}
