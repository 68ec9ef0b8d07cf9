/** Makes the nodes of a tree, numbers them, and bounds their number and depth: later passes recurse. */
import { SyntaxIssue } from './errors.ts';
import type { Expr, FoldExpr, MapEntry, StructEntry } from './expression.ts';
import type { Token } from './lexer.ts';
import type { CelValue } from './values.ts';

const maxDepth = 250;
const maxNodes = 20_000;

/** What a fold is made of. */
export type FoldParts = Omit<FoldExpr, 'kind' | 'id' | 'at'>;

export class ExprBuilder {
  private count = 0;
  private level = 0;
  private readonly depths = new WeakMap<Expr, number>();

  /** Runs a step of the parser one level deeper. @throws SyntaxIssue */
  nested<T>(at: number, read: () => T): T {
    this.level += 1;
    if (this.level > maxDepth) throw tooDeep(at);
    const result = read();
    this.level -= 1;
    return result;
  }

  literal(at: number, value: CelValue): Expr {
    return this.made({ kind: 'literal', ...this.head(at), value }, []);
  }

  /** A literal, with a minus before its number or without. @throws SyntaxIssue if an int is out of range */
  signedLiteral({ value }: Token, at: number, isNegative: boolean): Expr {
    if (typeof value === 'bigint') {
      const signed = isNegative ? -value : value;
      if (signed !== BigInt.asIntN(64, signed))
        throw new SyntaxIssue(at, 'invalid int literal: it is out of range');
      return this.literal(at, signed);
    }
    return this.literal(at, isNegative && typeof value === 'number' ? -value : value);
  }

  ident(at: number, name: string): Expr {
    return this.made({ kind: 'ident', ...this.head(at), name }, []);
  }

  select(at: number, operand: Expr, field: string, isTest = false): Expr {
    return this.made({ kind: 'select', ...this.head(at), operand, field, isTest }, [operand]);
  }

  call(at: number, name: string, args: readonly Expr[], target?: Expr): Expr {
    const below = target ? [target, ...args] : args;
    return this.made({ kind: 'call', ...this.head(at), name, target, args }, below);
  }

  list(at: number, items: readonly Expr[], optional: ReadonlySet<number> = new Set()): Expr {
    return this.made({ kind: 'list', ...this.head(at), items, optional }, items);
  }

  map(at: number, entries: readonly MapEntry[]): Expr {
    const below = entries.flatMap(({ key, value }) => [key, value]);
    return this.made({ kind: 'map', ...this.head(at), entries }, below);
  }

  struct(at: number, name: string, entries: readonly StructEntry[]): Expr {
    return this.made(
      { kind: 'struct', ...this.head(at), name, entries },
      entries.map(({ value }) => value),
    );
  }

  fold(at: number, parts: FoldParts): Expr {
    const { range, init, condition, step, result } = parts;
    return this.made({ kind: 'fold', ...this.head(at), ...parts }, [range, init, condition, step, result]);
  }

  /** @param places offsets of the signs between the operands */
  balanced(name: string, operands: readonly Expr[], places: readonly number[]): Expr {
    const join = (from: number, to: number): Expr => {
      const middle = (from + to) >> 1;
      if (from === to) return operands[from] ?? this.literal(0, null);
      return this.call(places[middle] ?? 0, name, [join(from, middle), join(middle + 1, to)]);
    };
    return join(0, operands.length - 1);
  }

  private head(at: number): { readonly id: number; readonly at: number } {
    this.count += 1;
    if (this.count > maxNodes)
      throw new SyntaxIssue(at, `an expression may have ${String(maxNodes)} parts: make it smaller`);
    return { id: this.count, at };
  }

  private made(expr: Expr, below: readonly Expr[]): Expr {
    let depth = 0;
    for (const part of below) depth = Math.max(depth, this.depths.get(part) ?? 0);
    if (depth >= maxDepth) throw tooDeep(expr.at);
    this.depths.set(expr, depth + 1);
    return expr;
  }
}

function tooDeep(at: number): SyntaxIssue {
  return new SyntaxIssue(at, `expression recursion limit exceeded: ${String(maxDepth)}`);
}
