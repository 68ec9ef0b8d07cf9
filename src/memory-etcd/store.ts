/**
 * The multi-version store: a tree of the keys with their versions, the log of changes, and the revisions between which
 * it can be read. Copies share what neither has changed since.
 */
import sortedBtree from 'sorted-btree';

import { ChangeLog } from './change-log.ts';
import { KeyHistory, type Change, type Owner } from './key-history.ts';
import type { KeyRange } from './key-range.ts';
import { recordBytes } from './message-size.ts';
import type { ReleaseRules } from './release.ts';
import type { StoredKeyValue } from './messages.ts';
import { serverError } from './server-error.ts';

type KeyTree = sortedBtree.default<string, KeyHistory>;

/** Order of latin1 strings, that of their bytes. */
function compareKeys(a: string, b: string): number {
  if (a < b) return -1;
  return a > b ? 1 : 0;
}

interface StoreParts {
  readonly rules: ReleaseRules;
  readonly tree: KeyTree;
  readonly log: ChangeLog;
  readonly revision: number;
  readonly compactRevision: number;
  readonly bytes: number;
  readonly live: number;
}

export class Store {
  readonly rules: ReleaseRules;
  #tree: KeyTree;
  #log: ChangeLog;
  #owner: Owner = {};
  #revision: number;
  #compactRevision: number;
  #bytes: number;
  #live: number;

  private constructor(parts: StoreParts) {
    this.rules = parts.rules;
    this.#tree = parts.tree;
    this.#log = parts.log;
    this.#revision = parts.revision;
    this.#compactRevision = parts.compactRevision;
    this.#bytes = parts.bytes;
    this.#live = parts.live;
  }

  /** A store as a new cluster has it, at revision 1. */
  static empty(rules: ReleaseRules): Store {
    return new Store({
      rules,
      tree: new sortedBtree.default<string, KeyHistory>(undefined, compareKeys),
      log: new ChangeLog(),
      revision: 1,
      compactRevision: -1,
      bytes: 0,
      live: 0,
    });
  }

  /** A copy, which goes its own way from now on. It costs next to nothing whatever the number of keys. */
  copy(): Store {
    this.#owner = {};
    return new Store({
      rules: this.rules,
      tree: this.#tree.clone(),
      log: this.#log.copy(),
      revision: this.#revision,
      compactRevision: this.#compactRevision,
      bytes: this.#bytes,
      live: this.#live,
    });
  }

  get revision(): number {
    return this.#revision;
  }

  /** Revisions before it cannot be read; -1 if there was no compaction. */
  get compactRevision(): number {
    return this.#compactRevision;
  }

  /** Bytes of all versions. */
  get bytes(): number {
    return this.#bytes;
  }

  get keys(): number {
    return this.#tree.size;
  }

  /** Number of keys that exist. */
  get live(): number {
    return this.#live;
  }

  /** The first key that is not smaller than this one; it may have been removed. */
  firstKey(from: string): string | undefined {
    return this.#tree.getPairOrNextHigher(from)?.[0];
  }

  /** One key, as of a revision; undefined if it did not exist then. */
  get(key: string, revision: number): StoredKeyValue | undefined {
    return this.#tree.get(key)?.at(revision);
  }

  /** Calls back for the keys of a range in order, as of a revision. */
  each({ start, end }: KeyRange, revision: number, onKey: (kv: StoredKeyValue, key: string) => void): void {
    if (end === undefined) {
      const kv = this.get(start, revision);
      if (kv !== undefined) onKey(kv, start);
      return;
    }
    const last = end ?? this.#tree.maxKey();
    if (last === undefined || last < start) return;
    this.#tree.forRange(start, last, end === null, (key, history) => {
      const kv = history.at(revision);
      if (kv !== undefined) onKey(kv, key);
    });
  }

  /** All changes from a revision on, in order. */
  changesFrom(revision: number): Iterable<Change> {
    return this.#log.from(revision);
  }

  /** About how many changes there are from a revision on. */
  sizeFrom(revision: number): number {
    return this.#log.sizeFrom(revision);
  }

  /** Adds a change of the next revision, which is not yet that of the store. */
  add(change: Change): void {
    const history = this.#historyToWrite(change.key);
    this.#live += (change.type === 0 ? 1 : 0) - (history.isLive ? 1 : 0);
    history.add(change);
    this.#log.add(change);
    this.#bytes += recordBytes(change.kv);
  }

  /**
   * Takes the keys of an earlier state, in no time that depends on their number, but for those given, which stay as they are. The next
   * revision is the first that can be read afterwards.
   */
  becomes(then: Store, kept: Iterable<string>): void {
    const before = this.#tree;
    // Histories that both have are no one's to change.
    this.#owner = {};
    then.#owner = {};
    this.#tree = then.#tree.clone();
    this.#bytes = then.#bytes;
    this.#live = then.#live;
    for (const key of kept) this.#keep(key, before.get(key));
    this.#log = new ChangeLog();
    this.#compactRevision = this.#revision + 1;
  }

  #keep(key: string, history: KeyHistory | undefined): void {
    const replaced = this.#tree.get(key);
    if (history === replaced) return;
    if (history === undefined) this.#tree.delete(key);
    else this.#tree.set(key, history);
    this.#bytes += (history?.bytes ?? 0) - (replaced?.bytes ?? 0);
    this.#live += (history?.isLive === true ? 1 : 0) - (replaced?.isLive === true ? 1 : 0);
  }

  /** The changes added since are a revision now. */
  commit(): void {
    this.#revision += 1;
  }

  /** Checks whether a revision can be read. @throws GrpcError if it is compacted or not yet there */
  checkCompaction(revision: number): void {
    if (revision <= this.#compactRevision) throw serverError('compacted');
    if (revision > this.#revision) throw serverError('futureRevision');
  }

  /**
   * Forgets what only readers of earlier revisions need. Takes time for the changes since the last compaction.
   * @throws GrpcError if that is done already, or the revision is yet to come
   */
  compact(revision: number): void {
    this.checkCompaction(revision);
    this.#compactRevision = revision;
    const keepsRemovalAt = this.rules.keepsRemovalAtCompaction ? revision : -1;
    const changed = new Set<string>();
    for (const { key, kv } of this.#log.from(-Infinity)) {
      if (kv.mod_revision > revision) break;
      changed.add(key);
    }
    for (const key of changed) this.#compactKey(key, revision, keepsRemovalAt);
    this.#log.trim(revision, (change) => this.#tree.get(change.key)?.has(change) === true);
  }

  #compactKey(key: string, revision: number, keepsRemovalAt: number): void {
    const history = this.#historyToWrite(key);
    history.compact(revision, keepsRemovalAt, ({ kv }) => {
      this.#bytes -= recordBytes(kv);
    });
    if (history.isEmpty) this.#tree.delete(key);
  }

  #historyToWrite(key: string): KeyHistory {
    const known = this.#tree.get(key);
    const writable = known?.writableBy(this.#owner) ?? new KeyHistory(this.#owner, []);
    if (writable !== known) this.#tree.set(key, writable);
    return writable;
  }
}
