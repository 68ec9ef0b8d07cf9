/** What is made of stored objects, once for each revision. Large ones are parsed in slices: a megabyte takes tens of milliseconds. */
import { breatheInLargeStep, turnFor } from '../base/cooperate.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { Semaphore } from '../base/semaphore.ts';
import { smallBodyBytes } from '../codec/limits.ts';
import type { ApiObject } from '../meta/object.ts';
import { sizeOf } from '../storage/size.ts';
import type { Entry } from '../storage/types.ts';
import { entryObject, entryObjectInSlices } from './written-entry.ts';

/** Large objects are read one after the other: those that are half read would all take memory. */
const reading = new Semaphore(1);

/** Parses a stored object, in slices if it is large. @throws DecodeError */
export function readObject(entry: Entry): MaybePromise<ApiObject> {
  if (sizeOf(entry) <= smallBodyBytes) return entryObject(entry);
  return reading.use(async () => {
    await turnFor(sizeOf(entry));
    return entryObjectInSlices(entry, breatheInLargeStep);
  });
}

/** Kept with the entry, as `memoized` does. Results are shared and must not be mutated. */
export class ObjectMemo<T> {
  readonly #make: (object: ApiObject) => T;

  constructor(make: (object: ApiObject) => T) {
    this.#make = make;
  }

  /** undefined if the object is large and was not read yet. @throws DecodeError */
  peek(entry: Entry): T | undefined {
    if (sizeOf(entry) <= smallBodyBytes) return this.now(entry);
    const known = this.#known(entry);
    return known instanceof Promise ? undefined : known;
  }

  /** Parses a large object in one step if it was not read yet. @throws DecodeError */
  now(entry: Entry): T {
    const known = this.#known(entry);
    return known === undefined || known instanceof Promise
      ? this.#keep(entry, this.#make(entryObject(entry)))
      : known;
  }

  /** Those who ask at the same time share the work. @throws DecodeError */
  read(entry: Entry): MaybePromise<T> {
    const known = this.#known(entry);
    if (known !== undefined) return known;
    const object = readObject(entry);
    return this.#keep(entry, object instanceof Promise ? this.#whenRead(entry, object) : this.#make(object));
  }

  async #whenRead(entry: Entry, reading: Promise<ApiObject>): Promise<T> {
    try {
      return this.#keep(entry, this.#make(await reading));
    } catch (error) {
      entry.memo?.delete(this);
      throw error;
    }
  }

  #known(entry: Entry): MaybePromise<T> | undefined {
    return entry.memo?.get(this) as MaybePromise<T> | undefined;
  }

  #keep<K extends MaybePromise<T>>(entry: Entry, value: K): K {
    (entry.memo ??= new Map()).set(this, value);
    return value;
  }
}
