/** The LimitRanges of namespaces as they are read together, until one of them changes. */
import { SharedSlice } from '../base/cooperate.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { LimitView, type LimitRange } from './limit-view.ts';
import type { ObjectReader } from './object-reader.ts';

const collection = 'core/limitranges';
/** To read more takes tens of milliseconds: they are read in slices. */
const smallBytes = 64 * 1024;
/** One that is larger, or more in all, is read where large writes are carried out: each is a step of milliseconds. */
const largestRange = 16 * 1024;
const mostBytes = 8 * 1024 * 1024;

export class LimitViews {
  readonly #reader: ObjectReader;
  /** All views that are made share it. */
  readonly #making = new SharedSlice();
  /** By the state of the collection, and by namespace; those under way included. */
  readonly #known = new WeakMap<object, Map<string, MaybePromise<LimitView>>>();

  constructor(reader: ObjectReader) {
    this.#reader = reader;
  }

  /** @param onHeavy called before ranges are read that take long */
  of(namespace: string, onHeavy: () => void): MaybePromise<LimitView> {
    const contents = this.#reader.contentsOf?.(collection);
    if (!contents) return this.#make(namespace, onHeavy);
    const views = this.#known.get(contents) ?? new Map<string, MaybePromise<LimitView>>();
    this.#known.set(contents, views);
    const known = views.get(namespace);
    if (known) return known;
    const made = this.#make(namespace, onHeavy);
    views.set(namespace, made);
    if (made instanceof Promise) {
      made.then(
        (view) => views.set(namespace, view),
        () => views.delete(namespace),
      );
    }
    return made;
  }

  #make(namespace: string, onHeavy: () => void): MaybePromise<LimitView> {
    const reader = this.#reader;
    const where = [collection, `${namespace}/`] as const;
    const bytes = reader.bytesOf?.(...where) ?? 1;
    if (bytes === 0) return new LimitView();
    if (bytes > mostBytes || (reader.largestOf?.(...where) ?? 1) > largestRange) onHeavy();
    if (bytes > smallBytes && reader.listInSlices)
      return reader.listInSlices(...where).then((ranges) => this.#joined(ranges));
    const view = new LimitView();
    for (const range of reader.list(...where)) view.add(range);
    return view;
  }

  async #joined(ranges: readonly LimitRange[]): Promise<LimitView> {
    const view = new LimitView();
    for (const range of ranges) {
      view.add(range);
      if (this.#making.shouldYield()) await this.#making.yieldNow();
    }
    return view;
  }
}
