/** What the etcd of a world goes through, for the validators: written down as it happens, whatever is compacted later. */
import type { KeyChange, MemoryEtcd } from '../../../src/memory-etcd/memory-etcd.ts';
import { numberOf, watchMethod } from '../../../src/storage/etcd/etcd-messages.ts';
import { KeySpace } from '../../../src/storage/keys.ts';
import { markOf, withoutMark } from '../../../src/storage/write/mark.ts';
import type {
  Change,
  CollectionId,
  Commit,
  Past,
  Point,
  State,
  StoredState,
  Truth,
} from '../../support/histories/types.ts';
import type { PastListener } from './restores.ts';

const keys = new KeySpace('/registry');

/** Commits of the collections by revision, up to one. */
interface Log {
  readonly commits: Map<number, Change[]>;
  /** When they were, in virtual milliseconds. */
  readonly times: Map<number, number>;
  until: number;
}

export class TruthLog implements PastListener<Log> {
  readonly #etcd: MemoryEtcd;
  readonly #collections: ReadonlySet<CollectionId> | undefined;
  readonly #read: (text: Buffer) => StoredState;
  readonly #now: () => number;
  /** Those that are over. */
  readonly #pasts: Past[] = [];
  #log: Log = { commits: new Map(), times: new Map(), until: 0 };
  #from: Point = -Infinity;
  #base = 0;
  #isRaised = false;
  /** The next point of the history, for the beginning of another past. */
  point: () => Point = () => 0;
  /** The text of a value, which may be encrypted. */
  open: (collection: CollectionId, key: Buffer, value: Buffer) => Buffer = (_collection, _key, value) =>
    value;

  /**
   * @param collections those that the history is about; undefined: all
   * @param read what a stored text is for the validators
   * @param now virtual milliseconds, for validators to whom the time matters
   */
  constructor(
    etcd: MemoryEtcd,
    collections: readonly CollectionId[] | undefined,
    read: (text: Buffer) => StoredState,
    now: () => number = () => 0,
  ) {
    this.#etcd = etcd;
    this.#now = now;
    this.#collections = collections && new Set(collections);
    this.#read = read;
  }

  /** Resolves when it takes note of everything from now on. */
  async start(): Promise<void> {
    const log = this.#log;
    const line = await this.#etcd.connectLine('', 0);
    const request = { create_request: { ...keys.everything(), start_revision: log.until + 1 } };
    line.stream(watchMethod, request, {
      onAnswer: ({ events }) => {
        const added = events.filter(({ kv }) => numberOf(kv.mod_revision) > log.until);
        for (const { type, kv } of added)
          this.#add(log, numberOf(kv.mod_revision), kv.key, type === 0 ? kv.value : undefined);
        log.until = Math.max(log.until, ...added.map(({ kv }) => numberOf(kv.mod_revision)));
      },
      onEnd: (error) => {
        if (log === this.#log) throw new Error('the record of the truth ended', { cause: error });
      },
    });
  }

  #add({ commits, times }: Log, revision: number, key: Buffer, value: Buffer | undefined): void {
    const address = keys.parse(key);
    if (address === undefined || address.key === '' || !this.#isFollowed(address.collection)) return;
    const text = value && this.open(address.collection, key, value);
    const put = text && this.#read(withoutMark(text, markOf(text)));
    const changes = commits.get(revision);
    const change = { collection: address.collection, key: address.key, put };
    if (changes) changes.push(change);
    else {
      commits.set(revision, [change]);
      times.set(revision, this.#now());
    }
  }

  #isFollowed(collection: CollectionId): boolean {
    return this.#collections === undefined || this.#collections.has(collection);
  }

  /** What the stream has not told yet. */
  #catchUp(): void {
    const log = this.#log;
    for (const { revision, key, value } of this.#etcd.changesAfter(log.until))
      this.#add(log, revision, key, value);
    log.until = this.#etcd.revision;
  }

  /** The objects of the first collection as they are now, in the order of their keys. */
  state(): State[] {
    const state = new Map<string, State>();
    for (const [version, changes] of this.#log.commits) {
      for (const { collection, key, put } of changes) {
        if (!this.#isFollowed(collection)) continue;
        if (put === undefined) state.delete(key);
        else state.set(key, { key, version, value: put.value });
      }
    }
    return [...state.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  onBackup(): Log {
    this.#catchUp();
    const { commits, times } = this.#log;
    return { commits: new Map(commits), times: new Map(times), until: this.#etcd.revision };
  }

  beforeRestore(): void {
    this.#catchUp();
    this.#pasts.push(this.#past());
  }

  onRestored({ commits, times }: Log, changes: readonly KeyChange[] | undefined): void {
    this.#from = this.point();
    this.#base = this.#etcd.revision;
    this.#isRaised = changes !== undefined;
    const kept = changes === undefined ? commits : [];
    this.#log = { commits: new Map(kept), times: new Map(times), until: this.#base };
    for (const { revision, key, value } of changes ?? []) this.#add(this.#log, revision, key, value);
    void this.start();
  }

  /** etcd has had several pasts. */
  get wasRestored(): boolean {
    return this.#pasts.length > 0;
  }

  get truth(): Truth {
    return { pasts: [...this.#pasts, this.#past()] };
  }

  #past(): Past {
    const { times } = this.#log;
    const commits: Commit[] = [...this.#log.commits].map(([revision, changes]) => ({
      ...{ revision, changes },
      at: times.get(revision) ?? 0,
    }));
    const [from, base, isRaised] = [this.#from, this.#base, this.#isRaised];
    const compacted = Math.max(0, this.#etcd.compactRevision);
    return { from, base, isRaised, commits, head: this.#etcd.revision, compacted };
  }
}
