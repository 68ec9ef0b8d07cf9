/**
 * Who has which names, where rules have hundreds of thousands of them. The index begins at the first question and is made in
 * slices behind it, for all such indexes together: until a list of names is in it, questions look through the list.
 */
import { SharedSlice } from '../../base/cooperate.ts';

/** Of all indexes that are being made. */
const indexing = new SharedSlice();

/** Names between two looks at the clock. */
const namesOfStep = 256;

/** A list of names, and whose it is. */
export interface Named<T> {
  readonly owner: T;
  readonly names: readonly string[];
}

export class NameIndex<T> {
  readonly #lists = new Set<Named<T>>();
  readonly #waiting = new Set<Named<T>>();
  #byName = new Map<string, Named<T> | Named<T>[]>();
  /** Names in the index, and those among them whose lists are gone. */
  #indexed = 0;
  #gone = 0;
  #isGrowing = false;

  add(list: Named<T>): void {
    this.#lists.add(list);
    this.#waiting.add(list);
  }

  /** In a moment, however long the list is: what the index has of it counts no more. */
  remove(list: Named<T>): void {
    if (!this.#lists.delete(list)) return;
    if (!this.#waiting.delete(list)) this.#gone += list.names.length;
    if (this.#gone > this.#indexed / 2) this.#begin();
  }

  /** One of the owners of the name for whom the condition holds. */
  find(name: string, holds: (owner: T) => boolean): T | undefined {
    if (this.#waiting.size > 0 && !this.#isGrowing) void this.#grow();
    const known = this.#byName.get(name);
    for (const list of Array.isArray(known) ? known : known ? [known] : [])
      if (this.#lists.has(list) && holds(list.owner)) return list.owner;
    for (const { names, owner } of this.#waiting) if (names.includes(name) && holds(owner)) return owner;
    return undefined;
  }

  /** Most of what the index has is gone: it is made once more from what is there. */
  #begin(): void {
    this.#byName = new Map();
    this.#indexed = this.#gone = 0;
    for (const list of this.#lists) this.#waiting.add(list);
  }

  async #grow(): Promise<void> {
    this.#isGrowing = true;
    for (const list of this.#waiting) await this.#index(list, this.#byName);
    this.#isGrowing = false;
  }

  /** @param byName as it is at the beginning: names that come into an older one do not count */
  async #index(list: Named<T>, byName: Map<string, Named<T> | Named<T>[]>): Promise<void> {
    for (let i = 0; i < list.names.length; i += 1) {
      if (i % namesOfStep === 0 && indexing.shouldYield()) await indexing.yieldNow();
      if (byName !== this.#byName) return;
      if (!this.#waiting.has(list)) {
        this.#noteIndexed(i, i);
        return;
      }
      addTo(byName, list.names[i] ?? '', list);
    }
    this.#waiting.delete(list);
    this.#noteIndexed(list.names.length, 0);
  }

  #noteIndexed(names: number, gone: number): void {
    this.#indexed += names;
    this.#gone += gone;
  }
}

function addTo<T>(byName: Map<string, Named<T> | Named<T>[]>, name: string, list: Named<T>): void {
  const known = byName.get(name);
  if (known === undefined) byName.set(name, list);
  else if (Array.isArray(known)) known.push(list);
  else if (known !== list) byName.set(name, [known, list]);
}
