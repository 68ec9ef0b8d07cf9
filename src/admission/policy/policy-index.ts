/** Policies and bindings by the resources that their rules name; kept in step with the replica's watch cache. */
import type { Environment } from '../../base/environment.ts';
import { Slice } from '../../base/cooperate.ts';
import { InOrder } from '../../base/in-order.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { atOnce, resultInSlices } from '../../base/sliced-work.ts';
import { followCollection } from '../../storage/follow-collection.ts';
import type { CollectionSnapshot, Entry, Storage, StoredEvent } from '../../storage/types.ts';
import { sizeOf } from '../../storage/size.ts';
import type { StatusError } from '../../meta/status.ts';
import { misshapenProblem, unreadableProblem } from '../unreadable-problem.ts';
import { resourceWords } from '../webhook/resource-words.ts';
import type { Binding, Policy } from './policy.ts';

const all = '*';

/** Policies that judge writes, or such that change them. */
export type PolicyPrefix = 'validating' | 'mutating';

/** The collections that are followed. */
export function policyCollections(
  group: string,
  prefix: PolicyPrefix,
): readonly [policies: string, bindings: string] {
  return [`${group}/${prefix}admissionpolicies`, `${group}/${prefix}admissionpolicybindings`];
}

/** From so many words on, an object is asked for each: to list it by them all would take tens of milliseconds. */
const manyWords = 1_000;

interface Listing<T> {
  readonly value: T;
  readonly words: ReadonlySet<string>;
}

/** Objects by their keys, listed by words that each of them has. */
class Listed<T> {
  private readonly byKey = new Map<string, Listing<T>>();
  private readonly byWord = new Map<string, Map<string, T>>();
  /** Those with many words. */
  private readonly wordy = new Map<string, Listing<T>>();

  get size(): number {
    return this.byKey.size;
  }

  keys(): string[] {
    return [...this.byKey.keys()];
  }

  put(key: string, value: T, words: ReadonlySet<string>): void {
    this.remove(key);
    const listing = { value, words };
    this.byKey.set(key, listing);
    if (words.size >= manyWords) {
      this.wordy.set(key, listing);
      return;
    }
    for (const word of words) {
      const list = this.byWord.get(word);
      if (list) list.set(key, value);
      else this.byWord.set(word, new Map([[key, value]]));
    }
  }

  remove(key: string): void {
    const listing = this.byKey.get(key);
    if (listing === undefined) return;
    this.byKey.delete(key);
    if (this.wordy.delete(key)) return;
    for (const word of listing.words) {
      const list = this.byWord.get(word);
      list?.delete(key);
      if (list?.size === 0) this.byWord.delete(word);
    }
  }

  *having(word: string): Iterable<T> {
    yield* this.byWord.get(word)?.values() ?? [];
    for (const { value, words } of this.wordy.values()) if (words.has(word)) yield value;
  }
}

/** Reads what is stored, in steps. */
export interface PolicyReaders<P, B> {
  readonly policy: (entry: Entry) => Generator<void, P, void>;
  readonly binding: (entry: Entry) => Generator<void, B, void>;
}

export class PolicyIndex<P extends Policy, B extends Binding> {
  private readonly policies = new Listed<P>();
  private readonly sorted = new Map<string, readonly P[]>();
  /** By the name of their policy. */
  private readonly sortedBindings = new Map<string, readonly B[]>();
  private readonly bindings = new Listed<B>();
  private readonly read: PolicyReaders<P, B>;

  constructor(read: PolicyReaders<P, B>) {
    this.read = read;
  }

  get isEmpty(): boolean {
    return this.policies.size === 0 || this.bindings.size === 0;
  }

  /** The policies some rule of which names the resource, by name; sorted once for each change of a policy. */
  policiesFor(plural: string): readonly P[] {
    const known = this.sorted.get(plural);
    if (known) return known;
    const found = new Set([...this.policies.having(plural), ...this.policies.having(all)]);
    const policies = [...found].sort((a, b) => (a.name < b.name ? -1 : 1));
    // Requests may name as many resources as there are definitions.
    if (policies.length > 0) this.sorted.set(plural, policies);
    return policies;
  }

  /** Of a policy, by name; sorted once for each change of a binding. */
  bindingsOf(policy: P): readonly B[] {
    const known = this.sortedBindings.get(policy.name);
    if (known) return known;
    const bindings = [...this.bindings.having(policy.name)].sort((a, b) => (a.name < b.name ? -1 : 1));
    this.sortedBindings.set(policy.name, bindings);
    return bindings;
  }

  /** Takes it in at the last step. */
  *putPolicy(entry: Entry): Generator<void, void, void> {
    const policy = yield* this.read.policy(entry);
    const words = yield* resourceWords(policy.matcher.rules);
    this.forgetPolicies();
    this.policies.put(entry.key, policy, words);
  }

  private forgetPolicies(): void {
    this.sorted.clear();
    this.sortedBindings.clear();
  }

  /** Takes it in at the last step. */
  *putBinding(entry: Entry): Generator<void, void, void> {
    const binding = yield* this.read.binding(entry);
    this.sortedBindings.clear();
    this.bindings.put(entry.key, binding, new Set([binding.policyName]));
  }

  removePolicy(key: string): void {
    this.forgetPolicies();
    this.policies.remove(key);
  }

  removeBinding(key: string): void {
    this.sortedBindings.clear();
    this.bindings.remove(key);
  }

  policyKeys(): string[] {
    return this.policies.keys();
  }

  bindingKeys(): string[] {
    return this.bindings.keys();
  }
}

interface Followed {
  keys(): string[];
  put(entry: Entry): Generator<void, void, void>;
  remove(key: string): void;
}

export interface PolicyInformer<P extends Policy, B extends Binding> {
  readonly index: PolicyIndex<P, B>;
  /** Whether the index holds the state of both collections. */
  isLoaded(): boolean;
  /** Why it does not yet: an object that cannot be read. Those that were known before it was damaged stay in force. */
  problem(): StatusError | undefined;
  /** Resolves when it does for the first time. */
  readonly loaded: Promise<unknown>;
  /** Ends the watches. */
  close(): void;
}

/** Starts to follow; the caller closes it. */
export function startPolicyInformer<P extends Policy, B extends Binding>(
  parts: Environment & { readonly storage: Pick<Storage, 'watch'> },
  [policies, bindings]: readonly [policies: string, bindings: string],
  index: PolicyIndex<P, B>,
): PolicyInformer<P, B> {
  const stopping = new AbortController();
  const problems = new Map<string, StatusError>();
  const following = { parts, problems, signal: stopping.signal };
  let isLoaded = false;
  const loaded = Promise.all([
    follow(following, policies, {
      keys: () => index.policyKeys(),
      put: (entry) => index.putPolicy(entry),
      remove: (key) => {
        index.removePolicy(key);
      },
    }),
    follow(following, bindings, {
      keys: () => index.bindingKeys(),
      put: (entry) => index.putBinding(entry),
      remove: (key) => {
        index.removeBinding(key);
      },
    }),
  ]).then(() => {
    isLoaded = true;
  });
  return {
    ...{ index, loaded },
    isLoaded: () => isLoaded,
    problem: () => problems.values().next().value,
    close: () => {
      stopping.abort();
    },
  };
}

interface Following {
  readonly parts: Environment & { readonly storage: Pick<Storage, 'watch'> };
  /** By collection. */
  readonly problems: Map<string, StatusError>;
  readonly signal: AbortSignal;
}

/** Resolves when all of a collection was taken for the first time. */
function follow(
  { parts, problems, signal }: Following,
  collection: string,
  followed: Followed,
): Promise<undefined> {
  const first = Promise.withResolvers<undefined>();
  const work = new InOrder();
  followCollection(
    parts,
    collection,
    {
      onState: async (snapshot) => {
        const unreadable = unreadableProblem(snapshot);
        let problem = unreadable;
        await work.run(async () => {
          const misshapen = await takeState(followed, snapshot, unreadable === undefined);
          problem ??= misshapen;
        });
        // A change ends the watch, and another state comes.
        if (problem) {
          problems.set(collection, problem);
          return;
        }
        problems.delete(collection);
        first.resolve(undefined);
      },
      onEvents: (events) =>
        problems.has(collection)
          ? Promise.reject(new Error('the state is taken again'))
          : work.run(() => takeEvents(followed, events)),
    },
    signal,
  );
  return first.promise;
}

/** Larger ones are read in slices. */
const shortBytes = 16 * 1024;

/** What is short is in force when this returns. */
function put(followed: Followed, entry: Entry): MaybePromise<void> {
  if (sizeOf(entry) > shortBytes) return resultInSlices(followed.put(entry));
  atOnce(followed.put(entry));
}

function takeEvents(followed: Followed, events: readonly StoredEvent[]): MaybePromise<void> {
  for (const [i, { type, entry, key }] of events.entries()) {
    if (type === 'delete') {
      followed.remove(key);
      continue;
    }
    const pause = put(followed, entry);
    if (pause) return pause.then(() => takeEvents(followed, events.slice(i + 1)));
  }
}

/**
 * What is gone is removed last: no policy is missing while another state is taken. Returns what is the matter with one that
 * is not as its type; the others are taken.
 * @param isWhole what is not in it is gone
 */
async function takeState(
  followed: Followed,
  snapshot: CollectionSnapshot,
  isWhole: boolean,
): Promise<StatusError | undefined> {
  const slice = new Slice();
  const gone = new Set(followed.keys());
  let problem: StatusError | undefined = undefined;
  for (const entry of snapshot.entries('', '')) {
    gone.delete(entry.key);
    try {
      await put(followed, entry);
    } catch (error) {
      problem ??= misshapenProblem(entry, error);
    }
    await slice.breathe();
  }
  if (isWhole) for (const key of gone) followed.remove(key);
  return problem;
}

/** No write passes before the policies are known. @throws StatusError if one cannot be read, the reason of the signal */
export async function policiesLoaded(
  { loaded, problem }: Pick<PolicyInformer<Policy, Binding>, 'loaded' | 'problem'>,
  signal: AbortSignal,
): Promise<void> {
  const known = problem();
  if (known) throw known;
  const over = Promise.withResolvers<never>();
  const onAbort = (): void => {
    over.reject(signal.reason as Error);
  };
  signal.throwIfAborted();
  signal.addEventListener('abort', onAbort);
  try {
    await Promise.race([loaded, over.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
