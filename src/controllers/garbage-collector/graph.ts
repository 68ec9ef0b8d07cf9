/**
 * The ownership graph: a node per object (or per owner that somebody names and nobody has seen: a virtual node),
 * edges from dependents to owners. Nodes are known by uid; everything here is synchronous and in memory.
 */
import { parseApiVersion } from '../../meta/gvk.ts';
import type { OwnerReference } from '../../meta/object.ts';
import type { ResourceRef } from '../types.ts';

export interface Identity {
  /** undefined while only an owner reference tells of the object and its kind is not known. */
  readonly resource: ResourceRef | undefined;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Owners are named in any version of their group; they are looked up in the preferred one. */
export function kindKey(apiVersion: string, kind: string): string {
  return `${parseApiVersion(apiVersion)?.group ?? apiVersion}/${kind}`;
}

export class GraphNode {
  readonly uid: string;
  identity: Identity;
  owners: readonly OwnerReference[] = [];
  readonly dependents = new Set<GraphNode>();
  /** Nobody has seen the object itself yet. */
  virtual: boolean;
  /** deletionTimestamp is set. */
  beingDeleted = false;
  /** Deletion waits for dependents (finalizer foregroundDeletion). */
  deletingDependents = false;
  /** Deletion waits for dependents to be set free (finalizer orphan). */
  orphaning = false;

  constructor(uid: string, identity: Identity, virtual: boolean) {
    this.uid = uid;
    this.identity = identity;
    this.virtual = virtual;
  }

  /** Dependents that hold back the foreground deletion of this node. */
  blockingDependents(): GraphNode[] {
    return [...this.dependents].filter((d) =>
      d.owners.some((o) => o.uid === this.uid && o.blockOwnerDeletion === true),
    );
  }
}

export class OwnershipGraph {
  private readonly nodes = new Map<string, GraphNode>();

  get(uid: string): GraphNode | undefined {
    return this.nodes.get(uid);
  }

  get size(): number {
    return this.nodes.size;
  }

  /** Nodes of objects that nobody has seen yet. */
  virtualNodes(): GraphNode[] {
    return [...this.nodes.values()].filter(({ virtual }) => virtual);
  }

  /** The node of an object that was seen; a virtual node of the same uid becomes real. */
  observe(uid: string, identity: Identity): GraphNode {
    const known = this.nodes.get(uid);
    if (known) {
      known.identity = identity;
      known.virtual = false;
      return known;
    }
    const node = new GraphNode(uid, identity, false);
    this.nodes.set(uid, node);
    return node;
  }

  /**
   * Makes the node's edges what its owner references say; owners that nobody has seen become virtual nodes.
   * @returns virtual nodes that came into being: somebody has to find out whether their objects exist
   */
  setOwners(node: GraphNode, owners: readonly OwnerReference[]): GraphNode[] {
    const wanted = new Set(owners.map((o) => o.uid));
    for (const { uid } of node.owners) {
      if (!wanted.has(uid)) this.nodes.get(uid)?.dependents.delete(node);
    }
    node.owners = owners;
    return owners.flatMap((owner) => this.link(node, owner));
  }

  private link(node: GraphNode, owner: OwnerReference): GraphNode[] {
    const known = this.nodes.get(owner.uid);
    if (known) {
      known.dependents.add(node);
      return [];
    }
    // An owner is in the dependent's namespace or cluster-scoped; which of both is found out when it is looked up.
    const { namespace } = node.identity;
    const identity = {
      resource: undefined,
      apiVersion: owner.apiVersion,
      kind: owner.kind,
      namespace,
      name: owner.name,
    };
    const made = new GraphNode(owner.uid, identity, true);
    made.dependents.add(node);
    this.nodes.set(owner.uid, made);
    return [made];
  }

  /** Takes a node out. @returns its dependents, which may have to go too, and its owners, which may have waited for it */
  remove(uid: string): { dependents: GraphNode[]; owners: GraphNode[] } {
    const node = this.nodes.get(uid);
    if (!node) return { dependents: [], owners: [] };
    this.nodes.delete(uid);
    const owners = node.owners.flatMap((o) => this.nodes.get(o.uid) ?? []);
    for (const owner of owners) owner.dependents.delete(node);
    return { dependents: [...node.dependents], owners };
  }
}
