/**
 * Macros: calls that the parser replaces. Their bodies name a variable, which no function could (language definition,
 * "Macros"). What they become is that of the reference implementation, as costs follow from it.
 */
import { SyntaxIssue } from './errors.ts';
import type { ExprBuilder, FoldParts } from './expr-builder.ts';
import type { Expr } from './expression.ts';
import { accumulatorName } from './expression.ts';

/** A call as written. */
export interface MacroCall {
  readonly at: number;
  readonly name: string;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

export interface Macros {
  /** The replacement of a call; undefined when it is an ordinary call. @throws SyntaxIssue if the macro is misused */
  expand(call: MacroCall, builder: ExprBuilder): Expr | undefined;
}

export interface MacroFeatures {
  /** `optMap`, `optFlatMap`. */
  readonly optionals: boolean;
  /** `all(k, v, …)`, `exists`, `existsOne`, `transformList`, `transformMap`, `transformMapEntry`. */
  readonly twoVariables: boolean;
  /** `sortBy`. */
  readonly sorting: boolean;
  /** `cel.bind(name, value, expression)`. */
  readonly binds: boolean;
}

type Expand = (call: Required<MacroCall> & { readonly target: Expr }, builder: ExprBuilder) => Expr;

/** The macros of an environment. */
export function macrosOf({ optionals, twoVariables, sorting, binds }: MacroFeatures): Macros {
  const known = new Map<string, Expand>([
    ...standard,
    ...(optionals ? optional : []),
    ...(twoVariables ? twoVariable : []),
    ...(sorting ? [['sortBy/2', sortBy] as const] : []),
  ]);
  return {
    expand(call, builder) {
      const { name, target, args } = call;
      if (target === undefined) return name === 'has' && args.length === 1 ? has(call, builder) : undefined;
      if (binds && name === 'bind' && args.length === 3 && target.kind === 'ident' && target.name === 'cel')
        return bind(call, builder);
      return known.get(`${name}/${String(args.length)}`)?.({ ...call, target }, builder);
    },
  };
}

function has({ at, args }: MacroCall, builder: ExprBuilder): Expr {
  const [field] = args;
  if (field?.kind !== 'select' || field.isTest) throw new SyntaxIssue(at, 'invalid argument to has() macro');
  return builder.select(at, field.operand, field.field, true);
}

/** A name that an argument stands for. */
function variableOf(arg: Expr | undefined, at: number): string {
  if (arg?.kind !== 'ident' || arg.name.startsWith('.'))
    throw new SyntaxIssue(arg?.at ?? at, 'argument must be a simple name');
  return arg.name;
}

/** The parts that folds share. */
class Fold {
  readonly at: number;
  readonly builder: ExprBuilder;
  constructor(at: number, builder: ExprBuilder) {
    this.at = at;
    this.builder = builder;
  }

  accumulator(): Expr {
    return this.builder.ident(this.at, accumulatorName);
  }

  call(name: string, ...args: Expr[]): Expr {
    return this.builder.call(this.at, name, args);
  }

  literal(value: boolean | bigint): Expr {
    return this.builder.literal(this.at, value);
  }
}

type Names = readonly [first: string, second: string | undefined];

function one(call: MacroCall): Names {
  return [variableOf(call.args[0], call.at), undefined];
}

function two(call: MacroCall): Names {
  const first = variableOf(call.args[0], call.at);
  const second = variableOf(call.args[1], call.at);
  if (first === second) throw new SyntaxIssue(call.args[1]?.at ?? call.at, 'the two variables must differ');
  return [first, second];
}

function last(call: MacroCall): Expr {
  const arg = call.args.at(-1);
  if (arg === undefined) throw new SyntaxIssue(call.at, 'a macro lacks an argument');
  return arg;
}

function quantifier(isAll: boolean, names: (call: MacroCall) => Names): Expand {
  return (call, builder) => {
    const fold = new Fold(call.at, builder);
    const [variable, second] = names(call);
    const going = isAll ? fold.accumulator() : fold.call('!_', fold.accumulator());
    return builder.fold(call.at, {
      ...{ range: call.target, variable, second, accumulator: accumulatorName },
      init: fold.literal(isAll),
      condition: fold.call('@not_strictly_false', going),
      step: fold.call(isAll ? '_&&_' : '_||_', fold.accumulator(), last(call)),
      result: fold.accumulator(),
    });
  };
}

function exactlyOne(names: (call: MacroCall) => Names): Expand {
  return (call, builder) => {
    const fold = new Fold(call.at, builder);
    const [variable, second] = names(call);
    const more = fold.call('_+_', fold.accumulator(), fold.literal(1n));
    return builder.fold(call.at, {
      ...{ range: call.target, variable, second, accumulator: accumulatorName },
      init: fold.literal(0n),
      condition: fold.literal(true),
      step: fold.call('_?_:_', last(call), more, fold.accumulator()),
      result: fold.call('_==_', fold.accumulator(), fold.literal(1n)),
    });
  };
}

/** Steps of macros that collect: `add` is done for items that pass the filter. */
function collecting(
  call: Parameters<Expand>[0],
  builder: ExprBuilder,
  parts: {
    readonly names: Names;
    readonly filter: Expr | undefined;
    readonly init: Expr;
    readonly add: (fold: Fold) => Expr;
  },
): Expr {
  const fold = new Fold(call.at, builder);
  const { filter } = parts;
  const [variable, second] = parts.names;
  const add = parts.add(fold);
  return builder.fold(call.at, {
    ...{ range: call.target, variable, second, accumulator: accumulatorName },
    init: parts.init,
    condition: fold.literal(true),
    step: filter === undefined ? add : fold.call('_?_:_', filter, add, fold.accumulator()),
    result: fold.accumulator(),
  });
}

function appended(item: Expr): (fold: Fold) => Expr {
  return (fold) => fold.call('_+_', fold.accumulator(), fold.builder.list(fold.at, [item]));
}

const map: Expand = (call, builder) =>
  collecting(call, builder, {
    names: one(call),
    filter: call.args.length === 3 ? call.args[1] : undefined,
    init: builder.list(call.at, []),
    add: appended(last(call)),
  });

const filter: Expand = (call, builder) => {
  const names = one(call);
  return collecting(call, builder, {
    ...{ names, filter: last(call), init: builder.list(call.at, []) },
    add: appended(builder.ident(call.at, names[0])),
  });
};

const transformList: Expand = (call, builder) =>
  collecting(call, builder, {
    names: two(call),
    filter: call.args.length === 4 ? call.args[2] : undefined,
    init: builder.list(call.at, []),
    add: appended(last(call)),
  });

const transformMap: Expand = (call, builder) => {
  const names = two(call);
  return collecting(call, builder, {
    names,
    filter: call.args.length === 4 ? call.args[2] : undefined,
    init: builder.map(call.at, []),
    add: (fold) =>
      fold.call('cel.@mapInsert', fold.accumulator(), builder.ident(call.at, names[0]), last(call)),
  });
};

const transformMapEntry: Expand = (call, builder) =>
  collecting(call, builder, {
    names: two(call),
    filter: call.args.length === 4 ? call.args[2] : undefined,
    init: builder.map(call.at, []),
    add: (fold) => fold.call('cel.@mapInsert', fold.accumulator(), last(call)),
  });

/** The value of an expression under a name, for another expression: `init` becomes `variable` in `result`. */
function bound(
  at: number,
  builder: ExprBuilder,
  parts: Pick<FoldParts, 'accumulator' | 'init' | 'result'>,
): Expr {
  return builder.fold(at, {
    ...{ range: builder.list(at, []), variable: '#unused', second: undefined, ...parts },
    condition: builder.literal(at, false),
    step: builder.ident(at, parts.accumulator),
  });
}

function bind(call: MacroCall, builder: ExprBuilder): Expr {
  const [name, init, result] = call.args;
  if (!init || !result) throw new SyntaxIssue(call.at, 'a macro lacks an argument');
  return bound(call.at, builder, { accumulator: variableOf(name, call.at), init, result });
}

const sortedName = '@sorted';

/** Items sorted by keys that an expression makes of them. */
const sortBy: Expand = (call, builder) => {
  const list = (): Expr => builder.ident(call.at, sortedName);
  const keys = map({ ...call, target: list() }, builder);
  return bound(call.at, builder, {
    accumulator: sortedName,
    init: call.target,
    result: builder.call(call.at, '@sortByAssociatedKeys', [keys], list()),
  });
};

const optionalName = '@optional';

/**
 * `target.hasValue() ? wrap(body with the value as variable) : optional.none()`. The target has a name of its own, for
 * a chain would double with each link.
 */
function optionalMap(isWrapped: boolean): Expand {
  return (call, builder) => {
    const { at, target } = call;
    const variable = variableOf(call.args[0], at);
    const optional = (): Expr => builder.ident(at, optionalName);
    const value = builder.call(at, 'value', [], optional());
    const made = bound(at, builder, { accumulator: variable, init: value, result: last(call) });
    const result = builder.call(at, '_?_:_', [
      builder.call(at, 'hasValue', [], optional()),
      isWrapped ? builder.call(at, 'optional.of', [made]) : made,
      builder.call(at, 'optional.none', []),
    ]);
    return bound(at, builder, { accumulator: optionalName, init: target, result });
  };
}

const standard: readonly (readonly [string, Expand])[] = [
  ['all/2', quantifier(true, one)],
  ['exists/2', quantifier(false, one)],
  ['exists_one/2', exactlyOne(one)],
  ['existsOne/2', exactlyOne(one)],
  ['map/2', map],
  ['map/3', map],
  ['filter/2', filter],
];

const optional: readonly (readonly [string, Expand])[] = [
  ['optMap/2', optionalMap(true)],
  ['optFlatMap/2', optionalMap(false)],
];

const twoVariable: readonly (readonly [string, Expand])[] = [
  ['all/3', quantifier(true, two)],
  ['exists/3', quantifier(false, two)],
  ['exists_one/3', exactlyOne(two)],
  ['existsOne/3', exactlyOne(two)],
  ['transformList/3', transformList],
  ['transformList/4', transformList],
  ['transformMap/3', transformMap],
  ['transformMap/4', transformMap],
  ['transformMapEntry/3', transformMapEntry],
  ['transformMapEntry/4', transformMapEntry],
];
