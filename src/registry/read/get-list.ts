/** Get and list: the resource version determines the snapshot, selectors filter it. */
import { byCodeUnits } from '../../base/by-code-units.ts';
import { resultOf as resultOfSteps } from '../../base/sliced-work.ts';
import { sortedInSteps } from '../../base/sorted-in-steps.ts';
import { ObjectNotFound } from '../../meta/object-errors.ts';
import { expiredContinue, StatusError } from '../../meta/status.ts';
import type { CollectionSnapshot, Entry, Freshness, ObjectKey, Storage } from '../../storage/types.ts';
import { StorageError } from '../../storage/types.ts';
import { ConvertedChunk, type Converting } from './converted-chunk.ts';
import { encodeContinueToken } from './continue-token.ts';
import type { GrownRoom } from '../conversion/grown-room.ts';
import { Filtering } from './filtering.ts';
import { toStatusError, translated } from '../storage-errors.ts';
import type { ListStart } from './resource-version-match.ts';
import { getFreshness, listStart } from './resource-version-match.ts';
import { addressOf, objectKey, scopePrefix } from '../scope-keys.ts';
import type { Selection } from './selection.ts';
import { compileSelection } from './selection.ts';
import type { EntryList, ListOptions, ListResult, ReadOptions, RequestScope } from '../types.ts';

/** One object as fresh as the resource version requires. @throws ObjectMissing, StatusError 400, 504 */
export async function getObject(
  storage: Storage,
  scope: RequestScope,
  name: string,
  options: ReadOptions,
): Promise<Entry> {
  const { resourceVersion } = options;
  const freshness = getFreshness(resourceVersion);
  const requested = { ...addressOf(scope, name), resourceVersion };
  const key = objectKey(scope, name);
  const entry = await translated(requested, () =>
    storage.get(scope.resource.storage.collection, key, freshness, scope.lifetime ?? scope.signal),
  );
  if (entry === undefined) throw new ObjectNotFound(addressOf(scope, name));
  return entry;
}

/**
 * A collection or a chunk of it.
 * @param room for objects that grow by conversion; absent: it is not bounded
 * @throws StatusError 400, 410, 413, 422, 429, 504
 */
export async function listObjects(
  storage: Storage,
  scope: RequestScope,
  options: ListOptions,
  room?: GrownRoom,
): Promise<ListResult> {
  const start = listStart(options, scope.resource.naming);
  const selection = compileSelection(scope.resource, options.labelSelector, options.fieldSelector);
  const snapshot = await openSnapshot(storage, scope, start, options.resourceVersion);
  const { counts = true, asStored = false } = options;
  const wanted = { prefix: scopePrefix(scope), start, selection, counts, asStored, scope };
  assertReadable(snapshot, scope, wanted.prefix);
  const { stored: conversion } = scope.resource.conversion;
  return conversion && !(asStored && selection.empty)
    ? collectConverted(snapshot, wanted, { conversion, room })
    : collect(snapshot, wanted);
}

async function openSnapshot(
  storage: Storage,
  scope: RequestScope,
  start: ListStart,
  resourceVersion: string,
): Promise<CollectionSnapshot> {
  try {
    return await storage.snapshot(
      scope.resource.storage.collection,
      freshnessFor(start.freshness, scope),
      scope.lifetime ?? scope.signal,
    );
  } catch (error) {
    if (start.token && error instanceof StorageError && error.code === 'compacted')
      throw expiredToken(start.token.after);
    // The text as sent: a number may lose digits.
    const requested = start.token ? String(start.token.revision) : resourceVersion;
    throw toStatusError(error, { resource: scope.resource.gvr, name: '', resourceVersion: requested });
  }
}

/** Of an earlier state a list of one namespace needs no more than that: the state is read from etcd for it. */
function freshnessFor(freshness: Freshness, scope: RequestScope): Freshness {
  if (freshness.kind !== 'exact') return freshness;
  return { ...freshness, within: scopePrefix(scope), flow: scope.user.name };
}

/**
 * A list without the objects that cannot be decrypted would say that they do not exist.
 * @throws StatusError 500 that names them
 */
function assertReadable(
  snapshot: CollectionSnapshot,
  { resource }: Pick<RequestScope, 'resource'>,
  prefix: string,
): void {
  const error = snapshot.unreadableIn?.(prefix);
  if (error !== undefined) throw toStatusError(error, { resource: resource.gvr, name: '' });
}

/** The 410 for a compacted token; contains a token for an inconsistent continuation at the newest state. */
function expiredToken(after: string): StatusError {
  return expiredContinue(
    'The provided continue parameter is too old to display a consistent list result. Start a new list without it, ' +
      'or use the continue token of this answer for the remainder as it is now, which is inconsistent with the ' +
      'chunks before: objects created, changed or deleted since the first chunk may be missing or doubled.',
    encodeContinueToken({ revision: undefined, after }),
  );
}

interface Wanted {
  readonly prefix: string;
  readonly start: ListStart;
  readonly selection: Selection;
  readonly counts: boolean;
  readonly asStored: boolean;
  /** Whose client may go meanwhile. */
  readonly scope: Pick<RequestScope, 'lifetime' | 'signal' | 'user'>;
}

async function collect(snapshot: CollectionSnapshot, wanted: Wanted): Promise<ListResult> {
  if (wanted.selection.empty) return collectAll(snapshot, wanted);
  const limit = limitOf(wanted);
  const entries: Entry[] = [];
  const filtering = new Filtering(wanted.scope);
  let more = false;
  for (const entry of await candidates(snapshot, wanted, filtering)) {
    await filtering.before(entry);
    const reading = wanted.selection.read(entry);
    if (reading) await reading;
    if (!wanted.selection.matches(entry)) continue;
    more = entries.length >= limit;
    if (more) break;
    entries.push(entry);
  }
  return resultOf(snapshot, wanted, entries, more ? entries.at(-1) : undefined);
}

async function collectAll(snapshot: CollectionSnapshot, wanted: Wanted): Promise<ListResult> {
  const limit = limitOf(wanted);
  if (limit > pageAtOnce) return collectMany(snapshot, wanted, limit);
  const entries = snapshot.page(wanted.prefix, afterOf(wanted), limit + 1);
  const chunk = entries.length > limit ? entries.slice(0, limit) : entries;
  return resultOf(snapshot, wanted, chunk, entries.length > limit ? chunk.at(-1) : undefined);
}

/** Entries that are found while they are sent: nothing is made of a million at once. */
async function collectMany(snapshot: CollectionSnapshot, wanted: Wanted, limit: number): Promise<ListResult> {
  const entries = entriesOf(snapshot, wanted);
  const count = snapshot.count(wanted.prefix, afterOf(wanted));
  if (limit >= count)
    return resultOf(snapshot, wanted, { length: count, [Symbol.iterator]: () => entries[Symbol.iterator]() });
  const first = { length: limit, [Symbol.iterator]: () => firstOf(entries, limit) };
  return resultOf(snapshot, wanted, first, await lastOf(first, wanted));
}

function* firstOf(entries: Iterable<Entry>, count: number): Generator<Entry> {
  let left = count;
  for (const entry of entries) {
    yield entry;
    left -= 1;
    if (left === 0) return;
  }
}

async function lastOf(entries: EntryList, { scope }: Wanted): Promise<Entry | undefined> {
  const filtering = new Filtering(scope);
  let last: Entry | undefined;
  for (const entry of entries) {
    await filtering.before(entry);
    last = entry;
  }
  return last;
}

/** Entries of a chunk that are found in one step, some tenths of a millisecond. */
const pageAtOnce = 1_000;

/** Entries per conversion batch. */
const convertedTogether = 500;

/** Filters converted entries: batch by batch, no more than the limit needs. */
async function collectConverted(
  snapshot: CollectionSnapshot,
  wanted: Wanted,
  converting: Converting,
): Promise<ListResult> {
  const { selection } = wanted;
  const chunk = new ConvertedChunk(wanted, converting);
  // The entry after the limit is converted only if a selector needs it.
  const size = Math.min(limitOf(wanted) + (selection.empty ? 0 : 1), convertedTogether);
  const hasMore = await fill(chunk, batches(entriesOf(snapshot, wanted), size), selection);
  chunk.end();
  return resultOf(snapshot, wanted, chunk.entries, hasMore ? chunk.entries.at(-1) : undefined);
}

/** Returns whether entries are left for the next chunk. */
async function fill(
  chunk: ConvertedChunk,
  all: Iterable<readonly Entry[]>,
  selection: Selection,
): Promise<boolean> {
  for (const batch of all) {
    for (let left = batch; left.length > 0;) {
      if (selection.empty && chunk.isFull) return true;
      const taken = await chunk.take(left);
      if (taken === 'full') return true;
      if (taken === 'needsRoom') await chunk.makeRoom();
      else left = left.slice(taken);
    }
  }
  return false;
}

function* batches(entries: Iterable<Entry>, size: number): Generator<readonly Entry[]> {
  let batch: Entry[] = [];
  for (const entry of entries) {
    batch.push(entry);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function limitOf({ start: { limit } }: Wanted): number {
  return limit > 0 ? limit : Infinity;
}

function entriesOf(snapshot: CollectionSnapshot, wanted: Wanted): Iterable<Entry> {
  return snapshot.entries(wanted.prefix, afterOf(wanted));
}

/** Entries that may match, in key order. */
async function candidates(
  snapshot: CollectionSnapshot,
  wanted: Wanted,
  filtering: Filtering,
): Promise<Iterable<Entry>> {
  const { needs } = wanted.selection;
  const having = needs && snapshot.having(needs.attribute, needs.values);
  if (having === undefined) return entriesOf(snapshot, wanted);
  const after = afterOf(wanted);
  const keys = having.filter((key) => key.startsWith(wanted.prefix) && key > after);
  const sorted = await resultOfSteps(sortedInSteps(keys, byCodeUnits), () => filtering.breathe());
  return entriesAt(snapshot, sorted);
}

function* entriesAt(snapshot: CollectionSnapshot, keys: readonly ObjectKey[]): Generator<Entry> {
  for (const key of keys) {
    const entry = snapshot.get(key);
    if (entry) yield entry;
  }
}

function afterOf({ prefix, start: { token } }: Wanted): string {
  return token === undefined ? '' : prefix + token.after;
}

/** @param last the last entry of a chunk that is not the final one */
function resultOf(
  snapshot: CollectionSnapshot,
  wanted: Wanted,
  entries: EntryList,
  last?: Entry,
): ListResult {
  return { revision: snapshot.revision, entries, ...chunkEnd(snapshot, wanted, last) };
}

/** Token and remaining count after `last`, the last entry of a chunk that is not the final one. */
function chunkEnd(
  snapshot: CollectionSnapshot,
  wanted: Wanted,
  last: Entry | undefined,
): Pick<ListResult, 'continue' | 'remainingItemCount'> {
  if (last === undefined) return { continue: '', remainingItemCount: undefined };
  const { revision, past } = snapshot;
  const after = last.key.slice(wanted.prefix.length);
  return {
    continue: encodeContinueToken({ revision, after, past }),
    // Counting the remaining matches of a selector needs a full scan, so it is omitted, as in kube-apiserver.
    remainingItemCount:
      wanted.counts && wanted.selection.empty ? snapshot.count(wanted.prefix, last.key) : undefined,
  };
}
