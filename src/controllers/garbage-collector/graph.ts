/**
 * The ownership graph: a node per object (or per owner that was referenced but never observed: a virtual node), edges
 * from dependents to owners. Nodes are known by uid; everything here is synchronous and in memory.
 */
import { WideMap } from '../../base/wide-map.ts';
import { parseApiVersion } from '../../meta/gvk.ts';
import type { OwnerReference } from '../../meta/object.ts';
import type { ResourceRef } from '../types.ts';
import { Groups, type Group } from './groups.ts';

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

/** With each new node so many are looked at that may be gone: a pass ends before the graph has grown by half. */
const sweptAtOnce = 2;

export class GraphNode {
  readonly uid: string;
  identity: Identity;
  #dependents: Set<GraphNode> | undefined;
  /** With which others it can go; absent while the object itself was not observed. */
  group: Group | undefined;
  /** deletionTimestamp is set. */
  beingDeleted = false;
  /** Deletion waits for dependents (finalizer foregroundDeletion). */
  deletingDependents = false;
  /** Deletion waits for dependents to be set free (finalizer orphan). */
  orphaning = false;
  #owners: readonly OwnerReference[] = [];
  /** Made when it is needed: an object may have thousands of owners, each of which is looked for. */
  #byUid: ReadonlyMap<string, readonly OwnerReference[]> | undefined;

  constructor(uid: string, identity: Identity) {
    this.uid = uid;
    this.identity = identity;
  }

  /** The object itself was not observed yet. */
  get virtual(): boolean {
    return this.group === undefined;
  }

  /** It owns something, or is owned. */
  get hasRelatives(): boolean {
    return this.#owners.length > 0 || this.dependents.size > 0;
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
  /** Also some that are gone, until `sweep` comes to them. */
  private readonly nodes = new WideMap<GraphNode>();
  private readonly groups = new Groups();
  /** How many of the nodes are gone, and the pass that takes them out. */
  private unswept = 0;
  private sweeping: Iterator<GraphNode, void, undefined> | undefined;
  private readonly virtual = new Set<GraphNode>();
  private readonly crowded = new Set<GraphNode>();

  get(uid: string): GraphNode | undefined {
    const node = this.nodes.get(uid);
    return node?.group?.isGone === true ? undefined : node;
  }

  /** Number of nodes, with those that are gone and still take room. */
  get size(): number {
    return this.nodes.size;
  }

  /** How many objects of a resource there are. */
  countOf(resource: ResourceRef): number {
    return this.groups.countOf(resource);
  }

  /** Every node; it may be taken out while this goes on. */
  *all(): Generator<GraphNode, void, undefined> {
    for (const node of this.nodes.values()) if (node.group?.isGone !== true) yield node;
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
    const known = this.get(uid);
    if (known) {
      if (known.virtual) this.virtual.delete(known);
      else if (known.identity.resource !== identity.resource) this.groups.leave(known);
      known.identity = identity;
    }
    const node = known ?? this.add(new GraphNode(uid, identity));
    this.groups.place(node);
    return node;
  }

  /** In place of one that is gone, perhaps. */
  private add(node: GraphNode): GraphNode {
    if (this.nodes.has(node.uid)) this.unswept -= 1;
    this.nodes.set(node.uid, node);
    this.sweep();
    return node;
  }

  /** Takes out some of those that are gone. */
  private sweep(): void {
    if (this.unswept === 0) return;
    this.sweeping ??= this.nodes.values();
    for (let i = 0; i < sweptAtOnce; i += 1) {
      const { value: node } = this.sweeping.next();
      if (!node) {
        this.sweeping = undefined;
        return;
      }
      // The pass may be over what was there before, where another one may have taken its place.
      if (node.group?.isGone !== true || this.nodes.get(node.uid) !== node) continue;
      this.nodes.delete(node.uid);
      this.unswept -= 1;
    }
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
    if (!node.virtual) this.groups.place(node);
    if (!node.isCrowded) {
      this.crowded.delete(node);
      return owners.flatMap((owner) => this.link(node, owner));
    }
    this.crowded.add(node);
    for (const owner of this.ownersOf(node)) this.addDependent(owner, node);
    return [];
  }

  /** Makes the edges to those of a crowded node's owners that exist. @returns new virtual nodes, as `setOwners` */
  linkExisting(node: GraphNode, owners: readonly OwnerReference[]): GraphNode[] {
    const known = new Set(node.owners.map(({ uid }) => uid));
    return owners.filter(({ uid }) => known.has(uid)).flatMap((owner) => this.link(node, owner));
  }

  /** The nodes that a node names as its owners, each once: it may name one in thousands of versions. */
  ownersOf(node: GraphNode): GraphNode[] {
    const named = node.owners.flatMap((o) => this.get(o.uid) ?? []);
    return named.length > 1 ? [...new Set(named)] : named;
  }

  private addDependent(owner: GraphNode, node: GraphNode): void {
    owner.addDependent(node);
    if (!owner.virtual) this.groups.place(owner);
  }

  private link(node: GraphNode, owner: OwnerReference): GraphNode[] {
    const known = this.get(owner.uid);
    if (known) {
      this.addDependent(known, node);
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
    const made = this.add(new GraphNode(owner.uid, identity));
    made.addDependent(node);
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
   * Takes out the nodes of a resource that own nothing and are not owned, but those given, in time for these however many go. They take room
   * until as many others have come.
   */
  keepOfAlone(resource: ResourceRef, uids: Iterable<string>): void {
    const nodes = Array.from(uids).flatMap((uid) => this.get(uid) ?? []);
    this.unswept += this.groups.keepOfAlone(resource, nodes);
  }

  /** Takes a node out. @returns its dependents, which may have to go too, and its owners, which may have waited for it */
  remove(uid: string): Relatives {
    const node = this.get(uid);
    if (!node) return noRelatives;
    const owners = node.owners.length === 0 ? [] : this.ownersOf(node);
    this.nodes.delete(uid);
    this.crowded.delete(node);
    if (node.virtual) this.virtual.delete(node);
    else this.groups.leave(node);
    if (owners.length === 0 && node.dependents.size === 0) return noRelatives;
    for (const owner of owners) this.unlink(node, owner);
    return { dependents: [...node.dependents], owners };
  }
}
