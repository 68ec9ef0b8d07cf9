/**
 * What the pods of each node refer to, indexed for the check of a request: may this node read that object? Memory is
 * linear in the references; a look-up takes the same time however many objects there are (a Secret of a volume: one step
 * for each claim of the node's pods).
 *
 *   node ◀── pod ◀── secret, config map, service account, resource claim, claim ◀── volume ◀── secret
 *   node ◀── volume attachment            node ◀── config map of its dynamic configuration
 *   node ◀── resource slice               node ◀── request for a certificate of a pod
 */
import type { ObjectKey } from '../../storage/types.ts';
import type { NamespacedReference, PodReferences, VolumeReferences } from './node-references.ts';

/** An object of a namespace that pods refer to, and how many pods of which nodes do. */
interface Target {
  readonly key: string;
  readonly nodes: Map<string, number>;
}

interface Source {
  readonly node: string;
  readonly targets: readonly Target[];
}

/** Objects that name their node themselves. */
export type PlacedResource = 'resourceslices' | 'podcertificaterequests';

export class NodeGraph {
  private readonly targets = new Map<string, Target>();
  private readonly pods = new Map<ObjectKey, Source>();
  /** Nodes with a dynamic configuration. */
  private readonly configs = new Map<string, Source>();
  private readonly claimsOfNode = new Map<string, Set<Target>>();
  private readonly volumes = new Map<
    string,
    { readonly claim: string; readonly secrets: readonly string[] }
  >();
  /** Secret → claims whose volumes use it, with the number of these volumes. */
  private readonly claimsOfSecret = new Map<string, Map<string, number>>();
  private readonly attachments = new Map<string, string>();
  /** The node that a slice names. */
  private readonly resourceslices = new Map<ObjectKey, string>();
  /** The node that a request for a certificate of a pod names. */
  private readonly podcertificaterequests = new Map<ObjectKey, string>();

  /** True for a pod that is bound to a node. Neither its node nor its volumes change afterwards. */
  hasPod(key: ObjectKey): boolean {
    return this.pods.has(key);
  }

  /** True for a pod that is bound to this node. */
  runsPod(node: string, namespace: string, name: string): boolean {
    return this.pods.get(`${namespace}/${name}`)?.node === node;
  }

  putPod(key: ObjectKey, references: PodReferences | undefined): void {
    this.removePod(key);
    if (references) this.pods.set(key, this.connect(references.node, references.targets));
  }

  removePod(key: ObjectKey): void {
    this.disconnect(this.pods, key);
  }

  /** Sets the ConfigMap of the node's dynamic configuration; undefined: it has none. */
  putConfig(node: string, configMap: NamespacedReference | undefined): void {
    this.removeConfig(node);
    if (configMap) this.configs.set(node, this.connect(node, [configMap]));
  }

  removeConfig(node: string): void {
    this.disconnect(this.configs, node);
  }

  putVolume(name: string, references: VolumeReferences | undefined): void {
    this.removeVolume(name);
    if (!references) return;
    const claim = keyOf(references.claim);
    const secrets = [...new Set(references.secrets.map(keyOf))];
    this.volumes.set(name, { claim, secrets });
    for (const secret of secrets) {
      const claims = this.claimsOfSecret.get(secret) ?? new Map<string, number>();
      this.claimsOfSecret.set(secret, claims.set(claim, (claims.get(claim) ?? 0) + 1));
    }
  }

  removeVolume(name: string): void {
    const volume = this.volumes.get(name);
    this.volumes.delete(name);
    for (const secret of volume?.secrets ?? []) {
      const claims = this.claimsOfSecret.get(secret);
      if (volume && claims) lower(claims, volume.claim);
      if (claims?.size === 0) this.claimsOfSecret.delete(secret);
    }
  }

  /** '' for an attachment to no node. */
  putAttachment(name: string, node: string): void {
    if (node === '') this.attachments.delete(name);
    else this.attachments.set(name, node);
  }

  removeAttachment(name: string): void {
    this.attachments.delete(name);
  }

  /** '' for an object that names no node. */
  putPlaced(resource: PlacedResource, key: ObjectKey, node: string): void {
    if (node === '') this[resource].delete(key);
    else this[resource].set(key, node);
  }

  removePlaced(resource: PlacedResource, key: ObjectKey): void {
    this[resource].delete(key);
  }

  /** True for an object that names the node. */
  isPlaced(node: string, resource: PlacedResource, key: ObjectKey): boolean {
    return this[resource].get(key) === node;
  }

  /** The keys of what it holds of each resource, for the comparison with a state. */
  keys(
    resource: 'pods' | 'nodes' | 'persistentvolumes' | 'volumeattachments' | PlacedResource,
  ): Iterable<ObjectKey> {
    const held = {
      resourceslices: this.resourceslices,
      podcertificaterequests: this.podcertificaterequests,
      pods: this.pods,
      nodes: this.configs,
      persistentvolumes: this.volumes,
      volumeattachments: this.attachments,
    };
    return held[resource].keys();
  }

  /** True when a pod of the node refers to the object, or a volume of such a pod's claim to the Secret. */
  refersTo(node: string, reference: NamespacedReference): boolean {
    const key = keyOf(reference);
    if (this.targets.get(key)?.nodes.has(node) === true) return true;
    const claims = reference.resource === 'secrets' ? this.claimsOfSecret.get(key) : undefined;
    return claims !== undefined && this.hasClaim(node, claims);
  }

  usesVolume(node: string, name: string): boolean {
    const volume = this.volumes.get(name);
    return volume !== undefined && this.targets.get(volume.claim)?.nodes.has(node) === true;
  }

  hasAttachment(node: string, name: string): boolean {
    return this.attachments.get(name) === node;
  }

  private hasClaim(node: string, claims: ReadonlyMap<string, number>): boolean {
    for (const { key } of this.claimsOfNode.get(node) ?? []) if (claims.has(key)) return true;
    return false;
  }

  private connect(node: string, references: readonly NamespacedReference[]): Source {
    const targets = [...new Set(references.map((reference) => this.target(keyOf(reference))))];
    for (const target of targets) {
      const count = target.nodes.get(node) ?? 0;
      target.nodes.set(node, count + 1);
      if (count === 0 && isClaim(target)) this.claims(node).add(target);
    }
    return { node, targets };
  }

  private disconnect(sources: Map<string, Source>, key: string): void {
    const source = sources.get(key);
    sources.delete(key);
    for (const target of source?.targets ?? []) this.release(target, source?.node ?? '');
  }

  private release(target: Target, node: string): void {
    lower(target.nodes, node);
    if (!target.nodes.has(node) && isClaim(target)) {
      const claims = this.claims(node);
      claims.delete(target);
      if (claims.size === 0) this.claimsOfNode.delete(node);
    }
    if (target.nodes.size === 0) this.targets.delete(target.key);
  }

  private target(key: string): Target {
    let target = this.targets.get(key);
    if (!target) this.targets.set(key, (target = { key, nodes: new Map() }));
    return target;
  }

  private claims(node: string): Set<Target> {
    let claims = this.claimsOfNode.get(node);
    if (!claims) this.claimsOfNode.set(node, (claims = new Set()));
    return claims;
  }
}

function keyOf({ resource, namespace, name }: NamespacedReference): string {
  return `${resource}/${namespace}/${name}`;
}

function isClaim({ key }: Target): boolean {
  return key.startsWith('persistentvolumeclaims/');
}

/** Counts down; what is at 0 is left out. */
function lower(counts: Map<string, number>, key: string): void {
  const count = (counts.get(key) ?? 0) - 1;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
