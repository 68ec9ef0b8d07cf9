/**
 * Loads one collection of the view again while the view goes on, and puts it in the place of the one that differs from
 * etcd. The others stay: their digests were compared at the same revision.
 *
 *   record changes ─▶ load at the newest revision N ─▶ wait until the view has reached N ─▶ apply changes after N
 *        ─▶ write a fence ─▶ at its revision: another state, no history; watches end, older revisions are expired
 *
 * The fence gives a revision at which nobody has seen the wrong state: a list and a watch from there on are right.
 */
import type { Clock } from '../../base/clock.ts';
import { Slice } from '../../base/cooperate.ts';
import type { ConsistentReads } from '../consistent-reads.ts';
import type { EtcdClient } from '../etcd/client.ts';
import { toEtcdError } from '../etcd/etcd-error.ts';
import { PagedRange } from '../etcd/paged-range.ts';
import type { KeySpace } from '../keys.ts';
import type { CollectionId } from '../types.ts';
import type { CollectionView } from '../view/collection.ts';
import { keyCuts } from '../view/key-cuts.ts';
import { applyRecorded, type RecordedChange, type Recording } from '../view/recording.ts';
import type { View } from '../view/view.ts';
import type { ViewDraft } from '../view/view-draft.ts';

/** The revision that is loaded may be compacted meanwhile. */
const mostAttempts = 3;

export interface CollectionRepairDependencies {
  readonly client: EtcdClient;
  readonly keys: KeySpace;
  readonly view: View;
  readonly freshness: ConsistentReads;
  readonly clock: Clock;
}

/** Where it is read, and until when. */
export interface RepairOptions {
  /** The past of etcd that the view belongs to. */
  readonly epoch: number;
  readonly signal: AbortSignal;
}

/**
 * Resolves when the collection is replaced, or everything was loaded meanwhile, with whether it was replaced.
 * @throws Error if it cannot be: the caller loads everything
 */
export async function repairCollection(
  deps: CollectionRepairDependencies,
  id: CollectionId,
  options: RepairOptions,
): Promise<boolean> {
  const { client, keys, view, freshness } = deps;
  const { loadedAt } = view;
  const recording = view.record(id);
  try {
    const draft = await load(deps, id, options);
    const collection = draft.collection(id);
    // The probe is newer than the load, and the view reaches it.
    await freshness.mostRecent();
    do await catchUp(deps, { draft, collection, recording });
    while (recording.size > 0);
    if (view.loadedAt !== loadedAt) return false;
    view.adoptNext(collection, () => applyNow(deps, { draft, collection, recording }));
    await client.put({ key: keys.collectionFence(id), value: Buffer.from('0') });
    await freshness.mostRecent();
    if (view.loadedAt !== loadedAt) return false;
    if (view.collection(id) !== collection) throw new Error('there were too many changes meanwhile');
    return true;
  } finally {
    recording.close();
    view.dropAdoption();
  }
}

/** A state that was loaded, and what happened since. */
interface Recovered {
  readonly draft: ViewDraft;
  readonly collection: CollectionView;
  readonly recording: Recording;
}

/** The newest state of the collection. */
async function load(
  deps: CollectionRepairDependencies,
  id: CollectionId,
  options: RepairOptions,
): Promise<ViewDraft> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await loadOnce(deps, id, options);
    } catch (error) {
      if (toEtcdError(error, 'range').kind !== 'compacted' || attempt === mostAttempts) throw error;
    }
  }
}

async function loadOnce(
  { client, clock, keys, view }: CollectionRepairDependencies,
  id: CollectionId,
  { epoch, signal }: RepairOptions,
): Promise<ViewDraft> {
  const cuts = keyCuts([[id, view.collection(id).pinned()]], keys);
  const range = new PagedRange({ client, clock }, { range: keys.collection(id), revision: 0, epoch, cuts });
  const slice = new Slice();
  let draft: ViewDraft | undefined;
  for await (const page of range.pages(signal)) {
    draft ??= view.draft(range.revision);
    await draft.addAll(page, slice);
  }
  return draft ?? view.draft(range.revision);
}

/** Applies what is recorded, in slices. */
async function catchUp({ clock }: CollectionRepairDependencies, recovered: Recovered): Promise<void> {
  const slice = new Slice();
  for (const change of recovered.recording.take()) {
    apply(recovered, change, clock.monotonic());
    await slice.breathe();
  }
}

/** Applies the rest, which is little; false if changes are missing. */
function applyNow({ clock }: CollectionRepairDependencies, recovered: Recovered): boolean {
  for (const change of recovered.recording.take()) apply(recovered, change, clock.monotonic());
  return !recovered.recording.isFull;
}

function apply({ draft, collection }: Recovered, change: RecordedChange, now: number): void {
  if (change.revision > draft.revision) applyRecorded(collection, change, now);
}
