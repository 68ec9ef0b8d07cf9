/**
 * Decides whether a history of concurrent operations is linearizable: whether the operations can be put in one order
 * that respects real time and that a sequential model accepts. The search of Wing and Gong with Lowe's memory of
 * configurations; operations without a known outcome are taken into the order or left out.
 */

/** One operation as its client saw it. Times are points of one clock, no two alike. */
export interface Operation<O> {
  readonly call: number;
  /** undefined: it is not known whether it took effect, or when. */
  readonly end: number | undefined;
  readonly what: O;
}

/** A sequential specification. */
export interface Model<S, O> {
  readonly initial: S;
  /** The state after the operation; undefined when it cannot happen in this state with that outcome. */
  readonly step: (state: S, what: O) => { readonly next: S } | undefined;
  /** Equal for equal states. */
  readonly keyOf: (state: S) => string;
}

/** How far an order has come: all definite operations before `first` and those in `ahead`, some of unknown outcome. */
interface Configuration<S> {
  readonly first: number;
  readonly ahead: ReadonlySet<number>;
  readonly used: ReadonlySet<number>;
  readonly state: S;
}

/** True when there is an order. */
export function isLinearizable<S, O>(history: readonly Operation<O>[], model: Model<S, O>): boolean {
  const definite = history.filter(({ end }) => end !== undefined).toSorted((a, b) => a.call - b.call);
  const optional = history.filter(({ end }) => end === undefined);
  const start: Configuration<S> = { first: 0, ahead: new Set(), used: new Set(), state: model.initial };
  const open = [start];
  const seen = new Set<string>();
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (at.first === definite.length) return true;
    const name = nameOf(at, model);
    if (seen.has(name)) continue;
    seen.add(name);
    open.push(...successors(at, { definite, optional, model }));
  }
  return false;
}

interface Search<S, O> {
  readonly definite: readonly Operation<O>[];
  readonly optional: readonly Operation<O>[];
  readonly model: Model<S, O>;
}

/**
 * Configurations one operation further; the most promising last. An operation that may come next and leaves the state as
 * it is (a read, a refusal) comes at once: wherever else an order has it, it may as well come here.
 */
function successors<S, O>(at: Configuration<S>, search: Search<S, O>): Configuration<S>[] {
  const { definite, optional, model } = search;
  const { candidates, bound } = nextOf(at, definite);
  const found: Configuration<S>[] = [];
  for (const [index, { call, what }] of optional.entries()) {
    const result = call < bound && !at.used.has(index) ? model.step(at.state, what) : undefined;
    if (result) found.push({ ...at, used: new Set(at.used).add(index), state: result.next });
  }
  for (const index of candidates) {
    const what = definite[index]?.what;
    const result = what === undefined ? undefined : model.step(at.state, what);
    if (!result) continue;
    const further = { ...at, ...advanced(at, index), state: result.next };
    if (model.keyOf(result.next) === model.keyOf(at.state)) return [further];
    found.push(further);
  }
  return found;
}

/** Operations that may come next: none that began after another, still outstanding, had ended. */
function nextOf<S, O>(
  at: Configuration<S>,
  definite: readonly Operation<O>[],
): { readonly candidates: number[]; readonly bound: number } {
  let bound = Infinity;
  const outstanding: number[] = [];
  for (let index = at.first; index < definite.length; index += 1) {
    const operation = definite[index];
    if (operation === undefined || operation.call > bound) break;
    if (at.ahead.has(index)) continue;
    outstanding.push(index);
    bound = Math.min(bound, operation.end ?? Infinity);
  }
  const endOf = (index: number): number => definite[index]?.end ?? Infinity;
  return { candidates: outstanding.sort((a, b) => endOf(b) - endOf(a)), bound };
}

function advanced<S>(at: Configuration<S>, index: number): Pick<Configuration<S>, 'first' | 'ahead'> {
  const ahead = new Set(at.ahead).add(index);
  let { first } = at;
  while (ahead.delete(first)) first += 1;
  return { first, ahead };
}

function nameOf<S, O>({ first, ahead, used, state }: Configuration<S>, model: Model<S, O>): string {
  const list = (set: ReadonlySet<number>): string => [...set].sort((a, b) => a - b).join(',');
  return `${String(first)}|${list(ahead)}|${list(used)}|${model.keyOf(state)}`;
}

/** What may be done with one object; every value is written once. Failed operations found the state as they say. */
export type ObjectOperation =
  | { readonly kind: 'read'; readonly value: string | undefined }
  | { readonly kind: 'create'; readonly value: string; readonly isDone: boolean }
  | { readonly kind: 'write'; readonly value: string }
  /** A write under the condition that the value is still `from`. */
  | { readonly kind: 'swap'; readonly from: string; readonly value: string; readonly isDone: boolean }
  | { readonly kind: 'delete' };

/** An object that is absent at first. */
export const objectModel: Model<string | undefined, ObjectOperation> = {
  initial: undefined,
  keyOf: (state) => state ?? '-',
  step: (state, what) => {
    switch (what.kind) {
      case 'read':
        return state === what.value ? { next: state } : undefined;
      case 'create':
        if ((state === undefined) !== what.isDone) return undefined;
        return { next: what.isDone ? what.value : state };
      case 'write':
        return state === undefined ? undefined : { next: what.value };
      case 'swap':
        if ((state === what.from) !== what.isDone) return undefined;
        return { next: what.isDone ? what.value : state };
      case 'delete':
        return state === undefined ? undefined : { next: undefined };
    }
  },
};

/**
 * Leaves out writes of unknown outcome whose value nobody ever saw: they may as well not have happened. A refused swap
 * that one of them may have founded goes, too.
 */
export function withoutUnseen(history: readonly Operation<ObjectOperation>[]): Operation<ObjectOperation>[] {
  const seen = new Set<string | undefined>();
  for (const { what } of history) {
    if (what.kind === 'read') seen.add(what.value);
    if (what.kind === 'swap') seen.add(what.from);
  }
  const isUnseen = ({ end, what }: Operation<ObjectOperation>): boolean =>
    end === undefined && (what.kind === 'write' || what.kind === 'swap') && !seen.has(what.value);
  const firstUnseen = Math.min(...history.filter(isUnseen).map(({ call }) => call));
  const mayBeFounded = ({ end, what }: Operation<ObjectOperation>): boolean =>
    what.kind === 'swap' && !what.isDone && end !== undefined && firstUnseen < end;
  return history.filter((operation) => !isUnseen(operation) && !mayBeFounded(operation));
}
