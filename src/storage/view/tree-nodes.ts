/**
 * Nodes of a copy-on-write B+ tree that counts: each knows how many entries are below it, so that a position is found
 * without a walk. A node may be changed only by the owner that made it; everyone else copies it first.
 */
import type { Folded } from '../../codec/pack.ts';
import type { Entry, ObjectKey } from '../types.ts';
import { FoldedEntries } from './folded-entries.ts';

/** Who may change a node in place: compared by identity. */
export type Owner = object;

/** Children of a branch, entries of a leaf: a write copies one node of each level. */
const most = 64;
/** A node with fewer takes in a neighbour, if both together are no more than `mostMerged`. */
const least = 16;
const mostMerged = 48;

export type TreeNode = Leaf | Branch;

/** Index of the first of these keys that is not smaller than `key`. Order by UTF-16 code units. */
function lowerBound(keys: readonly ObjectKey[], key: ObjectKey): number {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? '') < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Entries in the order of their keys, or, folded, what they are made of. Who else has the leaf sees no difference. */
export class Leaf implements Folded {
  readonly owner: Owner;
  #keys: ObjectKey[];
  #entries: Entry[];
  #folded: FoldedEntries | undefined = undefined;

  constructor(owner: Owner, keys: ObjectKey[] = [], entries: Entry[] = []) {
    this.owner = owner;
    this.#keys = keys;
    this.#entries = entries;
  }

  get size(): number {
    return this.#folded?.size ?? this.#entries.length;
  }

  get width(): number {
    return this.size;
  }

  get firstKey(): ObjectKey {
    return this.#folded?.keyAt(0) ?? this.#keys[0] ?? '';
  }

  /** @param at less than its size */
  entryAt(at: number): Entry {
    return this.#folded?.entryAt(at) ?? (this.#entries[at] as Entry);
  }

  /** Keeps no objects where all of its entries can be made again. */
  fold(): void {
    if (this.#folded !== undefined || this.#entries.length === 0) return;
    this.#folded = FoldedEntries.of(this, this.#entries);
    if (this.#folded !== undefined) [this.#keys, this.#entries] = [none, none];
  }

  unfold(): void {
    const folded = this.#folded;
    if (folded === undefined) return;
    this.#folded = undefined;
    const entries = Array.from({ length: folded.size }, (_none, at) => folded.entryAt(at));
    for (const entry of entries) entry.stay();
    this.#entries = entries;
    this.#keys = entries.map(({ key }) => key);
  }

  /** This node if it is the owner's, else a copy that is; to be changed. */
  ownedBy(owner: Owner): Leaf {
    this.unfold();
    return this.owner === owner ? this : new Leaf(owner, this.#keys.slice(), this.#entries.slice());
  }

  get(key: ObjectKey): Entry | undefined {
    if (this.#folded !== undefined) return this.#folded.get(key);
    const at = lowerBound(this.#keys, key);
    return this.#keys[at] === key ? this.#entries[at] : undefined;
  }

  leafOf(_key: ObjectKey): this {
    return this;
  }

  /** Number of smaller keys. */
  rank(key: ObjectKey): number {
    return this.#folded?.lowerBound(key) ?? lowerBound(this.#keys, key);
  }

  /** Adds or replaces an entry; whether its key is new. */
  set(entry: Entry): boolean {
    const at = lowerBound(this.#keys, entry.key);
    const isNew = this.#keys[at] !== entry.key;
    if (!isNew) {
      this.#entries[at] = entry;
    } else if (at === this.#keys.length) {
      this.#keys.push(entry.key);
      this.#entries.push(entry);
    } else {
      this.#keys.splice(at, 0, entry.key);
      this.#entries.splice(at, 0, entry);
    }
    return isNew;
  }

  /** Removes the entry of a key that is there. */
  delete(key: ObjectKey): void {
    const at = lowerBound(this.#keys, key);
    this.#keys.splice(at, 1);
    this.#entries.splice(at, 1);
  }

  /** The upper part of a leaf that is too full, which it gives away. */
  split(added: ObjectKey): Leaf | undefined {
    if (this.#keys.length <= most) return undefined;
    const at = cutAt(this.#keys, added);
    return new Leaf(this.owner, this.#keys.splice(at), this.#entries.splice(at));
  }

  absorb(next: Leaf): void {
    next.unfold();
    this.#keys.push(...next.#keys);
    this.#entries.push(...next.#entries);
  }
}

/** Of leaves that are folded. */
const none: never[] = [];

export class Branch {
  readonly owner: Owner;
  /** No key below a child is smaller than its key here; the first one is not looked at. */
  readonly keys: ObjectKey[];
  readonly children: TreeNode[];
  size: number;

  constructor(owner: Owner, keys: ObjectKey[], children: TreeNode[], size: number) {
    this.owner = owner;
    this.keys = keys;
    this.children = children;
    this.size = size;
  }

  /** A root above two nodes. */
  static above(owner: Owner, lower: TreeNode, upper: TreeNode): Branch {
    return new Branch(owner, [lower.firstKey, upper.firstKey], [lower, upper], lower.size + upper.size);
  }

  get width(): number {
    return this.children.length;
  }

  get firstKey(): ObjectKey {
    return this.keys[0] ?? '';
  }

  /** This node if it is the owner's, else a copy that is. */
  ownedBy(owner: Owner): Branch {
    return this.owner === owner
      ? this
      : new Branch(owner, this.keys.slice(), this.children.slice(), this.size);
  }

  get(key: ObjectKey): Entry | undefined {
    return this.#child(this.#indexOf(key)).get(key);
  }

  leafOf(key: ObjectKey): Leaf {
    return this.#child(this.#indexOf(key)).leafOf(key);
  }

  /** Number of smaller keys. */
  rank(key: ObjectKey): number {
    const at = this.#indexOf(key);
    let before = 0;
    for (let i = 0; i < at; i += 1) before += this.#child(i).size;
    return before + this.#child(at).rank(key);
  }

  /** Adds or replaces an entry; whether its key is new. */
  set(entry: Entry): boolean {
    const at = this.#indexOf(entry.key);
    const child = this.#ownChild(at);
    if (!child.set(entry)) return false;
    this.size += 1;
    const upper = child.split(entry.key);
    if (upper !== undefined) {
      this.keys.splice(at + 1, 0, upper.firstKey);
      this.children.splice(at + 1, 0, upper);
    }
    return true;
  }

  /** Removes the entry of a key that is there. */
  delete(key: ObjectKey): void {
    const at = this.#indexOf(key);
    const child = this.#ownChild(at);
    child.delete(key);
    this.size -= 1;
    if (child.size === 0) this.#drop(at);
    else if (child.width < least && !this.#merge(at)) this.#merge(at - 1);
  }

  /** The upper part of a branch that is too full, which it gives away. */
  split(added: ObjectKey): Branch | undefined {
    if (this.children.length <= most) return undefined;
    const at = cutAt(this.keys, added);
    const children = this.children.splice(at);
    const size = children.reduce((sum, child) => sum + child.size, 0);
    this.size -= size;
    return new Branch(this.owner, this.keys.splice(at), children, size);
  }

  /** @param from no key of `next` is smaller, and all keys here are */
  absorb(next: Branch, from: ObjectKey): void {
    this.keys.push(from, ...next.keys.slice(1));
    this.children.push(...next.children);
    this.size += next.size;
  }

  /**
   * Where the child is that has a key, if any has: the last one whose key is not larger. The first key is not looked at, as keys
   * that are smaller than it was are below its child, too, and those of the children behind may be smaller by now.
   */
  #indexOf(key: ObjectKey): number {
    let [low, high] = [1, this.keys.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.keys[middle] ?? '') <= key) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  #child(at: number): TreeNode {
    // A branch has children as long as it is in a tree.
    return this.children[at] as TreeNode;
  }

  #ownChild(at: number): TreeNode {
    return (this.children[at] = this.#child(at).ownedBy(this.owner));
  }

  #drop(at: number): void {
    this.keys.splice(at, 1);
    this.children.splice(at, 1);
  }

  /** Puts two neighbours together that are small; whether it did. */
  #merge(at: number): boolean {
    const [left, right] = [this.children[at], this.children[at + 1]];
    if (left === undefined || right === undefined || left.width + right.width > mostMerged) return false;
    const joined = this.#ownChild(at);
    if (joined instanceof Leaf && right instanceof Leaf) joined.absorb(right);
    else if (joined instanceof Branch && right instanceof Branch)
      joined.absorb(right, this.keys[at + 1] ?? '');
    this.#drop(at + 1);
    return true;
  }
}

/** Where a node that is too full is cut: keys that are added in order leave full nodes behind. */
function cutAt(keys: readonly ObjectKey[], added: ObjectKey): number {
  return added >= (keys.at(-1) ?? '') ? keys.length - 1 : keys.length >>> 1;
}
