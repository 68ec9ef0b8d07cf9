/**
 * The ownership graph: a node per object (or per owner that was referenced but never observed: a virtual node), edges
 * from dependents to owners. Nodes are known by uid; everything here is synchronous and in memory.
 */
import { WideMap } from '../../base/wide-map.ts';
import { parseApiVersion } from '../../meta/gvk.ts';
import type { OwnerReference } from '../../meta/object.ts';
import type { ResourceRef } from '../types.ts';

export interface Identity {
  /** undefined while only an owner reference names the object and its kind is not known. */
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

const noNodes: ReadonlySet<GraphNode> = new Set();

interface Relatives {
  readonly dependents: readonly GraphNode[];
  readonly owners: readonly GraphNode[];
}
const noRelatives: Relatives = { dependents: [], owners: [] };

/** Of so few the right ones are found as fast without an index. */
const fewOwners = 8;

/**
 * Absent owners of an object with more have no node each: it takes a kilobyte, and an object has room for ten thousand
 * references, so that some hundreds of objects filled the memory. Such an object is decided about by itself.
 */
const mostTracked = 100;

export class GraphNode {
  readonly uid: string;
  identity: Identity;
  #dependents: Set<GraphNode> | undefined;
  /** The object itself was not observed yet. */
  virtual: boolean;
  /** deletionTimestamp is set. */
  beingDeleted = false;
  /** Deletion waits for dependents (finalizer foregroundDeletion). */
  deletingDependents = false;
  /** Deletion waits for dependents to be set free (finalizer orphan). */
  orphaning = false;
  #owners: readonly OwnerReference[] = [];
  /** Made when it is needed: an object may have thousands of owners, each of which is looked for. */
  #byUid: ReadonlyMap<string, readonly OwnerReference[]> | undefined;

  constructor(uid: string, identity: Identity, virtual: boolean) {
    this.uid = uid;
    this.identity = identity;
    this.virtual = virtual;
  }

  /** Most nodes have none. */
  get dependents(): ReadonlySet<GraphNode> {
    return this.#dependents ?? noNodes;
  }

  addDependent(node: GraphNode): void {
    (this.#dependents ??= new Set()).add(node);
  }

  deleteDependent(node: GraphNode): void {
    this.#dependents?.delete(node);
  }

  get owners(): readonly OwnerReference[] {
    return this.#owners;
  }

  /** Owners that were not observed have no nodes: whether they exist, a decision about this node has to find out. */
  get isCrowded(): boolean {
    return this.#owners.length > mostTracked;
  }

  set owners(owners: readonly OwnerReference[]) {
    this.#owners = owners;
    this.#byUid = undefined;
  }

  /** Dependents that hold back the foreground deletion of this node, found lazily. */
  *blockingDependents(): Generator<GraphNode, undefined> {
    for (const dependent of this.dependents) if (dependent.blocks(this)) yield dependent;
  }

  /**
   * Whether the references of this node name the owner as it is: by kind, name and namespace, not by uid alone. The
   * namespace of an owner that was not observed is unknown.
   */
  hasMatchingReference(owner: GraphNode): boolean {
    const { namespace, name, apiVersion, kind } = owner.identity;
    if (!owner.virtual && namespace !== '' && namespace !== this.identity.namespace) return false;
    const isNamed = (o: OwnerReference): boolean =>
      o.name === name && kindKey(o.apiVersion, o.kind) === kindKey(apiVersion, kind);
    return this.referencesTo(owner).every(isNamed);
  }

  private referencesTo({ uid }: GraphNode): readonly OwnerReference[] {
    if (this.#owners.length <= fewOwners) return this.#owners.filter((o) => o.uid === uid);
    this.#byUid ??= Map.groupBy(this.#owners, (o) => o.uid);
    return this.#byUid.get(uid) ?? [];
  }

  /** What is in no namespace cannot be owned by what is in one: such a reference holds nothing back. */
  private blocks(owner: GraphNode): boolean {
    const isPossible = this.identity.namespace !== '' || owner.identity.namespace === '';
    return isPossible && this.referencesTo(owner).some((o) => o.blockOwnerDeletion === true);
  }
}

export class OwnershipGraph {
  private nodes = new WideMap<GraphNode>();
  /** How many nodes of each resource were observed. */
  private readonly counts = new Map<ResourceRef | undefined, number>();
  private readonly virtual = new Set<GraphNode>();
  private readonly crowded = new Set<GraphNode>();

  get(uid: string): GraphNode | undefined {
    return this.nodes.get(uid);
  }

  get size(): number {
    return this.nodes.size;
  }

  /** How many objects of a resource there are. */
  countOf(resource: ResourceRef): number {
    return this.counts.get(resource) ?? 0;
  }

  private count({ identity: { resource } }: GraphNode, change: 1 | -1): void {
    const count = (this.counts.get(resource) ?? 0) + change;
    if (count === 0) this.counts.delete(resource);
    else this.counts.set(resource, count);
  }

  /** Every node; it may be taken out while this goes on. */
  all(): Iterable<GraphNode> {
    return this.nodes.values();
  }

  /** Nodes of objects that were not observed. */
  virtualNodes(): GraphNode[] {
    return [...this.virtual];
  }

  /** Nodes with more owners than are tracked. */
  crowdedNodes(): GraphNode[] {
    return [...this.crowded];
  }

  /** The node of an object that was seen; a virtual node of the same uid becomes real. */
  observe(uid: string, identity: Identity): GraphNode {
    const known = this.nodes.get(uid);
    if (known) {
      if (!known.virtual) this.count(known, -1);
      known.identity = identity;
      known.virtual = false;
      this.virtual.delete(known);
    }
    const node = known ?? new GraphNode(uid, identity, false);
    if (!known) this.nodes.set(uid, node);
    this.count(node, 1);
    return node;
  }

  /**
   * Makes the node's edges what its owner references say; owners that were not observed become virtual nodes, but those of
   * a crowded node.
   * @returns new virtual nodes: whether their objects exist has to be checked
   */
  setOwners(node: GraphNode, owners: readonly OwnerReference[]): GraphNode[] {
    const wanted = new Set(owners.map((o) => o.uid));
    for (const owner of this.ownersOf(node)) if (!wanted.has(owner.uid)) this.unlink(node, owner);
    node.owners = owners;
    if (!node.isCrowded) {
      this.crowded.delete(node);
      return owners.flatMap((owner) => this.link(node, owner));
    }
    this.crowded.add(node);
    for (const owner of this.ownersOf(node)) owner.addDependent(node);
    return [];
  }

  /** Makes the edges to those of a crowded node's owners that exist. @returns new virtual nodes, as `setOwners` */
  linkExisting(node: GraphNode, owners: readonly OwnerReference[]): GraphNode[] {
    const known = new Set(node.owners.map(({ uid }) => uid));
    return owners.filter(({ uid }) => known.has(uid)).flatMap((owner) => this.link(node, owner));
  }

  /** The nodes that a node names as its owners. */
  ownersOf(node: GraphNode): GraphNode[] {
    return node.owners.flatMap((o) => this.nodes.get(o.uid) ?? []);
  }

  private link(node: GraphNode, owner: OwnerReference): GraphNode[] {
    const known = this.nodes.get(owner.uid);
    if (known) {
      known.addDependent(node);
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
    made.addDependent(node);
    this.nodes.set(owner.uid, made);
    this.virtual.add(made);
    return [made];
  }

  /** A virtual node is there for its dependents: it goes with the last of them. */
  private unlink(node: GraphNode, owner: GraphNode): void {
    owner.deleteDependent(node);
    if (!owner.virtual || owner.dependents.size > 0) return;
    this.nodes.delete(owner.uid);
    this.virtual.delete(owner);
  }

  /**
   * Takes out those nodes that own nothing and are not owned, in time for those that stay: to take out one by one takes ten
   * times as long.
   * @returns the others of them
   */
  removeLone(isWanted: (node: GraphNode) => boolean): readonly GraphNode[] {
    const stay = new WideMap<GraphNode>();
    const others: GraphNode[] = [];
    for (const node of this.nodes.values()) {
      const isTaken = isWanted(node);
      const isLone = node.owners.length === 0 && node.dependents.size === 0;
      if (isTaken && isLone) {
        if (!node.virtual) this.count(node, -1);
        continue;
      }
      if (isTaken) others.push(node);
      stay.set(node.uid, node);
    }
    this.nodes = stay;
    return others;
  }

  /** Takes a node out. @returns its dependents, which may have to go too, and its owners, which may have waited for it */
  remove(uid: string): Relatives {
    const node = this.nodes.get(uid);
    if (!node) return noRelatives;
    const owners = node.owners.length === 0 ? [] : this.ownersOf(node);
    this.nodes.delete(uid);
    this.crowded.delete(node);
    if (node.virtual) this.virtual.delete(node);
    else this.count(node, -1);
    if (owners.length === 0 && node.dependents.size === 0) return noRelatives;
    for (const owner of owners) this.unlink(node, owner);
    return { dependents: [...node.dependents], owners };
  }
}
