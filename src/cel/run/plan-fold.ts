/** Macros over a range. */
import { EvaluationError } from '../language/errors.ts';
import type { Expr, FoldExpr } from '../language/expression.ts';
import { accumulatorName } from '../language/expression.ts';
import { CelList, CelMap } from '../language/values.ts';
import { noSuchOverload, sizeIn } from './equality.ts';
import { GrowingList, GrowingMap } from './growing.ts';
import type { Planning, Step } from './step.ts';
import type { Run } from './run.ts';

const costOfList = 10;
const costOfMap = 30;

interface Loop {
  readonly condition: Step;
  readonly step: Step;
  readonly slot: number;
  readonly first: number;
  readonly second: number;
  readonly hasTwo: boolean;
  /** An item without a value does not end the loop: a later one may decide. */
  readonly absorbs: boolean;
}

export function planFold(planner: Planning, expr: FoldExpr): Step {
  const range = planner.step(expr.range);
  const init = planInit(planner, expr);
  const [slot, first, second] = [planner.newSlot(), planner.newSlot(), planner.newSlot()];
  const depth = planner.scopes.length;
  planner.scopes.push([expr.accumulator, slot], [expr.variable, first]);
  if (expr.second !== undefined) planner.scopes.push([expr.second, second]);
  const condition = planner.step(expr.condition);
  const step = planner.step(expr.step);
  planner.scopes.length = depth;
  planner.scopes.push([expr.accumulator, slot]);
  const result = planner.step(expr.result);
  planner.scopes.length = depth;
  const loop: Loop = {
    condition,
    step,
    slot,
    first,
    second,
    hasTwo: expr.second !== undefined,
    absorbs: expr.condition.kind !== 'literal',
  };
  return (run) => {
    const values = range(run);
    run.variables[slot] = init(run);
    if (values instanceof CelList) overList(run, values, loop);
    else if (values instanceof CelMap) overMap(run, values, loop);
    else throw noSuchOverload();
    return result(run);
  };
}

function planInit(planner: Planning, { init, accumulator }: FoldExpr): Step {
  if (accumulator !== accumulatorName || !isEmpty(init)) return planner.step(init);
  const isList = init.kind === 'list';
  return (run) => {
    run.charge(isList ? costOfList : costOfMap);
    return isList ? new GrowingList() : new GrowingMap();
  };
}

function isEmpty(expr: Expr): boolean {
  return (
    (expr.kind === 'list' && expr.items.length === 0) || (expr.kind === 'map' && expr.entries.length === 0)
  );
}

function overList(run: Run, list: CelList, loop: Loop): void {
  for (let i = 0; i < list.size; i += 1) {
    run.variables[loop.first] = loop.hasTwo ? BigInt(i) : list.at(i);
    if (loop.hasTwo) run.variables[loop.second] = list.at(i);
    if (!once(run, loop)) return;
  }
}

function overMap(run: Run, map: CelMap, loop: Loop): void {
  sizeIn(run, map);
  for (const key of map.keys()) {
    run.variables[loop.first] = key;
    if (loop.hasTwo) run.variables[loop.second] = map.get(key);
    if (!once(run, loop)) return;
  }
}

/** False when the loop ends. */
function once(run: Run, { condition, step, slot, absorbs }: Loop): boolean {
  run.work(1);
  if (condition(run) === false) return false;
  try {
    run.variables[slot] = step(run);
  } catch (error) {
    if (!absorbs || !(error instanceof EvaluationError)) throw error;
    run.variables[slot] = error;
  }
  return true;
}
