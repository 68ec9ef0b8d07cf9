/** Calls: logic, which does not need all of its operands, and functions. */
import { EvaluationError } from '../language/errors.ts';
import type { CallExpr, Expr } from '../language/expression.ts';
import { accumulatorName } from '../language/expression.ts';
import type { Overload } from '../language/functions.ts';
import type { CelType } from '../language/types.ts';
import type { CelValue } from '../language/values.ts';
import { isOfType, Opaque, Optional } from '../language/values.ts';
import { areEqual, noSuchOverload, sizeIn } from './equality.ts';
import { GrowingList } from './growing.ts';
import { failing, type Planning, type Step } from './step.ts';
import type { Run } from './run.ts';
import { itemOf, optionalItem } from './select.ts';

/** What a character or item costs where all of them are looked at. */
const traversal = 0.1;

export function planCall(planner: Planning, expr: CallExpr): Step {
  const { name, target } = expr;
  const args = target && !planner.checked.qualified.has(expr.id) ? [target, ...expr.args] : expr.args;
  const appending = name === '_+_' ? planAppend(planner, args) : undefined;
  if (appending) return appending;
  const steps = args.map((arg) => planner.step(arg));
  const [a = nothing, b = nothing, c = nothing] = steps;
  return lazy.get(name)?.(a, b, c) ?? functionCall(expr, planner, { args, steps });
}

/** What does not need all of its operands, or takes operands of any type. */
const lazy: ReadonlyMap<string, (a: Step, b: Step, c: Step) => Step> = new Map([
  ['_&&_', (a: Step, b: Step) => logic(a, b, false)],
  ['_||_', (a: Step, b: Step) => logic(a, b, true)],
  ['_?_:_', conditional],
  ['@not_strictly_false', notStrictlyFalse],
  ['_==_', (a: Step, b: Step) => equality(a, b, true)],
  ['_!=_', (a: Step, b: Step) => equality(a, b, false)],
  ['_[_]', (a: Step, b: Step) => index(a, b, itemOf)],
  ['_[?_]', (a: Step, b: Step) => index(a, b, optionalItem)],
  ['or', (a: Step, b: Step) => alternative(a, b, (found) => found)],
  ['orValue', (a: Step, b: Step) => alternative(a, b, (_found, value) => value)],
]);

const nothing: Step = failing('a call lacks an argument');

/** `absorbing` decides whatever the other operand is, even if that has no value. */
function logic(left: Step, right: Step, absorbing: boolean): Step {
  return (run) => {
    const first = attempt(left, run);
    if (first === absorbing) return absorbing;
    const second = attempt(right, run);
    if (second === absorbing) return absorbing;
    if (first instanceof EvaluationError) throw first;
    if (second instanceof EvaluationError) throw second;
    if (typeof first !== 'boolean' || typeof second !== 'boolean') throw noSuchOverload();
    return !absorbing;
  };
}

function attempt(step: Step, run: Run): CelValue | EvaluationError {
  try {
    return step(run);
  } catch (error) {
    if (error instanceof EvaluationError) return error;
    throw error;
  }
}

function conditional(condition: Step, yes: Step, no: Step): Step {
  return (run) => {
    const value = condition(run);
    if (typeof value !== 'boolean') throw noSuchOverload();
    return value ? yes(run) : no(run);
  };
}

/** A loop goes on unless its condition is false: an error may be absorbed by a later item. */
function notStrictlyFalse(condition: Step): Step {
  return (run) => {
    run.charge(1);
    return attempt(condition, run) !== false;
  };
}

function equality(left: Step, right: Step, isEqual: boolean): Step {
  return (run) => {
    const a = left(run);
    const b = right(run);
    run.charge(a instanceof Opaque ? 1 : Math.ceil(Math.min(sizeIn(run, a), sizeIn(run, b)) * traversal));
    return areEqual(run, a, b) === isEqual;
  };
}

/** The alternative to an optional value is not evaluated when there is one. */
function alternative(
  optional: Step,
  other: Step,
  take: (found: Optional, value: CelValue) => CelValue,
): Step {
  return (run) => {
    const found = optional(run);
    if (!(found instanceof Optional)) throw noSuchOverload();
    if (found.value !== undefined) return take(found, found.value);
    run.charge(1);
    return other(run);
  };
}

/** Also with a number of another type as index, where types decide nothing. */
function index(value: Step, place: Step, get: typeof itemOf): Step {
  return (run) => {
    const found = value(run);
    const at = place(run);
    run.charge(1);
    return get(found, at);
  };
}

/** `accumulator + [item]` of a macro: the list grows in place, or n items would take n² steps. */
function planAppend(planner: Planning, [list, item]: readonly Expr[]): Step | undefined {
  if (list?.kind !== 'ident' || list.name !== accumulatorName) return undefined;
  if (item?.kind !== 'list' || item.items.length !== 1 || item.optional.size > 0) return undefined;
  const slot = planner.slotOf(accumulatorName);
  const [only] = item.items;
  if (slot === undefined || only === undefined) return undefined;
  const step = planner.step(only);
  return (run) => {
    // The name, the list of one item, the sum.
    run.charge(12);
    const value = step(run);
    const growing = run.variables[slot];
    if (!(growing instanceof GrowingList)) throw noSuchOverload();
    growing.push(value);
    return growing;
  };
}

interface Arguments {
  readonly args: readonly Expr[];
  readonly steps: readonly Step[];
}

function functionCall(expr: CallExpr, planner: Planning, { args, steps }: Arguments): Step {
  const overloads = planner.checked.overloads.get(expr.id) ?? [];
  const [only] = overloads;
  if (only === undefined) return failing('no such overload');
  const isKnown =
    overloads.length === 1 && args.every((arg, i) => decides(planner.typeOf(arg), only.parameters[i]));
  const [a = nothing, b = nothing, c = nothing, d = nothing] = steps;
  if (!isKnown) return dispatched(overloads, steps);
  const { implementation, cost } = only;
  if (steps.length === 1)
    return (run) => {
      const first = a(run) as never;
      run.charge(cost(first, first));
      return implementation(run, first, first, first, first);
    };
  if (steps.length === 2)
    return (run) => {
      const first = a(run) as never;
      const second = b(run) as never;
      run.charge(cost(first, second));
      return implementation(run, first, second, second, second);
    };
  if (steps.length > 4) return failing('no such overload');
  const count = steps.length;
  return (run) => {
    const values = [
      count > 0 ? a(run) : null,
      count > 1 ? b(run) : null,
      count > 2 ? c(run) : null,
      count > 3 ? d(run) : null,
    ];
    return applied(only, values, run);
  };
}

/** A value of this type can be of no other one at run time, and the function takes it. */
function decides({ kind }: CelType, parameter: CelType | undefined): boolean {
  if (kind === 'dyn' || kind === 'parameter' || kind === 'error' || parameter === undefined) return false;
  return parameter.kind === kind || parameter.kind === 'parameter' || parameter.kind === 'dyn';
}

function applied({ implementation, cost }: Overload, values: readonly CelValue[], run: Run): CelValue {
  const [a, b, c, d] = values as readonly never[];
  run.charge(cost(a as never, b as never));
  return implementation(run, a as never, b as never, c as never, d as never);
}

/** The values decide which overload it is. */
function dispatched(overloads: readonly Overload[], steps: readonly Step[]): Step {
  return (run) => {
    const values = steps.map((step) => step(run));
    for (const overload of overloads)
      if (overload.parameters.every((type, i) => isOfType(values[i] ?? null, type)))
        return applied(overload, values, run);
    throw noSuchOverload();
  };
}
