/** Which nodes of the ownership graph were observed, by resource: all of them that have no relatives can go in one step. */
import type { ResourceRef } from '../types.ts';

/** Observed nodes that go together, if they go in one step. */
export class Group {
  size = 0;
  isGone = false;
}

/** What a node is grouped by. Its group is absent until its object was observed. */
interface Grouped {
  readonly identity: { readonly resource: ResourceRef | undefined };
  readonly hasRelatives: boolean;
  group: Group | undefined;
}

interface OfResource {
  readonly alone: Group;
  readonly related: Group;
}

export class Groups {
  readonly #ofResources = new Map<ResourceRef | undefined, OfResource>();

  /** How many objects of a resource were observed. */
  countOf(resource: ResourceRef): number {
    const { alone, related } = this.#ofResources.get(resource) ?? {};
    return (alone?.size ?? 0) + (related?.size ?? 0);
  }

  /** Puts a node where it belongs, as it is now. */
  place(node: Grouped): void {
    const { resource } = node.identity;
    let found = this.#ofResources.get(resource);
    if (found === undefined) {
      found = { alone: new Group(), related: new Group() };
      this.#ofResources.set(resource, found);
    }
    const { alone, related } = found;
    const [group, other] = node.hasRelatives ? [related, alone] : [alone, related];
    if (node.group === group) return;
    if (node.group === other) other.size -= 1;
    group.size += 1;
    node.group = group;
  }

  /** Counts a node no more: it is taken out, or is of another resource from now on. */
  leave({ identity: { resource }, group }: Grouped): void {
    if (group === undefined) return;
    group.size -= 1;
    this.#forgetEmpty(resource);
  }

  /**
   * Marks as gone all nodes of a resource that have no relatives, but those given, in time for these.
   * @returns how many
   */
  keepOfAlone(resource: ResourceRef, nodes: Iterable<Grouped>): number {
    const found = this.#ofResources.get(resource);
    if (found === undefined) return 0;
    const { alone, related } = found;
    const staying = new Group();
    for (const node of nodes) {
      if (node.group !== alone) continue;
      node.group = staying;
      staying.size += 1;
    }
    this.#ofResources.set(resource, { alone: staying, related });
    this.#forgetEmpty(resource);
    alone.isGone = true;
    return alone.size - staying.size;
  }

  #forgetEmpty(resource: ResourceRef | undefined): void {
    const found = this.#ofResources.get(resource);
    if (found?.alone.size === 0 && found.related.size === 0) this.#ofResources.delete(resource);
  }
}
