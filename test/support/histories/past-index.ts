/** One past of etcd, indexed for questions of validators: states at a revision, changes between two, what a watch must tell. */
import type { Change, CollectionId, Filter, Past, Revision, State, StoredState } from './types.ts';

/** One change of an object, with what was before. */
export interface Step {
  readonly revision: Revision;
  readonly key: string;
  readonly put: StoredState | undefined;
  /** undefined: the object did not exist. */
  readonly previous: StoredState | undefined;
  /** The revision of `previous`; 0 if the object did not exist. */
  readonly previousRevision: Revision;
}

/** An event that a watch with a filter must tell. */
export interface Expected {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly key: string;
  readonly version: Revision;
  /** The new state, for DELETED the last one that matched. */
  readonly state: StoredState;
}

export function isBelow({ prefix, exactKey }: Filter, key: string): boolean {
  return exactKey === true ? key === prefix : key.startsWith(prefix);
}

export function hasLabels({ labels }: Filter, state: StoredState): boolean {
  return Object.entries(labels ?? {}).every(([name, value]) => state.labels?.[name] === value);
}

/** All steps of one collection. */
class CollectionIndex {
  readonly steps: Step[] = [];
  readonly byKey = new Map<string, Step[]>();
  /** By key and value: the commits by which the value came. */
  readonly arrivals = new Map<string, Step[]>();

  add(revision: Revision, { key, put }: Change): void {
    const own = this.byKey.get(key) ?? [];
    const last = own.at(-1);
    const step = {
      revision,
      key,
      put,
      previous: last?.put,
      previousRevision: last?.put === undefined ? 0 : last.revision,
    };
    own.push(step);
    this.byKey.set(key, own);
    this.steps.push(step);
    if (put === undefined || put.value === '' || put.value === step.previous?.value) return;
    const name = arrivalName(key, put.value);
    this.arrivals.set(name, [...(this.arrivals.get(name) ?? []), step]);
  }
}

function arrivalName(key: string, value: string): string {
  return JSON.stringify([key, value]);
}

export class PastIndex {
  readonly past: Past;
  readonly #collections = new Map<CollectionId, CollectionIndex>();
  readonly #expected = new Map<string, readonly Expected[]>();

  constructor(past: Past) {
    this.past = past;
    for (const { revision, changes } of past.commits) {
      for (const change of changes) this.#of(change.collection).add(revision, change);
    }
  }

  collections(): CollectionId[] {
    return [...this.#collections.keys()];
  }

  /** All steps of a collection, in order. */
  steps(collection: CollectionId): readonly Step[] {
    return this.#of(collection).steps;
  }

  stepsOf(collection: CollectionId, key: string): readonly Step[] {
    return this.#of(collection).byKey.get(key) ?? [];
  }

  /** The last step of an object at or before a revision. */
  stepAt(collection: CollectionId, key: string, revision: Revision): Step | undefined {
    return this.stepsOf(collection, key)[this.stepsUpTo(collection, key, revision) - 1];
  }

  /** How many steps an object has at or before a revision. */
  stepsUpTo(collection: CollectionId, key: string, revision: Revision): number {
    return countUpTo(this.stepsOf(collection, key), revision);
  }

  /** The commits by which a value came to an object: not those that only changed something beside it. */
  arrivals(collection: CollectionId, key: string, value: string): readonly Step[] {
    return this.#of(collection).arrivals.get(arrivalName(key, value)) ?? [];
  }

  /** All objects and values that a collection ever had, but the empty value. */
  values(collection: CollectionId): { readonly key: string; readonly value: string }[] {
    return [...this.#of(collection).arrivals.values()].flatMap(([step]) =>
      step?.put === undefined ? [] : [{ key: step.key, value: step.put.value }],
    );
  }

  /** Whether an object was exactly in this state. */
  had(collection: CollectionId, { key, version, value }: State): boolean {
    const step = this.stepAt(collection, key, version);
    return step?.revision === version && step.put?.value === value;
  }

  /** The objects that a filter selects at a revision, in the order of their keys. */
  stateAt(collection: CollectionId, filter: Filter, revision: Revision): State[] {
    const found: State[] = [];
    for (const key of this.#of(collection).byKey.keys()) {
      const step = isBelow(filter, key) ? this.stepAt(collection, key, revision) : undefined;
      if (step?.put && hasLabels(filter, step.put)) found.push({ ...step.put, key, version: step.revision });
    }
    return found.sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** The first revision after this one with a change below the filter's prefix; Infinity if there is none. */
  nextChange(collection: CollectionId, filter: Filter, after: Revision): Revision {
    const { steps } = this.#of(collection);
    for (let i = countUpTo(steps, after); i < steps.length; i += 1) {
      const step = steps[i];
      if (step && isBelow(filter, step.key)) return step.revision;
    }
    return Infinity;
  }

  /** What a watch with this filter must tell of the changes in (after, upTo], in order. */
  expected(collection: CollectionId, filter: Filter, after: Revision, upTo: Revision): readonly Expected[] {
    const all = this.#allExpected(collection, filter);
    const version = (event: Expected): Revision => event.version;
    return all.slice(countUpTo(all, after, version), countUpTo(all, upTo, version));
  }

  #allExpected(collection: CollectionId, filter: Filter): readonly Expected[] {
    const name = JSON.stringify([collection, filter]);
    let all = this.#expected.get(name);
    if (all === undefined) {
      all = this.steps(collection)
        .filter(({ key }) => isBelow(filter, key))
        .flatMap((step) => expectedOf(step, filter) ?? []);
      this.#expected.set(name, all);
    }
    return all;
  }

  #of(collection: CollectionId): CollectionIndex {
    let index = this.#collections.get(collection);
    if (index === undefined) {
      index = new CollectionIndex();
      this.#collections.set(collection, index);
    }
    return index;
  }
}

function expectedOf({ key, revision, put, previous }: Step, filter: Filter): Expected | undefined {
  const was = previous !== undefined && hasLabels(filter, previous);
  if (put !== undefined && hasLabels(filter, put)) {
    return { type: was ? 'MODIFIED' : 'ADDED', key, version: revision, state: put };
  }
  return was ? { type: 'DELETED', key, version: revision, state: previous } : undefined;
}

/** How many of what is sorted by revision are at or before one. */
function countUpTo<T>(
  sorted: readonly T[],
  revision: Revision,
  revisionOf: (one: T) => Revision = (one) => (one as Step).revision,
): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const one = sorted[middle];
    if (one !== undefined && revisionOf(one) <= revision) low = middle + 1;
    else high = middle;
  }
  return low;
}
