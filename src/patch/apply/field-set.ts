/**
 * A set of field paths, as a tree: at each node the steps that are members themselves, and the sets below steps.
 * Sets are immutable; operations share what they do not change.
 */
import type { FieldPathElements, PathElement } from './path-element.ts';
import { sortElements } from './path-element.ts';

type Members = ReadonlySet<PathElement>;
type Children = ReadonlyMap<PathElement, FieldSet>;

export class FieldSet {
  /** Steps whose path is in the set. */
  readonly members: Members;
  /** Non-empty sets below steps, whether or not these are members. */
  readonly children: Children;

  constructor(members: Members, children: Children) {
    this.members = members;
    this.children = children;
  }

  get isEmpty(): boolean {
    return this.members.size === 0 && this.children.size === 0;
  }

  /** Number of paths. */
  get size(): number {
    let size = this.members.size;
    for (const child of this.children.values()) size += child.size;
    return size;
  }

  has(path: FieldPathElements): boolean {
    const last = path.at(-1);
    return last !== undefined && this.below(path.slice(0, -1)).members.has(last);
  }

  /** The set below a path; empty when there is none. */
  below(path: FieldPathElements): FieldSet {
    return path.reduce<FieldSet>((level, element) => level.children.get(element) ?? emptyFieldSet, this);
  }

  /** Whether the set has the path or anything below it. */
  touches(path: FieldPathElements): boolean {
    return this.has(path) || !this.below(path).isEmpty;
  }

  equals(other: FieldSet): boolean {
    if (this === other) return true;
    if (this.members.size !== other.members.size || this.children.size !== other.children.size) return false;
    for (const element of this.members) if (!other.members.has(element)) return false;
    for (const [element, child] of this.children) {
      const otherChild = other.children.get(element);
      if (!otherChild || !child.equals(otherChild)) return false;
    }
    return true;
  }

  /** Paths in either set. */
  union(other: FieldSet): FieldSet {
    if (other.isEmpty || other === this) return this;
    if (this.isEmpty) return other;
    const children = new Map(this.children);
    for (const [element, child] of other.children) {
      const own = children.get(element);
      children.set(element, own ? own.union(child) : child);
    }
    return new FieldSet(this.members.union(other.members), children);
  }

  /** Paths in both sets. */
  intersection(other: FieldSet): FieldSet {
    if (other === this) return this;
    const children = new Map<PathElement, FieldSet>();
    for (const [element, child] of this.children) {
      const common = child.intersection(other.children.get(element) ?? emptyFieldSet);
      if (!common.isEmpty) children.set(element, common);
    }
    return make(this.members.intersection(other.members), children);
  }

  /** Paths of this set that the other one does not have. */
  difference(other: FieldSet): FieldSet {
    if (other.isEmpty) return this;
    const children = new Map<PathElement, FieldSet>();
    for (const [element, child] of this.children) {
      const rest = child.difference(other.children.get(element) ?? emptyFieldSet);
      if (!rest.isEmpty) children.set(element, rest);
    }
    return make(this.members.difference(other.members), children);
  }

  /** As `difference`; a member of the other set takes everything below it along. */
  recursiveDifference(other: FieldSet): FieldSet {
    if (other.isEmpty) return this;
    const children = new Map<PathElement, FieldSet>();
    for (const [element, child] of this.children) {
      if (other.members.has(element)) continue;
      const rest = child.recursiveDifference(other.children.get(element) ?? emptyFieldSet);
      if (!rest.isEmpty) children.set(element, rest);
    }
    return make(this.members.difference(other.members), children);
  }

  /** The members below which there is nothing. */
  leaves(): FieldSet {
    const members = new Set<PathElement>();
    for (const element of this.members) if (!this.children.has(element)) members.add(element);
    const children = new Map<PathElement, FieldSet>();
    for (const [element, child] of this.children) children.set(element, child.leaves());
    return make(members, children);
  }

  /** All paths: a step before what is below it, steps in their order. */
  paths(): Generator<FieldPathElements, void, undefined> {
    return this.pathsBy((element) => element);
  }

  /**
   * The same, with something else for each step, which is made once, however many paths it is on. A single generator: out of
   * those within each other each path would come through all levels.
   */
  *pathsBy<T>(stepOf: (element: PathElement) => T): Generator<T[], void, undefined> {
    const path: T[] = [];
    const levels: Level[] = [levelOf(this)];
    for (let level = levels.at(-1); level; level = levels.at(-1)) {
      const { value: element, done } = level.elements.next();
      if (done) {
        levels.pop();
        path.pop();
        continue;
      }
      path.push(stepOf(element));
      if (level.set.members.has(element)) yield [...path];
      const child = level.set.children.get(element);
      if (child) levels.push(levelOf(child));
      else path.pop();
    }
  }

  /** Steps at this node, members or not, in their order. */
  elements(): PathElement[] {
    const elements = [...this.members];
    for (const element of this.children.keys()) if (!this.members.has(element)) elements.push(element);
    return sortElements(elements);
  }
}

/** A node on the way of a walk, with the steps that are still to be taken from it. */
interface Level {
  readonly set: FieldSet;
  readonly elements: ArrayIterator<PathElement>;
}

function levelOf(set: FieldSet): Level {
  return { set, elements: set.elements().values() };
}

const noMembers: Members = new Set();
const noChildren: Children = new Map();

export const emptyFieldSet: FieldSet = new FieldSet(noMembers, noChildren);

function make(members: Members, children: Children): FieldSet {
  return members.size === 0 && children.size === 0 ? emptyFieldSet : new FieldSet(members, children);
}

/** Collects paths one by one. Most nodes are leaves or have one kind of step: nothing is made for the other. */
export class FieldSetBuilder {
  private members: Set<PathElement> | undefined;
  private children: Map<PathElement, FieldSetBuilder> | undefined;

  /** Adds a path; the empty path is none. */
  add(path: FieldPathElements): this {
    const last = path.at(-1);
    if (last === undefined) return this;
    this.at(path.slice(0, -1)).addMember(last);
    return this;
  }

  addMember(element: PathElement): void {
    this.members ??= new Set();
    this.members.add(element);
  }

  /** Adds all paths of a set. */
  addAll(set: FieldSet): this {
    for (const element of set.members) this.addMember(element);
    for (const [element, child] of set.children) this.child(element).addAll(child);
    return this;
  }

  /** The builder of what is below a path. */
  at(path: FieldPathElements): FieldSetBuilder {
    return path.reduce<FieldSetBuilder>((node, element) => node.child(element), this);
  }

  /** The builder of what is below a step. */
  child(element: PathElement): FieldSetBuilder {
    this.children ??= new Map();
    let child = this.children.get(element);
    if (!child) {
      child = new FieldSetBuilder();
      this.children.set(element, child);
    }
    return child;
  }

  /** The set, which takes over what was collected: the builder is empty afterwards. */
  build(): FieldSet {
    const members = this.members ?? noMembers;
    const children = this.builtChildren();
    this.members = undefined;
    this.children = undefined;
    return make(members, children);
  }

  private builtChildren(): Children {
    if (this.children === undefined) return noChildren;
    const children = new Map<PathElement, FieldSet>();
    for (const [element, child] of this.children) {
      const built = child.build();
      if (!built.isEmpty) children.set(element, built);
    }
    return children;
  }
}

/** The set of the given paths. */
export function fieldSetOf(paths: Iterable<FieldPathElements>): FieldSet {
  const builder = new FieldSetBuilder();
  for (const path of paths) builder.add(path);
  return builder.build();
}

/** Paths in any of the sets. (`union` of one after the other would copy what was gathered each time.) */
export function unionOf(sets: Iterable<FieldSet>): FieldSet {
  const builder = new FieldSetBuilder();
  for (const set of sets) builder.addAll(set);
  return builder.build();
}
