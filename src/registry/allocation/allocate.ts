/**
 * Values that at most one object holds: chosen here from the watch cache, taken and given back by the transaction of
 * the write (`Storage.claiming`), so that a write that fails, or is a dry run, keeps nothing.
 */
import type { Allocation, HeldValue, MissingValue, ValuePool } from '../../api/types.ts';
import type { AddressRange, ServiceRanges, ValueRange } from '../../api/core/service/value-range.ts';
import { deepCopy, deepEqual } from '../../base/json.ts';
import type { Random } from '../../base/random.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { invalid, tooMany } from '../../meta/field-error.ts';
import { asApiObject, asJson, type ApiObject } from '../../meta/object.ts';
import { internalServerError, invalidObject } from '../../meta/status.ts';
import { fillZeroValues } from '../../schema/zero-values.ts';
import { maxClaims, StorageError, type ClaimKey, type Claims } from '../../storage/types.ts';
import { nameOf } from '../write/decode.ts';
import type { Draft, Write } from '../write/write.ts';
import { claimKey, holderText, poolCollections, valuesBeside } from './claims.ts';
import { pickFree, type TakenValues } from './pick-free.ts';

/** A chosen value was taken meanwhile: others can be chosen. */
export class ChosenValueTaken extends Error {}

/** A draft with all its values. */
export interface Allocated {
  /** A copy of the object, if it has values that the given one lacks. */
  readonly object: ApiObject;
  readonly claims: Claims | undefined;
  /** The error of a value that was named by the client and is taken; otherwise that others can be chosen. */
  explain(error: StorageError): Error;
}

interface Allocator {
  readonly allocation: Allocation<ApiObject>;
  readonly ranges: ServiceRanges;
  readonly addedRanges: () => readonly AddressRange[];
}

const none = (): readonly AddressRange[] => [];

/** Undefined for kinds without values, and where no ranges are configured. */
export function allocatorOf({ deps, scope }: Write): Allocator | undefined {
  const { allocation } = scope.resource.definition.strategy;
  const { ranges, addedRanges = none } = deps;
  return allocation && ranges && { allocation, ranges, addedRanges };
}

/**
 * Chooses the values that a valid draft needs. Does not change the draft.
 * @throws StatusError 422 for values that may not be had, 500 if a range is full
 */
export async function allocate(write: Write, draft: Draft, allocator: Allocator): Promise<Allocated> {
  const { allocation } = allocator;
  const before = draft.base ? allocation.held(draft.base.object) : [];
  const object = await completed(write, draft, allocator);
  const after = allocation.held(object);
  const take = valuesBeside(after, before);
  const release = valuesBeside(before, after);
  if (after.length > maxClaims && take.length > 0)
    refuse(write, object, [tooMany('spec.ports', after.length, maxClaims)]);
  const named = valuesBeside(allocation.held(draft.object), before);
  const explain = (error: StorageError): Error => {
    const taken = new Set(error.taken.map(idOf));
    const errors = named.filter((value) => taken.has(idOf(claimKey(value)))).map(takenError);
    return errors.length > 0
      ? invalidObject(write.scope.resource.gvk, nameOf(object.metadata), errors)
      : new ChosenValueTaken(error.message, { cause: error });
  };
  if (write.scope.dryRun) await assertFree(write, named, explain);
  const isSame = take.length + release.length === 0;
  const claims = isSame
    ? undefined
    : {
        holder: holderText(object),
        take: take.map(claimKey),
        release: release.slice(0, maxClaims).map(claimKey),
      };
  return { object, claims, explain };
}

/** The object with every field; itself if none was missing. */
async function completed(write: Write, draft: Draft, allocator: Allocator): Promise<ApiObject> {
  const { allocation, ranges } = allocator;
  const { scope, context } = write;
  // A subresource changes no field that needs values.
  if (scope.subresource !== '') return draft.object;
  const next = asApiObject(deepCopy(asJson(draft.object)));
  const before = draft.base ? allocation.held(draft.base.object) : [];
  refuse(write, next, [
    ...allocation.complete(next, ranges, context),
    ...valuesBeside(allocation.held(next), before).flatMap((value) => rangeErrors(value, allocator)),
  ]);
  const chosen = new Set(allocation.held(next).map(({ value }) => value));
  for (const value of allocation.missing(next, ranges, { isNew: !draft.base, context })) {
    const found = await choose(write, value, { ...allocator, chosen });
    chosen.add(found);
    value.fill(found);
  }
  fillZeroValues(scope.resource.storage.schema, asJson(next));
  return deepEqual(asJson(next), asJson(draft.object)) ? draft.object : next;
}

interface Choice extends Pick<Allocator, 'ranges' | 'addedRanges'> {
  /** Chosen by the same write. */
  readonly chosen: ReadonlySet<string>;
}

/** From the first range of the family that is not full. @throws StatusError 500 if all are */
async function choose({ deps, scope }: Write, value: MissingValue, choice: Choice): Promise<string> {
  const collection = poolCollections[value.pool];
  const ranges = rangesOf(value.pool, choice).filter(({ family }) => family === value.family);
  if (ranges.length === 0) throw new Error(`no range of ${value.family ?? 'ports'} is configured`);
  const { chosen } = choice;
  const known = await pickFrom(ranges, { held: deps.storage.view(collection), chosen }, deps.random);
  if (known !== undefined) return known;
  // The view may not know yet what was given back.
  const held = await deps.storage.snapshot(
    collection,
    { kind: 'mostRecent' },
    scope.lifetime ?? scope.signal,
  );
  const found = await pickFrom(ranges, { held, chosen }, deps.random);
  if (found === undefined) throw internalServerError(`failed to allocate ${value.what}: range is full`);
  return found;
}

async function pickFrom(
  ranges: readonly ValueRange[],
  taken: TakenValues,
  random: Random,
): Promise<string | undefined> {
  for (const range of ranges) {
    const found = await pickFree(range, taken, random);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The configured ones first. */
function rangesOf(
  pool: ValuePool,
  { ranges: { addresses, nodePorts }, addedRanges }: Pick<Allocator, 'ranges' | 'addedRanges'>,
): readonly ValueRange[] {
  if (pool === 'nodePorts') return [nodePorts];
  const configured = new Set(addresses.map(({ text }) => text));
  return [...addresses, ...addedRanges().filter(({ text }) => !configured.has(text))];
}

/** A value that a client names must be in a range. */
function rangeErrors({ pool, value, path, sent, isReserved }: HeldValue, allocator: Allocator): FieldError[] {
  if (isReserved === true) return [];
  const all = rangesOf(pool, allocator);
  if (all.some((range) => range.has(value))) return [];
  const texts = all.map(({ text }) => text).join(', ');
  const problem =
    pool === 'addresses'
      ? `failed to allocate IP ${value}: provided IP is not in the valid range. The range of valid IPs is ${texts}`
      : `provided port is not in the valid range. The range of valid ports is ${texts}`;
  return [invalid(path, sent, problem)];
}

function takenError({ pool, value, path, sent }: HeldValue): FieldError {
  const problem =
    pool === 'addresses'
      ? `failed to allocate IP ${value}: provided IP is already allocated`
      : 'provided port is already allocated';
  return invalid(path, sent, problem);
}

function idOf({ collection, key }: ClaimKey): string {
  return `${collection}/${key}`;
}

/** A dry run has no transaction that would find what is taken. @throws StatusError 422 */
async function assertFree(
  { deps, scope }: Write,
  named: readonly HeldValue[],
  explain: (error: StorageError) => Error,
): Promise<void> {
  const keys = named.map(claimKey);
  const lifetime = scope.lifetime ?? scope.signal;
  const found = await Promise.all(
    keys.map(({ collection, key }) => deps.storage.get(collection, key, { kind: 'mostRecent' }, lifetime)),
  );
  const taken = keys.filter((_, i) => found[i] !== undefined);
  if (taken.length > 0) throw explain(new StorageError('claimTaken', 'values are taken', { taken }));
}

function refuse({ scope }: Write, object: ApiObject, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidObject(scope.resource.gvk, nameOf(object.metadata), errors);
}
