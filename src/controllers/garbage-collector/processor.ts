/**
 * Decides about one node of the ownership graph, always on the live object and its live owners:
 *
 *   solid owner left ............ stays; references to absent owners and to those that wait for it are dropped
 *   all owners wait for it ...... deleted, in the foreground when it has dependents of its own
 *   all owners absent ........... deleted in the background (or as its finalizers already say)
 */
import type { PassiveClock } from '../../base/clock.ts';
import { Slice } from '../../base/cooperate.ts';
import type { JsonObject } from '../../base/json.ts';
import type { ApiObject, OwnerReference } from '../../meta/object.ts';
import { ignoreNotFound } from '../../meta/object-errors.ts';
import type { ApiClient, ControllerLog, ObjectRef, ResourceRef } from '../types.ts';
import { deletionHold } from './circular-wait.ts';
import type { GraphNode, Identity } from './graph.ts';
import type { GraphBuilder } from './graph-builder.ts';
import { foregroundFinalizer, orphanFinalizer, waitsForDependents } from './graph-builder.ts';
import { reportOwnerNamespace } from './owner-events.ts';

export interface ProcessorOptions {
  readonly clock: PassiveClock;
  readonly client: ApiClient;
  readonly builder: () => GraphBuilder;
  /** The resource of a kind as owner references name it; undefined: not (yet) known. */
  readonly resourceOf: (apiVersion: string, kind: string) => ResourceRef | undefined;
  readonly log: ControllerLog;
  /** The resource of events; undefined while none is served. */
  readonly events: () => ResourceRef | undefined;
}

interface SortedOwners {
  readonly solid: OwnerReference[];
  /** Of the solid ones those that were found: others cannot be looked up. */
  readonly found: OwnerReference[];
  /** Owners whose foreground deletion waits for this object. */
  readonly waiting: OwnerReference[];
  readonly dangling: OwnerReference[];
}

/** One decision: about this node, until this signal. */
interface Work {
  readonly options: ProcessorOptions;
  readonly node: GraphNode;
  readonly signal: AbortSignal;
}

/** Handles `attemptToDelete`. @throws when the service cannot answer: try again */
export async function processNode(
  options: ProcessorOptions,
  node: GraphNode,
  signal: AbortSignal,
): Promise<void> {
  const work = { options, node, signal };
  if (node.deletingDependents) return finishForeground(work);
  // What is being deleted otherwise goes without the collector.
  if (node.beingDeleted) return;
  const live = await readKnown(work);
  if (!live || node.virtual || live.metadata.deletionTimestamp != null) return;
  const owners = live.metadata.ownerReferences ?? [];
  if (owners.length > 0) await decide(work, live, await sortOwners(work, owners));
}

/** The object as it is now. undefined: it is unknown, or there is none, which the graph then records. */
async function readKnown(work: Work): Promise<ApiObject | undefined> {
  const { node, options } = work;
  const lookedAt = node.identity;
  const { live, missing } = await readLive(work);
  if (!missing) return live;
  // The object was observed meanwhile, perhaps in another namespace than its dependents say.
  if (node.identity !== lookedAt) options.builder().requestDecision(node);
  else options.builder().gone(node.uid);
  return undefined;
}

/** `missing`: no object of that uid exists. `live` undefined and not missing: unknown. */
async function readLive(work: Work): Promise<{ live: ApiObject | undefined; missing: boolean }> {
  const { node, options, signal } = work;
  const ref = refOf(options, node.identity);
  if (!ref) return { live: undefined, missing: false };
  const live = await options.client.get(ref, signal);
  if (live?.metadata.uid !== node.uid) return { live: undefined, missing: true };
  return { live, missing: false };
}

function refOf(options: ProcessorOptions, identity: Identity): ObjectRef | undefined {
  const resource = options.resourceOf(identity.apiVersion, identity.kind);
  if (!resource) return undefined;
  return { resource, namespace: resource.namespaced ? identity.namespace : '', name: identity.name };
}

/** What is there by the name of an owner. */
type Found = Pick<OwnerReference, 'uid'> & { readonly isWaiting: boolean };

async function sortOwners(work: Work, owners: readonly OwnerReference[]): Promise<SortedOwners> {
  const sorted: SortedOwners = { solid: [], found: [], waiting: [], dangling: [] };
  const found = new Map<string, Found | undefined>();
  const slice = new Slice();
  for (const owner of owners) {
    const state = await ownerState(work, owner, found);
    sorted[state].push(owner);
    if (state === 'found') sorted.solid.push(owner);
    await slice.breathe();
  }
  return sorted;
}

/** @param found by what was read: thousands of references may name one object, which may have megabytes */
async function ownerState(
  work: Work,
  owner: OwnerReference,
  found: Map<string, Found | undefined>,
): Promise<keyof SortedOwners> {
  const { node, options, signal } = work;
  const resource = options.resourceOf(owner.apiVersion, owner.kind);
  // A kind that is not served now may be served later: its objects do not count as deleted.
  if (!resource) return 'solid';
  // A namespaced owner of a cluster-scoped dependent can never be resolved; the dependent is left alone.
  if (resource.namespaced && node.identity.namespace === '') {
    await reportOwnerNamespace(options, { node, owner }, signal);
    return 'solid';
  }
  const namespace = resource.namespaced ? node.identity.namespace : '';
  const key = `${resource.group}/${resource.resource}/${owner.name}`;
  if (!found.has(key)) found.set(key, await findOwner(work, { resource, namespace, name: owner.name }));
  const live = found.get(key);
  if (live?.uid !== owner.uid) {
    if (isElsewhere(options, owner, namespace)) await reportOwnerNamespace(options, { node, owner }, signal);
    return 'dangling';
  }
  return live.isWaiting ? 'waiting' : 'found';
}

async function findOwner({ options, signal }: Work, ref: ObjectRef): Promise<Found | undefined> {
  const live = await options.client.get(ref, signal);
  return live && { uid: live.metadata.uid ?? '', isWaiting: isWaitingForDependents(live) };
}

/** The owner exists, but in another namespace than its dependent: to that one it is absent. */
function isElsewhere({ builder }: ProcessorOptions, { uid }: OwnerReference, namespace: string): boolean {
  const seen = builder().graph.get(uid);
  return seen !== undefined && !seen.virtual && seen.identity.namespace !== namespace;
}

function isWaitingForDependents(object: ApiObject): boolean {
  return object.metadata.deletionTimestamp != null && waitsForDependents(object);
}

async function decide(work: Work, live: ApiObject, owners: SortedOwners): Promise<void> {
  const { node, options } = work;
  if (owners.solid.length + owners.waiting.length > 0)
    options.builder().linkOwners(node, [...owners.found, ...owners.waiting]);
  if (owners.solid.length > 0) {
    if (owners.dangling.length + owners.waiting.length > 0) await patchOwners(work, live, owners.solid);
    return;
  }
  if (owners.waiting.length > 0 && node.dependents.size > 0) return remove(work, live, 'Foreground');
  return remove(work, live, policyOf(live));
}

/** The policy of the object's own finalizers; Background otherwise. */
function policyOf(live: ApiObject): 'Orphan' | 'Background' | 'Foreground' {
  const finalizers = live.metadata.finalizers ?? [];
  if (finalizers.includes(orphanFinalizer)) return 'Orphan';
  return finalizers.includes(foregroundFinalizer) ? 'Foreground' : 'Background';
}

async function patchOwners(work: Work, live: ApiObject, owners: readonly OwnerReference[]): Promise<void> {
  const { node, options, signal } = work;
  const ref = refOf(options, node.identity);
  if (!ref) return;
  const { uid, resourceVersion } = live.metadata;
  const metadata = { uid: uid ?? '', resourceVersion: resourceVersion ?? '', ownerReferences: owners };
  await ignoreNotFound(ref, options.client.patch(ref, { metadata } as unknown as JsonObject, signal));
}

async function remove(
  work: Work,
  live: ApiObject,
  propagationPolicy: 'Orphan' | 'Background' | 'Foreground',
): Promise<void> {
  const { node, options, signal } = work;
  const ref = refOf(options, node.identity);
  if (!ref) return;
  // The object is deleted only as it was judged: an owner that was added since makes this a conflict, and it is
  // processed again.
  const { uid = '', resourceVersion = '' } = live.metadata;
  await ignoreNotFound(ref, options.client.delete(ref, { uid, resourceVersion, propagationPolicy }, signal));
  options.log.info({ kind: live.kind, namespace: ref.namespace, name: ref.name }, 'deleted with its owners');
}

/** Foreground deletion ends when nothing but a circle blocks it any more. */
async function finishForeground(work: Work): Promise<void> {
  const { node, options } = work;
  const hold = await deletionHold(node);
  if (hold.kind === 'held') {
    if (hold.undecided) options.builder().requestDecision(hold.undecided);
    return;
  }
  const live = await readKnown(work);
  if (live) await dropFinalizer(work, live, foregroundFinalizer);
}

/** Handles `attemptToOrphan`: dependents lose their reference to the node, then its finalizer goes. */
export async function orphanDependents(
  options: ProcessorOptions,
  node: GraphNode,
  signal: AbortSignal,
): Promise<void> {
  const work = { options, node, signal };
  const failures: unknown[] = [];
  // One that cannot be set free now does not keep the others; the owner stays until all are.
  for (const dependent of [...node.dependents]) {
    await removeOwner({ ...work, node: dependent }, node.uid).catch((error: unknown) => failures.push(error));
    if (signal.aborted) return;
  }
  if (failures.length > 0) throw failures[0];
  const { live } = await readLive(work);
  if (live) await dropFinalizer(work, live, orphanFinalizer);
}

async function removeOwner(work: Work, ownerUid: string): Promise<void> {
  const { live } = await readLive(work);
  if (!live) return;
  const owners = (live.metadata.ownerReferences ?? []).filter((o) => o.uid !== ownerUid);
  if (owners.length < (live.metadata.ownerReferences ?? []).length) await patchOwners(work, live, owners);
}

async function dropFinalizer(work: Work, live: ApiObject, finalizer: string): Promise<void> {
  const { node, options, signal } = work;
  const ref = refOf(options, node.identity);
  const finalizers = live.metadata.finalizers ?? [];
  if (!ref || !finalizers.includes(finalizer)) return;
  const metadata = {
    uid: live.metadata.uid ?? '',
    resourceVersion: live.metadata.resourceVersion ?? '',
    finalizers: finalizers.filter((f) => f !== finalizer),
  };
  await ignoreNotFound(ref, options.client.patch(ref, { metadata }, signal));
}
