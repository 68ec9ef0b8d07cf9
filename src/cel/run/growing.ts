/** Collections that a macro fills: they grow in place, and nobody else sees them before the macro ends. */
import { EvaluationError } from '../language/errors.ts';
import type { CelMap, CelValue, MapKey } from '../language/values.ts';
import { mapKeyOf, NativeList, NativeMap } from '../language/values.ts';

export class GrowingList extends NativeList {
  private readonly growing: CelValue[];

  constructor() {
    const items: CelValue[] = [];
    super(items);
    this.growing = items;
  }

  push(value: CelValue): void {
    this.growing.push(value);
  }
}

export class GrowingMap extends NativeMap {
  private readonly growing: Map<MapKey, readonly [CelValue, CelValue]>;

  constructor() {
    const entries = new Map<MapKey, readonly [CelValue, CelValue]>();
    super(entries);
    this.growing = entries;
  }

  /** @throws EvaluationError if the key is there already */
  insert(key: CelValue, value: CelValue): void {
    insertEntry(this.growing, key, value);
  }
}

/** @throws EvaluationError if the key is none, or is there already */
export function insertEntry(
  entries: Map<MapKey, readonly [CelValue, CelValue]>,
  key: CelValue,
  value: CelValue,
): void {
  const known = mapKeyOf(key);
  if (known === undefined || typeof known === 'number') throw new EvaluationError('unsupported key type');
  if (entries.has(known)) throw new EvaluationError(`insert failed: key ${keyText(key)} already exists`);
  entries.set(known, [key, value]);
}

function keyText(key: CelValue): string {
  return typeof key === 'string' ? JSON.stringify(key) : String(mapKeyOf(key));
}

/** `cel.@mapInsert`: an entry, or those of a map, go into the map that a macro fills. */
export function insertIntoMap(map: CelMap, key: CelValue, value: CelValue): CelMap {
  if (!(map instanceof GrowingMap)) throw new EvaluationError('no such overload');
  map.insert(key, value);
  return map;
}
