/** Feeds the ownership graph from the metadata of every object, and says which nodes need a decision. */
import type { ApiObject } from '../../meta/object.ts';
import type { MetadataEvent, ResourceRef } from '../types.ts';
import type { GraphNode, Identity } from './graph.ts';
import { kindKey, OwnershipGraph } from './graph.ts';

export const orphanFinalizer = 'orphan';
export const foregroundFinalizer = 'foregroundDeletion';

/** Nodes that somebody has to decide about. */
export interface Decisions {
  /** Its owners may be gone, or it waits for its dependents. */
  attemptToDelete(node: GraphNode): void;
  /** Its dependents are to be set free. */
  attemptToOrphan(node: GraphNode): void;
}

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
    for (const dependent of dependents) this.decisions.attemptToDelete(dependent);
    for (const owner of owners) if (owner.deletingDependents) this.decisions.attemptToDelete(owner);
  }

  /** Asks for a decision about a node. */
  ask(node: GraphNode): void {
    this.decisions.attemptToDelete(node);
  }

  /** Kinds that nobody knew are served now: owners of them can be looked up. `kinds` as `kindKey` gives them. */
  kindsAppeared(kinds: ReadonlySet<string>): void {
    for (const node of this.graph.virtualNodes()) {
      const { apiVersion, kind } = node.identity;
      if (kinds.has(kindKey(apiVersion, kind))) this.decisions.attemptToDelete(node);
    }
  }

  private seen(uid: string, resource: ResourceRef, object: ApiObject): void {
    const before = this.graph.get(uid);
    const hadOwners = before?.owners.length ?? 0;
    const wasDeleting = before?.deletingDependents ?? false;
    const node = this.graph.observe(uid, identityOf(resource, object));
    const owners = object.metadata.ownerReferences ?? [];
    const unknown = this.graph.setOwners(node, owners);
    for (const owner of unknown) this.decisions.attemptToDelete(owner);
    this.noteDeletion(node, object, wasDeleting);
    const lostOwner = hadOwners > owners.length;
    if (owners.length > 0 && (hadOwners === 0 || lostOwner || hasAbsentOrDeletingOwner(this.graph, node))) {
      this.decisions.attemptToDelete(node);
    }
  }

  private noteDeletion(node: GraphNode, object: ApiObject, wasDeleting: boolean): void {
    const finalizers = object.metadata.finalizers ?? [];
    node.beingDeleted = object.metadata.deletionTimestamp != null;
    node.deletingDependents = node.beingDeleted && finalizers.includes(foregroundFinalizer);
    node.orphaning = node.beingDeleted && finalizers.includes(orphanFinalizer);
    if (node.orphaning) this.decisions.attemptToOrphan(node);
    else if (node.deletingDependents && !wasDeleting) {
      for (const dependent of node.dependents) this.decisions.attemptToDelete(dependent);
      this.decisions.attemptToDelete(node);
    }
  }
}

function hasAbsentOrDeletingOwner(graph: OwnershipGraph, node: GraphNode): boolean {
  return node.owners.some((o) => {
    const owner = graph.get(o.uid);
    return owner === undefined || owner.deletingDependents;
  });
}

function identityOf(resource: ResourceRef, object: ApiObject): Identity {
  return {
    resource,
    apiVersion: object.apiVersion,
    kind: object.kind,
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name ?? '',
  };
}
