/**
 * Decides about one node of the ownership graph, always on the live object and its live owners:
 *
 *   solid owner left ............ stays; references to absent owners and to those that wait for it are dropped
 *   all owners wait for it ...... deleted, in the foreground when it has dependents of its own
 *   all owners absent ........... deleted in the background (or as its finalizers already say)
 */
import type { JsonObject } from '../../base/json.ts';
import type { ApiObject, OwnerReference } from '../../meta/object.ts';
import { StatusError } from '../../meta/status.ts';
import type { ApiClient, ControllerLog, ObjectRef, ResourceRef } from '../types.ts';
import type { GraphNode, Identity } from './graph.ts';
import type { GraphBuilder } from './graph-builder.ts';
import { foregroundFinalizer, orphanFinalizer } from './graph-builder.ts';
import { reportOwnerNamespace } from './owner-events.ts';

export interface ProcessorOptions {
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
  /** Owners whose foreground deletion waits for this object. */
  readonly waiting: OwnerReference[];
  readonly absent: OwnerReference[];
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
  const { live, missing } = await readLive(work);
  if (missing) {
    options.builder().gone(node.uid);
    return;
  }
  if (!live) return;
  if (node.virtual) return;
  if (live.metadata.deletionTimestamp != null) {
    if (node.deletingDependents) await finishForeground(work, live);
    return;
  }
  const owners = live.metadata.ownerReferences ?? [];
  if (owners.length > 0) await decide(work, live, await sortOwners(work, owners));
}

/** `missing`: no object of that uid exists. `live` undefined and not missing: it cannot be told. */
async function readLive(work: Work): Promise<{ live: ApiObject | undefined; missing: boolean }> {
  const { node, options, signal } = work;
  const ref = refOf(options, node.identity);
  if (!ref) return { live: undefined, missing: false };
  const live = await options.client.get(ref, signal);
  if (live?.metadata.uid !== node.uid) return { live: undefined, missing: true };
  return { live, missing: false };
}

function refOf(options: ProcessorOptions, identity: Identity): ObjectRef | undefined {
  const resource = identity.resource ?? options.resourceOf(identity.apiVersion, identity.kind);
  if (!resource) return undefined;
  return { resource, namespace: resource.namespaced ? identity.namespace : '', name: identity.name };
}

async function sortOwners(work: Work, owners: readonly OwnerReference[]): Promise<SortedOwners> {
  const sorted: SortedOwners = { solid: [], waiting: [], absent: [] };
  for (const owner of owners) {
    const state = await ownerState(work, owner);
    sorted[state].push(owner);
  }
  return sorted;
}

async function ownerState(work: Work, owner: OwnerReference): Promise<keyof SortedOwners> {
  const { node, options, signal } = work;
  const resource = options.resourceOf(owner.apiVersion, owner.kind);
  // A kind that is not served now may be served later: its objects are not taken for deleted.
  if (!resource) return 'solid';
  // A namespaced owner of a cluster-scoped dependent can never be resolved; the dependent is left alone.
  if (resource.namespaced && node.identity.namespace === '') {
    await reportOwnerNamespace(options, { node, owner }, signal);
    return 'solid';
  }
  const namespace = resource.namespaced ? node.identity.namespace : '';
  const live = await options.client.get({ resource, namespace, name: owner.name }, signal);
  if (live?.metadata.uid !== owner.uid) {
    if (isElsewhere(options, owner, namespace)) await reportOwnerNamespace(options, { node, owner }, signal);
    return 'absent';
  }
  return isWaitingForDependents(live) ? 'waiting' : 'solid';
}

/** The owner exists, but in another namespace than its dependent: to that one it is absent. */
function isElsewhere({ builder }: ProcessorOptions, { uid }: OwnerReference, namespace: string): boolean {
  const seen = builder().graph.get(uid);
  return seen !== undefined && !seen.virtual && seen.identity.namespace !== namespace;
}

function isWaitingForDependents(object: ApiObject): boolean {
  const { deletionTimestamp, finalizers } = object.metadata;
  return deletionTimestamp != null && (finalizers ?? []).includes(foregroundFinalizer);
}

async function decide(work: Work, live: ApiObject, owners: SortedOwners): Promise<void> {
  const { node } = work;
  if (owners.solid.length > 0) {
    if (owners.absent.length + owners.waiting.length > 0) await patchOwners(work, live, owners.solid);
    return;
  }
  if (owners.waiting.length > 0 && node.dependents.size > 0) {
    await breakCycle(work, live);
    return remove(work, live, 'Foreground');
  }
  return remove(work, live, policyOf(live));
}

/**
 * Owners and dependents that wait for each other in the foreground would wait for ever: the dependents among the
 * waiting ones stop blocking this node.
 */
async function breakCycle(work: Work, live: ApiObject): Promise<void> {
  const waitsInCycle = [...work.node.dependents].some((d) => d.deletingDependents);
  if (!waitsInCycle) return;
  const ownerReferences = (live.metadata.ownerReferences ?? []).map((o) => ({
    ...o,
    blockOwnerDeletion: false,
  }));
  await patchOwners(work, live, ownerReferences);
}

/** What the object's own finalizers ask for; in the background otherwise. */
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
  await ignoringGone(() => options.client.patch(ref, { metadata } as unknown as JsonObject, signal));
}

async function remove(
  work: Work,
  live: ApiObject,
  propagationPolicy: 'Orphan' | 'Background' | 'Foreground',
): Promise<void> {
  const { node, options, signal } = work;
  const ref = refOf(options, node.identity);
  if (!ref) return;
  // The object is deleted only as it was judged: an owner that was added since makes this a conflict, and it is judged anew.
  const { uid = '', resourceVersion = '' } = live.metadata;
  await ignoringGone(() => options.client.delete(ref, { uid, resourceVersion, propagationPolicy }, signal));
  options.log.info({ kind: live.kind, namespace: ref.namespace, name: ref.name }, 'deleted with its owners');
}

/**
 * A dependent that is in the foreground itself and, over others or not, blocked by its owner would hold it for ever: so
 * do objects that own themselves, and rings of which every member is being deleted.
 */
function waitsFor(dependent: GraphNode, owner: GraphNode): boolean {
  const held = new Set([dependent]);
  for (const node of held) {
    if (!node.deletingDependents) continue;
    for (const next of node.blockingDependents()) {
      if (next === owner) return true;
      held.add(next);
    }
  }
  return false;
}

/** Foreground deletion ends when no dependent blocks it any more. */
async function finishForeground(work: Work, live: ApiObject): Promise<void> {
  const { node, options } = work;
  const blocking = node.blockingDependents().filter((dependent) => !waitsFor(dependent, node));
  if (blocking.length > 0) {
    const builder = options.builder();
    for (const dependent of blocking) if (!dependent.deletingDependents) builder.ask(dependent);
    return;
  }
  await dropFinalizer(work, live, foregroundFinalizer);
}

/** Handles `attemptToOrphan`: dependents lose their reference to the node, then its finalizer goes. */
export async function orphanDependents(
  options: ProcessorOptions,
  node: GraphNode,
  signal: AbortSignal,
): Promise<void> {
  const work = { options, node, signal };
  for (const dependent of node.dependents) await setFree({ ...work, node: dependent }, node.uid);
  const { live } = await readLive(work);
  if (live) await dropFinalizer(work, live, orphanFinalizer);
}

async function setFree(work: Work, ownerUid: string): Promise<void> {
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
  await ignoringGone(() => options.client.patch(ref, { metadata }, signal));
}

async function ignoringGone(operation: () => Promise<unknown>): Promise<void> {
  try {
    await operation();
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 404) throw error;
  }
}
