/** Feeds the ownership graph from the metadata of every object, and says which nodes need a decision. */
import { SharedSlice, Slice } from '../../base/cooperate.ts';
import { apiVersionOf } from '../../meta/gvk.ts';
import type { ApiObject, OwnerReference } from '../../meta/object.ts';
import type { Uids } from '../reflector.ts';
import type { MetadataEvent, ResourceRef } from '../types.ts';
import { hasStopped } from '../work-queue.ts';
import type { GraphNode, Identity } from './graph.ts';
import { kindKey, OwnershipGraph } from './graph.ts';

export const orphanFinalizer = 'orphan';
export const foregroundFinalizer = 'foregroundDeletion';

/** Queues of nodes to process (attemptToDelete, attemptToOrphan). */
export interface Decisions {
  /** Its owners may be gone, or it waits for its dependents. */
  attemptToDelete(node: GraphNode): void;
  /** The same for several, which may be very many: some may follow in later turns. */
  attemptToDeleteAll(nodes: readonly GraphNode[]): void;
  /** Its dependents are to be set free. */
  attemptToOrphan(node: GraphNode): void;
}

/** What is gone may take the room of so many for long. */
const nodesOfStep = 50_000;
/** Of all resources: dozens are listed again at once when history is lost. */
const turns = new SharedSlice();
/** So many of them are taken out together. */
const manyGone = 1_000;

export class GraphBuilder {
  readonly graph = new OwnershipGraph();
  private readonly decisions: Decisions;

  constructor(decisions: Decisions) {
    this.decisions = decisions;
  }

  /** Takes in what happened to one object. */
  apply(resource: ResourceRef, event: MetadataEvent): void {
    const uid = event.object.metadata.uid ?? '';
    if (uid === '') return;
    if (event.type === 'DELETED') this.gone(uid);
    else this.seen(uid, resource, event.object);
  }

  /** An object that does not exist: its dependents may have to go, its owners may have waited for it. */
  gone(uid: string): void {
    const { dependents, owners } = this.graph.remove(uid);
    this.decisions.attemptToDeleteAll(dependents);
    for (const owner of owners) if (owner.deletingDependents) this.decisions.attemptToDelete(owner);
  }

  /**
   * What was seen of a resource and is not in a new list of it is gone. Ends early once `stopping` is aborted.
   * @param listed the UIDs in the list, which were all seen
   */
  async unlisted(resource: ResourceRef, listed: Uids, stopping: AbortSignal): Promise<void> {
    const isGone = ({ uid, virtual, identity }: GraphNode): boolean =>
      !virtual && identity.resource === resource && !listed.has(uid);
    const count = (): number => this.graph.countOf(resource) - listed.size;
    if (hasStopped(stopping)) return;
    if (count() > manyGone && this.graph.size <= nodesOfStep) this.graph.keepOfAlone(resource, listed.keys());
    if (count() === 0) return;
    for (const { uid } of await this.nodesIn(isGone, stopping)) {
      if (stopping.aborted) return;
      this.gone(uid);
      if (turns.shouldYield()) await turns.yieldNow();
    }
  }

  private async nodesIn(
    isWanted: (node: GraphNode) => boolean,
    stopping: AbortSignal,
  ): Promise<readonly GraphNode[]> {
    const wanted: GraphNode[] = [];
    for (const node of this.graph.all()) {
      if (stopping.aborted) return [];
      if (isWanted(node)) wanted.push(node);
      if (turns.shouldYield()) await turns.yieldNow();
    }
    return wanted;
  }

  /** Queues a node for processing. */
  requestDecision(node: GraphNode): void {
    this.decisions.attemptToDelete(node);
  }

  /**
   * Owners of the node are there, of which one may have been absent before: then the graph does not know the edge.
   * @param existing those that were found
   */
  linkOwners(node: GraphNode, existing: readonly OwnerReference[]): void {
    const { graph } = this;
    if (graph.get(node.uid) !== node) return;
    const unknown = node.isCrowded ? graph.linkExisting(node, existing) : graph.setOwners(node, node.owners);
    for (const owner of unknown) this.requestDecision(owner);
  }

  /** Kinds that were unknown are served now: owners of them can be looked up. `kinds` as `kindKey` gives them. */
  async kindsAppeared(kinds: ReadonlySet<string>): Promise<void> {
    const slice = new Slice();
    for (const node of this.graph.virtualNodes()) {
      const { apiVersion, kind } = node.identity;
      if (kinds.has(kindKey(apiVersion, kind))) this.decisions.attemptToDelete(node);
      if (slice.shouldYield()) await slice.yieldNow();
    }
    for (const node of this.graph.crowdedNodes()) {
      const isConcerned = node.owners.some(({ apiVersion, kind }) => kinds.has(kindKey(apiVersion, kind)));
      if (isConcerned) this.decisions.attemptToDelete(node);
      if (slice.shouldYield()) await slice.yieldNow();
    }
  }

  /**
   * A resource that was followed before, perhaps in another version, was listed again: what was seen then and is not in
   * the list is gone. It ends early once `stopping` is aborted: another version may be followed then.
   */
  async relisted(resource: ResourceRef, stopping: AbortSignal): Promise<void> {
    const slice = new Slice();
    for (const { uid, identity } of this.graph.all()) {
      if (stopping.aborted) return;
      const before = identity.resource;
      const isSame = before?.group === resource.group && before.resource === resource.resource;
      if (isSame && before !== resource) this.gone(uid);
      if (slice.shouldYield()) await slice.yieldNow();
    }
  }

  private seen(uid: string, resource: ResourceRef, object: ApiObject): void {
    const before = this.graph.get(uid);
    const wasVirtual = before?.virtual ?? false;
    const wasDeleting = before?.deletingDependents ?? false;
    const node = this.graph.observe(uid, new SeenIdentity(resource, object.metadata));
    // References with another name, kind or namespace do not refer to it.
    if (wasVirtual)
      for (const d of node.dependents) if (!d.hasMatchingReference(node)) this.requestDecision(d);
    this.noteOwners(node, object.metadata.ownerReferences ?? [], before !== undefined && !wasVirtual);
    this.noteDeletion(node, object, wasDeleting);
  }

  private noteOwners(node: GraphNode, owners: readonly OwnerReference[], wasKnown: boolean): void {
    const before = node.owners;
    const formerOwners = this.graph.ownersOf(node);
    for (const unknown of this.graph.setOwners(node, owners)) this.requestDecision(unknown);
    const ownersNow = this.graph.ownersOf(node);
    const isChanged = !isSame(before, owners);
    // What was blocked by this object may be so no more, or in another circle.
    if (isChanged)
      for (const owner of new Set([...formerOwners, ...ownersNow]))
        if (owner.deletingDependents) this.requestDecision(owner);
    const isConcerned = ownersNow.some(
      (owner) => owner.deletingDependents || !node.hasMatchingReference(owner),
    );
    const isDue = isChanged && owners.length > 0 && (wasKnown || node.isCrowded);
    if (isConcerned || isDue) this.requestDecision(node);
  }

  private noteDeletion(node: GraphNode, object: ApiObject, wasDeleting: boolean): void {
    node.beingDeleted = object.metadata.deletionTimestamp != null;
    node.deletingDependents = node.beingDeleted && waitsForDependents(object);
    node.orphaning = node.beingDeleted && (object.metadata.finalizers ?? []).includes(orphanFinalizer);
    if (node.orphaning) this.decisions.attemptToOrphan(node);
    else if (node.deletingDependents && !wasDeleting) {
      this.decisions.attemptToDeleteAll([...node.dependents]);
      this.requestDecision(node);
    }
  }
}

/** Whether a deletion waits for dependents to be deleted; that they are set free comes first. */
export function waitsForDependents({ metadata: { finalizers } }: ApiObject): boolean {
  return (finalizers ?? []).includes(foregroundFinalizer) && !(finalizers ?? []).includes(orphanFinalizer);
}

/** Whether references mean the same; in another order they do not, which costs a look. */
function isSame(before: readonly OwnerReference[], now: readonly OwnerReference[]): boolean {
  return before.length === now.length && before.every((o, i) => isSameReference(o, now[i]));
}

function isSameReference(a: OwnerReference, b: OwnerReference | undefined): boolean {
  return (
    a.uid === b?.uid &&
    a.name === b.name &&
    a.kind === b.kind &&
    a.apiVersion === b.apiVersion &&
    a.blockOwnerDeletion === b.blockOwnerDeletion
  );
}

/** Of an object that was seen: it is what the resource says. There may be a million of them. */
class SeenIdentity implements Identity {
  readonly resource: ResourceRef;
  readonly namespace: string;
  readonly name: string;

  constructor(resource: ResourceRef, { namespace = '', name = '' }: ApiObject['metadata']) {
    this.resource = resource;
    this.namespace = namespace;
    this.name = name;
  }

  get apiVersion(): string {
    return apiVersionOf(this.resource);
  }

  get kind(): string {
    return this.resource.kind;
  }
}
