/** The tree of an expression, after macros were expanded. */
import type { CelValue } from './values.ts';

interface Node {
  /** Unique in its expression. */
  readonly id: number;
  /** Offset in the text, for messages. */
  readonly at: number;
}

export interface LiteralExpr extends Node {
  readonly kind: 'literal';
  readonly value: CelValue;
}

export interface IdentExpr extends Node {
  readonly kind: 'ident';
  readonly name: string;
}

export interface SelectExpr extends Node {
  readonly kind: 'select';
  readonly operand: Expr;
  readonly field: string;
  /** Of `has()`: whether the field is there. */
  readonly isTest: boolean;
}

export interface CallExpr extends Node {
  readonly kind: 'call';
  readonly name: string;
  /** Of `target.name(args)`. */
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

export interface ListExpr extends Node {
  readonly kind: 'list';
  readonly items: readonly Expr[];
  /** Places of items written `?x`: they are there when the optional has a value. */
  readonly optional: ReadonlySet<number>;
}

export interface MapEntry {
  readonly key: Expr;
  readonly value: Expr;
  readonly isOptional: boolean;
}

export interface MapExpr extends Node {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
}

export interface StructEntry {
  readonly name: string;
  readonly value: Expr;
  readonly isOptional: boolean;
}

export interface StructExpr extends Node {
  readonly kind: 'struct';
  readonly name: string;
  readonly entries: readonly StructEntry[];
}

/** A macro over a range: the accumulator goes through a step for each item while the condition holds. */
export interface FoldExpr extends Node {
  readonly kind: 'fold';
  readonly range: Expr;
  readonly variable: string;
  /** With two variables the first is the index or key, the second the item or value. */
  readonly second: string | undefined;
  readonly accumulator: string;
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

export type Expr =
  LiteralExpr | IdentExpr | SelectExpr | CallExpr | ListExpr | MapExpr | StructExpr | FoldExpr;

/** Name of the accumulator that macros use; no expression can spell it. */
export const accumulatorName = '@result';

/** The expressions that an expression is made of, one level down. */
export function partsOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'literal':
    case 'ident':
      return [];
    case 'select':
      return [expr.operand];
    case 'call':
      return expr.target ? [expr.target, ...expr.args] : expr.args;
    case 'list':
      return expr.items;
    case 'map':
      return expr.entries.flatMap(({ key, value }) => [key, value]);
    case 'struct':
      return expr.entries.map(({ value }) => value);
    case 'fold':
      return [expr.range, expr.init, expr.condition, expr.step, expr.result];
  }
}
