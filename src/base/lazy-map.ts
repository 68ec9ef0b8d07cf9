/** A map whose values are made when somebody asks for them: of thousands of fields most objects have a few. */

/** The names of a map, in order. */
export interface MapNames {
  readonly size: number;
  has(name: string): boolean;
  keys(): readonly string[] | MapIterator<string>;
}

/** The names of the members of an object that does not change: `Object.keys` takes a millisecond for 5,000. */
export function namesOf(object: object): MapNames {
  return namesBy(
    () => Object.keys(object),
    (name) => Object.hasOwn(object, name),
  );
}

/** @param list gives all of them; called once, when somebody asks for them */
export function namesBy(list: () => readonly string[], has: (name: string) => boolean): MapNames {
  let listed: readonly string[] | undefined;
  const keys = (): readonly string[] => (listed ??= list());
  return {
    get size() {
      return keys().length;
    },
    has,
    keys,
  };
}

export class LazyMap<V> implements ReadonlyMap<string, V> {
  readonly #names: MapNames;
  readonly #make: (name: string) => V;
  readonly #made = new Map<string, V>();
  /** All of them in order, once somebody has asked for all. */
  #all: ReadonlyMap<string, V> | undefined;

  /** @param make called once for each of the names */
  constructor(names: MapNames, make: (name: string) => V) {
    this.#names = names;
    this.#make = make;
  }

  get size(): number {
    return this.#names.size;
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  get(name: string): V | undefined {
    return this.#names.has(name) ? this.#valueOf(name) : undefined;
  }

  /** Makes no values. */
  keys(): MapIterator<string> {
    const names = this.#names.keys();
    return 'next' in names ? names : names.values();
  }

  values(): MapIterator<V> {
    return this.#everything().values();
  }

  entries(): MapIterator<[string, V]> {
    return this.#everything().entries();
  }

  [Symbol.iterator](): MapIterator<[string, V]> {
    return this.entries();
  }

  forEach(visit: (value: V, name: string, map: ReadonlyMap<string, V>) => void): void {
    this.#everything().forEach((value, name) => {
      visit(value, name, this);
    });
  }

  #valueOf(name: string): V {
    if (this.#made.has(name)) return this.#made.get(name) as V;
    const value = this.#make(name);
    this.#made.set(name, value);
    return value;
  }

  #everything(): ReadonlyMap<string, V> {
    if (this.#all) return this.#all;
    const all = new Map<string, V>();
    for (const name of this.#names.keys()) all.set(name, this.#valueOf(name));
    this.#all = all;
    return all;
  }
}
