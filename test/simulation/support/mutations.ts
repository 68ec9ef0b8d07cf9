import { withControllers } from './controller-mutations.ts';
import type { Peculiarity } from './peculiarities.ts';

/** A text that is there exactly once, and what stands there instead. */
export interface Edit {
  readonly find: string;
  readonly replace: string;
}

/**
 * Defects that the simulation must find: each is the code with one guarantee taken away. A mutation whose text is no
 * longer there is a defect of this list.
 */
export interface Mutation extends Edit {
  /** Path below `src/`. */
  readonly file: string;
  /** A second guard that has to go, too, because it makes up for the first. */
  readonly and?: Edit;
  /** What no longer holds. */
  readonly broken: string;
  /** Of the histories that look for it; absent: the storage. */
  readonly level?: 'api' | 'controllers';
  /** Which of those; absent: any. */
  readonly world?: Peculiarity;
  /** Seed of the first history; default 1. For a rare one that is found late from there on: about one in a thousand shows it. */
  readonly seed?: number;
}

const writes = 'storage/write/';

export const mutations: Readonly<Record<string, Mutation>> = {
  'fence-never-voids': {
    file: `${writes}guarded-write.ts`,
    find: "if (write.kind === 'create') {",
    replace: "if (write.kind === 'create' && sentAt < 0) {",
    broken: 'a creation whose answer was lost is void once the creation fence is written',
  },
  'update-without-guard': {
    file: `${writes}guarded-write.ts`,
    find: 'return { result: 0, target: 2, key, mod_revision: guardRevision(write.expected) };',
    replace: 'return { result: 1, target: 2, key, mod_revision: 0 };',
    broken: 'an update takes effect only on the expected revision',
  },
  'equal-bytes-are-ours': {
    file: `${writes}judge-write.ts`,
    find: "return event.type === 'put' && markOfEntry(event.entry) === write.mark;",
    replace: "return event.type === 'put';",
    broken: 'only its mark tells whose a write was',
  },
  'marks-judged-the-other-way': {
    file: `${writes}judge-write.ts`,
    find: "return event.type === 'put' && markOfEntry(event.entry) === write.mark;",
    replace: "return event.type === 'put' && markOfEntry(event.entry) !== write.mark;",
    broken: 'a change with the mark of a write is that write, and no other is',
  },
  'any-removal-is-ours': {
    file: `${writes}ambiguous-writes.ts`,
    find: 'if (!isOwn) throw',
    replace: 'if (isOwn === null) throw',
    broken: 'of two removals of an object one is told to be done',
  },
  'lost-answer-is-a-failure': {
    file: `${writes}transactions.ts`,
    find: "if (etcdError.kind !== 'unknown') throw toStorageError(etcdError, write.key);",
    replace: 'throw toStorageError(etcdError, write.key);',
    broken: 'a write with an unknown outcome is not reported as refused',
  },
  'sent-again-blindly': {
    file: 'storage/etcd/client.ts',
    find: "operation: 'txn', repeatable: false",
    replace: "operation: 'txn', repeatable: true",
    broken: 'a transaction that may have been executed is not sent again',
  },
  'probe-not-awaited': {
    file: 'storage/consistent-reads.ts',
    find: '    await probe.reached;\n',
    replace: '    probe.reached.catch(() => undefined);\n',
    broken: 'a fresh read waits until the view has reached the probed revision',
  },
  'read-without-probe': {
    file: 'storage/reads.ts',
    find: 'return keeper.mostRecent();',
    replace: 'return keeper.loaded();',
    broken: 'a fresh read asks the quorum',
  },
  'waiters-one-early': {
    file: 'storage/view/revision-waiters.ts',
    find: 'waiter.revision <= revision)',
    replace: 'waiter.revision <= revision + 1)',
    broken: 'whoever waits for a revision is woken when the view has it',
  },
  'event-applied-twice': {
    file: 'storage/view/view.ts',
    find: `      if (revision <= this.#revision || revision < last) {
        if (revision < last) this.#lateEvents += 1;
        continue;
      }
      if (revision > last) this.#appliedRevisions += 1;
      else if (this.#has(event, revision)) continue;
`,
    replace: '',
    broken: 'a resumed stream begins with a revision that was seen, which is skipped',
  },
  'removal-forgotten': {
    file: 'storage/view/collection.ts',
    find: 'if (entry === undefined) this.#tree.delete(key);',
    replace: 'if (entry === undefined) this.#isListed = true;',
    broken: 'a removed object leaves the view',
  },
  'past-state-too-long': {
    file: 'storage/view/collection.ts',
    find: 'to: revision - 1 }',
    replace: 'to: revision }',
    broken: 'a state that a list has shown ends before the next change',
  },
  'resume-from-the-next-revision': {
    file: 'storage/follower.ts',
    find: 'start_revision: view.revision,',
    replace: 'start_revision: view.revision + 1,',
    // Otherwise each such stream is taken for one of another past, and the state is loaded anew.
    and: {
      find: 'if (!this.#last.isContinuedBy(events, view.revision))',
      replace: 'if (!this.#last.isContinuedBy(events, view.revision + 1))',
    },
    broken:
      'a stream is resumed from the revision already seen, so that etcd cannot hide a compaction exactly there',
    seed: 60_001,
  },
  'compaction-ignored': {
    file: 'storage/follower.ts',
    find: 'if (compacted > 0) {',
    replace: 'if (compacted < 0) {',
    broken: 'a follower whose history is compacted loads anew',
  },
  'watches-survive-a-load': {
    file: 'storage/change-listener.ts',
    find: "hub().endAll(new StorageError('compacted', message, { revision }));",
    replace: 'recent.reset(message.length > 0 ? revision : 0);',
    broken: 'watches end when the view was loaded anew',
  },
  'events-survive-a-load': {
    file: 'storage/change-listener.ts',
    find: '      recent.reset(revision);\n',
    replace: '',
    broken: 'events from before a load are no history of what comes after it',
  },
  'ring-floor-stays': {
    file: 'storage/watch/event-ring.ts',
    find: '      this.#floor = event.revision;\n',
    replace: '',
    broken: 'a ring knows which events it has dropped',
  },
  'ring-extended-short': {
    file: 'storage/watch/recent-events.ts',
    find: 'event.revision <= ring.floor)',
    replace: 'event.revision < ring.floor)',
    broken: 'a ring that is extended by replayed history has no gap',
  },
  'cluster-not-compared': {
    file: 'storage/etcd/known-past.ts',
    find: 'return this.#cluster !== undefined && isSame(this.#cluster, id);',
    replace: 'return this.#cluster !== undefined && id !== undefined;',
    broken: 'every answer is of the cluster that is followed, whatever its revision',
  },
  'replay-delivers-again': {
    file: 'storage/watch/subscription.ts',
    find: 'events.filter((event) => event.revision > this.#position)',
    replace: 'events.filter((event) => event.revision >= this.#position)',
    broken: 'what overlaps between replay, ring and fan-out is delivered once',
  },
  'replay-one-revision-late': {
    file: 'storage/watch/history-replay.ts',
    level: 'api',
    find: 'start_revision: Math.max(1, this.position)',
    replace: 'start_revision: this.position + 1',
    broken:
      'a replay starts at the revision already seen, so that etcd cannot hide a removal compacted right after it',
  },
  'progress-ahead': {
    file: 'storage/watch/hub.ts',
    find: 'subscription.progress(subscription.position);',
    replace: 'subscription.progress(subscription.position + 1);',
    broken: 'a bookmark tells what was delivered',
  },
  'difference-not-repaired': {
    file: 'storage/consistency/consistency-check.ts',
    world: 'lossy',
    find: 'if (differences.length > 0) await',
    replace: 'if (differences.length < 0) await',
    broken: 'a collection that differs from etcd is loaded again',
  },
  'repair-untold': {
    file: 'storage/change-listener.ts',
    world: 'lossy',
    find: "hub().endCollection(collection, new StorageError('compacted', message, { revision }));",
    replace: 'hub().publish([], message.length > 0 ? revision : 0);',
    broken: 'watches end when their collection was loaded again, so that their clients list',
  },
  'late-event-applied': {
    file: 'storage/view/view.ts',
    world: 'lossy',
    find: `      if (revision <= this.#revision || revision < last) {
        if (revision < last) this.#lateEvents += 1;`,
    replace: '      if (revision <= this.#revision) {',
    broken: 'an event behind a newer one is skipped, and does not bring the view back',
  },
  'events-before-the-state-is-taken': {
    file: 'storage/follow-collection.ts',
    find: 'ready: () => state,',
    replace: 'ready: () => Promise.resolve(),',
    broken: 'whoever follows a collection has taken its state before it is given changes',
  },
  'states-overlap': {
    file: 'storage/follow-collection.ts',
    find: 'const taken = state.catch(() => undefined);',
    replace: 'const taken = Promise.resolve();',
    broken: 'whoever follows a collection has taken a state before it is given the next one',
  },
  'followed-once': {
    file: 'storage/follow-collection.ts',
    find: 'void taken.then(() =>',
    replace: "if (reason.code !== 'compacted') void taken.then(() =>",
    broken: 'whoever follows a collection begins again when history was lost',
  },
  'unreadable-judged-absent': {
    file: `${writes}ambiguous-writes.ts`,
    world: 'encrypted',
    find: ' ?? collection.unreadable.get(write.key)',
    replace: '',
    broken: 'an object that cannot be read is not taken for absent when a write is judged',
  },
  'missing-in-a-past-state-untold': {
    file: 'storage/view/collection.ts',
    world: 'encrypted',
    find: 'const state = { tree: this.#frozen, unreadable: this.#frozenUnreadable() };',
    replace: 'const state = { tree: this.#frozen };',
    broken: 'a state that lacks an object which could not be read says so for ever',
  },
  'watches-survive-an-unreadable-change': {
    file: 'storage/change-listener.ts',
    world: 'encrypted',
    find: 'for (const entry of unreadable) hub().endWatchesOf(entry, entry.error);',
    replace: '',
    broken: 'a watch ends when it cannot be told a change',
  },
  'told-behind-what-is-missing': {
    file: 'storage/change-listener.ts',
    world: 'encrypted',
    find: '      // Those that are told a later change first would be resumed behind the one that they miss.\n',
    replace: '        hub().publish(changes, revision);\n',
    broken: 'a watch that misses a change is told no later one',
  },
  'watches-survive-an-uncovered-change': {
    file: 'storage/change-listener.ts',
    world: 'encrypted',
    find: 'for (const entry of uncovered) hub().endWatchesOf(entry, uncoveredError(entry, revision));',
    replace: '',
    broken: 'a watch ends when an object is replaced or removed whose state before is not known',
  },
  'ring-lacks-what-cannot-be-read': {
    file: 'storage/change-listener.ts',
    world: 'encrypted',
    find: 'for (const { collection } of [...unreadable, ...uncovered]) recent.forget(collection, revision);',
    replace: '',
    broken: 'recent events that lack a change are no history',
  },
  'not-read-again-with-the-key': {
    file: 'storage/storage.ts',
    world: 'encrypted',
    find: "if (this.#follower.state === 'loading') this.#whyReadAgain = why;\n    else if (this.#view.unreadable > 0)",
    replace:
      "if (this.#follower.state === 'loading') this.#whyReadAgain = why;\n    else if (this.#view.unreadable < 0)",
    broken: 'what could not be read is read again when the configuration has another key',
  },
  'old-form-unnoticed': {
    file: 'storage/encryption/transformer.ts',
    world: 'encrypted',
    find: 'return current.id !== id || ',
    replace: "return current.id === '' || ",
    broken: 'what is stored with the old key is replaced before that is removed',
  },
  'lease-used-too-long': {
    file: `${writes}leases.ts`,
    world: 'expiring',
    find: 'clock.monotonic() + window * 1_000;',
    replace: 'clock.monotonic() + window * 5_000;',
    broken: 'what expires lives as long as it should after its last write',
  },
  'lease-without-its-window': {
    file: `${writes}leases.ts`,
    world: 'expiring',
    find: 'client.grantLease(this.#ttlSeconds + window)',
    replace: 'client.grantLease(this.#ttlSeconds)',
    broken: 'a lease that is shared lasts longer by the time in which it is',
  },
  'never-expires': {
    file: `${writes}guarded-write.ts`,
    world: 'expiring',
    find: 'lease === undefined ? put : { ...put, lease }',
    replace: 'lease === undefined ? put : { ...put }',
    broken: 'what expires goes',
  },
  'ceased-match-not-told': {
    file: 'registry/watch/watch-objects.ts',
    level: 'api',
    find: "return was ? { type: 'DELETED', event: departed(event, previous) } : undefined;",
    replace: "return was && is ? { type: 'DELETED', event: departed(event, previous) } : undefined;",
    broken: 'an object that ceases to match a selector is DELETED for its watchers',
  },
  'ceased-match-with-its-new-state': {
    file: 'registry/watch/watch-objects.ts',
    level: 'api',
    find: 'newEntry(previous.collection, previous.key, previous.bytes, event.revision)',
    replace: 'newEntry(previous.collection, previous.key, event.entry.bytes, event.revision)',
    broken: 'what ceases to match is told with the last state that matched',
  },
  'chunks-of-the-newest-state': {
    file: 'registry/read/resource-version-match.ts',
    level: 'api',
    find: "revision === undefined ? { kind: 'mostRecent' } :",
    replace: "token.after !== '' ? { kind: 'mostRecent' } :",
    broken: 'all chunks of a list are of the version of the first',
  },
  'unknown-outcome-tried-again': {
    file: 'registry/write/contention.ts',
    level: 'api',
    find: ' && !(error instanceof OutcomeUnknown)',
    replace: '',
    broken: 'a write that may have taken effect is not tried again over a newer state',
  },
  ...withControllers,
};
