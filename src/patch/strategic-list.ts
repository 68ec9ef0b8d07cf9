/** Lists under strategic merge patch: merging items by key, and the order that the result has. */
import type { JsonArray, JsonObject, JsonValue } from '../base/json.ts';
import { getOwn, isObject } from '../base/json.ts';
import { quoted } from '../base/short-text.ts';
import { PatchError } from './patch-error.ts';

export const patchDirective = '$patch';

/** How the items of one list are identified and merged. */
export interface ItemMerger {
  /** '' for lists of scalars. */
  readonly mergeKey: string;
  /** The item with a change merged into it; neither is changed. */
  readonly merge: (item: JsonObject, change: JsonObject) => JsonObject;
  /** The form in which an item of the patch is added. */
  readonly fresh: (item: JsonValue) => JsonValue;
}

/**
 * An item that only directs. @throws PatchError for a directive that lists do not know
 */
export function isDirective(item: JsonValue): item is JsonObject {
  const directive = isObject(item) ? getOwn(item, patchDirective) : undefined;
  if (directive === undefined) return false;
  if (directive === 'delete' || directive === 'replace') return true;
  throw new PatchError('malformed', `a list knows no directive ${patchDirective}: ${quoted(directive)}`);
}

/**
 * A list with the items of a patch merged into it; neither is changed. Items of the patch keep their order; items that
 * only the live list has keep their place before what followed them.
 */
export function mergeItems(current: JsonArray, change: JsonArray, merger: ItemMerger): JsonArray {
  const all = [...current, ...change];
  if (!all.some(isObject)) return mergeScalars(current, change);
  if (!all.every(isObject)) {
    throw new PatchError(
      'unprocessable',
      'the items of the list and of the patch must all be objects or all be scalars',
    );
  }
  if (merger.mergeKey === '')
    throw new PatchError('unprocessable', 'a list without a merge key cannot be merged');
  return mergeObjects(current as JsonObject[], change as JsonObject[], merger);
}

function mergeScalars(current: JsonArray, change: JsonArray): JsonArray {
  if ([...current, ...change].some(Array.isArray)) {
    throw new PatchError('unprocessable', 'lists of lists cannot be merged');
  }
  const union = new Map<Identity, JsonValue>();
  for (const item of [...current, ...change]) union.set(identity(item), item);
  return orderItems({ items: [...union.values()], order: change, liveOrder: current, mergeKey: '' });
}

function mergeObjects(
  current: readonly JsonObject[],
  change: readonly JsonObject[],
  merger: ItemMerger,
): JsonArray {
  const { mergeKey } = merger;
  const deleted = new Set(
    change
      .filter((item) => isDirective(item) && item[patchDirective] === 'delete')
      .map((item) => keyOf(item, mergeKey)),
  );
  const additions = change.filter((item) => !isDirective(item));
  if (change.some((item) => getOwn(item, patchDirective) === 'replace')) {
    for (const item of additions) keyOf(item, mergeKey);
    return additions.map(merger.fresh);
  }
  const retained = current.filter((item) => !deleted.has(identity(getOwn(item, mergeKey))));
  const items = mergeByKey(retained, additions, merger);
  return orderItems({ items, order: additions, liveOrder: retained, mergeKey });
}

function mergeByKey(
  retained: readonly JsonObject[],
  additions: readonly JsonObject[],
  merger: ItemMerger,
): JsonArray {
  const items: JsonArray = [...retained];
  const places = placesOf(items, merger.mergeKey);
  for (const addition of additions) {
    const key = keyOf(addition, merger.mergeKey);
    const place = places.get(key);
    const item = place === undefined ? undefined : items[place];
    if (place !== undefined && isObject(item)) items[place] = merger.merge(item, addition);
    else {
      places.set(key, items.length);
      items.push(merger.fresh(addition));
    }
  }
  return items;
}

/** Takes scalars out of a list. */
export function removeScalars(list: JsonArray, values: JsonArray): JsonArray {
  const removed = new Set(values.map(identity));
  return list.filter((item) => !removed.has(identity(item)));
}

/**
 * Verifies that the items of a patch come in the order that `$setElementOrder` states.
 * @throws PatchError `malformed` when they do not, or the order misses one
 */
export function checkOrder(change: JsonArray, order: JsonArray, mergeKey: string): void {
  if (order.length === 0) return;
  let at = 0;
  for (const item of change) {
    if (isDirective(item)) continue;
    const key = keyOf(item, mergeKey);
    while (at < order.length && keyOf(order[at] ?? null, mergeKey) !== key) at += 1;
    if (at === order.length) {
      throw new PatchError(
        'malformed',
        'the order of the list in the patch does not match its $setElementOrder',
      );
    }
    at += 1;
  }
}

export interface MergedList {
  readonly items: JsonArray;
  /** The order that the patch wants for the items that it names. */
  readonly order: JsonArray;
  /** The order before the patch, for all other items. */
  readonly liveOrder: JsonArray;
  readonly mergeKey: string;
}

/**
 * Orders a merged list: named items as the patch names them, others as they were; where both kinds meet, an other
 * item goes first only when it stood before the named one.
 */
export function orderItems({ items, order, liveOrder, mergeKey }: MergedList): JsonArray {
  const wanted = placesOf(order, mergeKey);
  const live = placesOf(liveOrder, mergeKey);
  const keyed = items.map((item) => ({ item, key: keyOf(item, mergeKey) }));
  const named = keyed.filter(({ key }) => wanted.has(key));
  const others = keyed.filter(({ key }) => !wanted.has(key));
  named.sort((a, b) => placeIn(wanted, a.key) - placeIn(wanted, b.key));
  others.sort((a, b) => placeIn(live, a.key) - placeIn(live, b.key));
  const result: JsonArray = [];
  let next = 0;
  for (const other of others) {
    for (let first = named[next]; first && !isBefore(live, other.key, first.key); first = named[next]) {
      result.push(first.item);
      next += 1;
    }
    result.push(other.item);
  }
  return [...result, ...named.slice(next).map(({ item }) => item)];
}

function isBefore(live: ReadonlyMap<Identity, number>, a: Identity, b: Identity): boolean {
  const first = live.get(a);
  const second = live.get(b);
  return first !== undefined && second !== undefined && first < second;
}

function placeIn(places: ReadonlyMap<Identity, number>, key: Identity): number {
  return places.get(key) ?? places.size;
}

/** The first place of each key; items without one have no place. */
function placesOf(list: readonly JsonValue[], mergeKey: string): Map<Identity, number> {
  const places = new Map<Identity, number>();
  list.forEach((item, index) => {
    const value = mergeKey === '' ? item : isObject(item) ? getOwn(item, mergeKey) : undefined;
    if (value === undefined) return;
    const key = identity(value);
    if (!places.has(key)) places.set(key, index);
  });
  return places;
}

/** The identity of an item. @throws PatchError when an item has no merge key */
function keyOf(item: JsonValue, mergeKey: string): Identity {
  if (mergeKey === '') return identity(item);
  const value = isObject(item) ? getOwn(item, mergeKey) : undefined;
  if (value !== undefined) return identity(value);
  throw new PatchError('unprocessable', `an item of the list has no value for its merge key ${mergeKey}`);
}

/** What is the same for equal values only. Most texts are their own, so that their hash is computed once. */
type Identity = string | number | boolean | null | undefined;

function identity(value: JsonValue | undefined): Identity {
  if (typeof value === 'string') return value.startsWith('"') ? `"${value}` : value;
  return typeof value === 'object' && value !== null ? `"${JSON.stringify(value)}` : value;
}
