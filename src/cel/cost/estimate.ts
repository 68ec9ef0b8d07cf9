/**
 * What an expression may cost at least and at most, before it ever runs: from the bounds that a schema sets to texts,
 * lists and maps. The rules are those of the reference implementation.
 */
import type { Checked } from '../check/checker.ts';
import type { CallExpr, Expr, FoldExpr, SelectExpr } from '../language/expression.ts';
import { accumulatorName } from '../language/expression.ts';
import { insideOptional, type CelType } from '../language/types.ts';
import type { Bounds } from './bounds.ts';
import { either, exactly, nothing, plus, times, unknown } from './bounds.ts';
import { eitherCall, estimateCall, type CallEstimate } from './call-estimates.ts';

/** Gives how much the value at a path may hold: `self`, then fields, `@items`, `@keys`, `@values`; undefined if unknown. */
export type SizeOfPath = (path: readonly string[]) => number | undefined;

interface EntrySizes {
  readonly isList: boolean;
  readonly key: Bounds;
  readonly value: Bounds;
}

interface Local {
  readonly path: readonly string[];
  readonly size: Bounds | undefined;
  readonly entries: EntrySizes | undefined;
}

const costOfName = exactly(1);
const scalarKinds: ReadonlySet<CelType['kind']> = new Set([
  'bool',
  'double',
  'duration',
  'int',
  'timestamp',
  'uint',
]);

/** The bounds of what one evaluation costs. */
export function estimateCost(checked: Checked, sizeOfPath: SizeOfPath): Bounds {
  return new Estimator(checked, sizeOfPath).cost(checked.expr);
}

class Estimator {
  private readonly checked: Checked;
  private readonly sizeOfPath: SizeOfPath;
  private readonly paths = new Map<number, readonly string[]>();
  private readonly sizes = new Map<number, Bounds>();
  private readonly entrySizes = new Map<number, EntrySizes>();
  private readonly locals: (readonly [string, Local])[] = [];

  constructor(checked: Checked, sizeOfPath: SizeOfPath) {
    this.checked = checked;
    this.sizeOfPath = sizeOfPath;
  }

  cost(expr: Expr): Bounds {
    switch (expr.kind) {
      case 'literal':
        return nothing;
      case 'ident':
        this.paths.set(expr.id, this.local(expr.name)?.path ?? [expr.name]);
        return costOfName;
      case 'select':
        return this.select(expr);
      case 'call':
        return this.call(expr);
      case 'list':
        return this.collection(expr, [], expr.items);
      case 'map':
        return this.collection(
          expr,
          expr.entries.map(({ key }) => key),
          expr.entries.map(({ value }) => value),
        );
      case 'struct':
        return plus(exactly(40), ...expr.entries.map(({ value }) => this.cost(value)));
      case 'fold':
        return isBinding(expr) ? this.binding(expr) : this.fold(expr);
    }
  }

  private local(name: string): Local | undefined {
    return this.locals.findLast(([variable]) => variable === name)?.[1];
  }

  private typeOf({ id }: Expr): CelType {
    return this.checked.types.get(id) ?? { kind: 'dyn' };
  }

  private select(expr: SelectExpr): Bounds {
    const operand = this.cost(expr.operand);
    if (expr.isTest) return operand;
    this.paths.set(expr.id, [...this.pathOf(expr.operand), expr.field]);
    const { kind } = this.typeOf(expr.operand);
    return kind === 'map' || kind === 'object' || kind === 'parameter' ? plus(operand, costOfName) : operand;
  }

  private pathOf(expr: Expr): readonly string[] {
    if (expr.kind === 'ident') {
      const local = this.local(expr.name);
      if (local) return local.path;
    }
    return this.paths.get(expr.id) ?? [];
  }

  private call(expr: CallExpr): Bounds {
    const { name, target } = expr;
    const args = target && !this.checked.qualified.has(expr.id) ? [target, ...expr.args] : expr.args;
    const costs = args.map((arg) => this.cost(arg));
    if (name === 'dyn') {
      const [arg] = args;
      if (arg) this.copySizes(expr, arg);
      return plus(exactly(1), ...costs);
    }
    if (name === '_&&_' || name === '_||_') {
      const [left = nothing, right = nothing] = costs;
      return { min: left.min, max: left.max + right.max };
    }
    if (name === '_?_:_') return this.conditional(expr, costs);
    return plus(...costs, this.overloads(expr, args));
  }

  private conditional(
    expr: CallExpr,
    [condition = nothing, yes = nothing, no = nothing]: readonly Bounds[],
  ): Bounds {
    const [, first, second] = expr.args;
    if (first && second) {
      this.sizes.set(expr.id, either(this.sizeOr(first), this.sizeOr(second)));
      this.setEntries(expr, eitherEntries(this.entriesOf(first), this.entriesOf(second)));
    }
    return plus(condition, either(yes, no));
  }

  private overloads(expr: CallExpr, args: readonly Expr[]): Bounds {
    const [first, second] = args;
    let estimate: CallEstimate | undefined;
    for (const { id } of this.checked.overloads.get(expr.id) ?? []) {
      const itemSize = (): Bounds | undefined => (first ? this.textItemsOf(first) : undefined);
      estimate = eitherCall(
        estimate,
        estimateCall({ id, sizes: args.map((arg) => this.sizeOr(arg)), args, itemSize }),
      );
      if (first && (id === 'index_list' || id === 'index_map')) {
        estimate = { ...estimate, size: this.entriesOf(first)?.value };
        this.paths.set(expr.id, [...this.pathOf(first), id === 'index_list' ? '@items' : '@values']);
      }
      if (id === 'add_list' && first && second)
        this.setEntries(expr, eitherEntries(this.entriesOf(first), this.entriesOf(second)));
    }
    const size = estimate?.size ?? this.sizeOf(expr);
    if (size) this.sizes.set(expr.id, size);
    return estimate?.cost ?? nothing;
  }

  /** How large the texts in a list may be; undefined if it holds others. */
  private textItemsOf(list: Expr): Bounds | undefined {
    const type = this.typeOf(list);
    if (type.kind !== 'list' || (type.item.kind !== 'string' && type.item.kind !== 'bytes')) return undefined;
    const path = this.pathOf(list);
    const most = path.length === 0 ? undefined : this.sizeOfPath([...path, '@items']);
    return most === undefined ? unknown : { min: 0, max: most };
  }

  private collection(expr: Expr, keys: readonly Expr[], values: readonly Expr[]): Bounds {
    const isList = expr.kind === 'list';
    const costs = [...keys, ...values].map((part) => this.cost(part));
    const sizes = (parts: readonly Expr[]): Bounds =>
      parts
        .map((part) => this.sizeOr(part))
        .reduce(either, parts.length === 0 ? nothing : { min: Number.POSITIVE_INFINITY, max: 0 });
    this.entrySizes.set(expr.id, { isList, key: isList ? exactly(1) : sizes(keys), value: sizes(values) });
    return plus(exactly(isList ? 10 : 30), ...costs);
  }

  private binding(expr: FoldExpr): Bounds {
    const before = plus(this.cost(expr.range), this.cost(expr.init));
    this.locals.push([expr.accumulator, this.localOf(expr.init)]);
    const cost = plus(before, this.cost(expr.result));
    this.locals.pop();
    this.copySizes(expr, expr.result);
    return cost;
  }

  private localOf(expr: Expr): Local {
    return { path: this.pathOf(expr), size: this.sizeOf(expr), entries: this.entriesOf(expr) };
  }

  private fold(expr: FoldExpr): Bounds {
    const { range, init, accumulator } = expr;
    const before = plus(this.cost(range), this.cost(init));
    const depth = this.locals.length;
    this.locals.push([
      accumulator,
      { ...this.localOf(init), path: accumulator === accumulatorName ? [] : this.pathOf(init) },
    ]);
    this.pushVariables(expr);
    const once = plus(this.cost(expr.condition), this.cost(expr.step));
    this.locals.length = depth + 1;
    const result = this.cost(expr.result);
    this.locals.length = depth;
    const count = this.sizeOr(range);
    this.setFoldSizes(expr, count);
    return plus(before, result, times(count, once));
  }

  private setFoldSizes(expr: FoldExpr, count: Bounds): void {
    const { init, step } = expr;
    if (init.kind === 'literal') {
      const size = this.sizeOf(init);
      if (size) this.sizes.set(expr.id, size);
    } else if (init.kind === 'list' || init.kind === 'map') {
      this.sizes.set(expr.id, count);
      this.setEntries(expr, this.entriesOf(step));
    }
  }

  private pushVariables({ range, variable, second }: FoldExpr): void {
    const entries = this.entriesOf(range);
    const isList = entries?.isList ?? this.typeOf(range).kind === 'list';
    const path = this.pathOf(range);
    const local = (part: string, size: Bounds | undefined): Local => ({
      // Also without a path: then the size is that of the whole value, as in the reference.
      path: [...path, part],
      size,
      entries: undefined,
    });
    const value = local(isList ? '@items' : '@values', entries?.value);
    const key = local(isList ? '@indices' : '@keys', entries?.key);
    if (second === undefined) this.locals.push([variable, isList ? value : key]);
    else this.locals.push([variable, key], [second, value]);
  }

  private copySizes(to: Expr, from: Expr): void {
    const size = this.sizeOf(from);
    if (size) this.sizes.set(to.id, size);
    this.setEntries(to, this.entriesOf(from));
  }

  private sizeOr(expr: Expr): Bounds {
    return this.sizeOf(expr) ?? unknown;
  }

  private sizeOf(expr: Expr): Bounds | undefined {
    const known = this.sizes.get(expr.id) ?? sizeOfLiteral(expr);
    if (known) return known;
    const path = this.pathOf(expr);
    const most = path.length === 0 ? undefined : this.sizeOfPath(path);
    if (most !== undefined) return { min: 0, max: most };
    if (isScalar(this.typeOf(expr))) return exactly(1);
    return expr.kind === 'ident' ? this.local(expr.name)?.size : undefined;
  }

  private entriesOf(expr: Expr): EntrySizes | undefined {
    return (
      this.entrySizes.get(expr.id) ?? (expr.kind === 'ident' ? this.local(expr.name)?.entries : undefined)
    );
  }

  private setEntries(expr: Expr, entries: EntrySizes | undefined): void {
    if (entries) this.entrySizes.set(expr.id, entries);
  }
}

function eitherEntries(a: EntrySizes | undefined, b: EntrySizes | undefined): EntrySizes | undefined {
  return a && b
    ? { isList: a.isList, key: either(a.key, b.key), value: either(a.value, b.value) }
    : undefined;
}

function isBinding({ range, condition, accumulator }: FoldExpr): boolean {
  return (
    range.kind === 'list' &&
    range.items.length === 0 &&
    condition.kind === 'literal' &&
    condition.value === false &&
    accumulator !== accumulatorName
  );
}

function sizeOfLiteral(expr: Expr): Bounds | undefined {
  if (expr.kind === 'list') return exactly(expr.items.length);
  if (expr.kind === 'map') return exactly(expr.entries.length);
  if (expr.kind !== 'literal') return undefined;
  const { value } = expr;
  if (typeof value === 'string') return exactly(Array.from(value).length);
  return exactly(value instanceof Uint8Array ? value.length : 1);
}

function isScalar(type: CelType): boolean {
  const inside = insideOptional(type);
  return inside ? isScalar(inside) : scalarKinds.has(type.kind);
}
