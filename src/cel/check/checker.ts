/** Infers the type of every part of an expression, and which overloads a call may have (language definition, "Gradual Type Checking"). */
import type { Issue } from '../language/errors.ts';
import type {
  CallExpr,
  Expr,
  FoldExpr,
  ListExpr,
  MapExpr,
  SelectExpr,
  StructExpr,
} from '../language/expression.ts';
import type { Overload } from '../language/functions.ts';
import type { CelType } from '../language/types.ts';
import {
  boolType,
  dynType,
  errorType,
  insideOptional,
  intType,
  isSameType,
  listOf,
  mapOf,
  optionalOf,
  typeOfType,
  typeText,
} from '../language/types.ts';
import { typeOfValue } from '../language/values.ts';
import type { Environment } from './environment.ts';
import { candidatesOf, typeNames } from './environment.ts';
import { moreGeneral, Substitution } from './substitution.ts';

/** What a name of the environment is. */
export type Reference =
  | { readonly kind: 'variable'; readonly name: string; readonly type: CelType }
  | { readonly kind: 'type'; readonly type: CelType };

export interface Checked {
  readonly expr: Expr;
  readonly type: CelType;
  /** By the id of the part. */
  readonly types: ReadonlyMap<number, CelType>;
  readonly overloads: ReadonlyMap<number, readonly Overload[]>;
  /** Parts that are names of the environment, such as `a.b` for a variable of that name. */
  readonly references: ReadonlyMap<number, Reference>;
  /** Calls of functions with a qualified name: their target is no value. */
  readonly qualified: ReadonlySet<number>;
  readonly issues: readonly Issue[];
}

/** More are not looked for. */
const maxIssues = 20;

/** @param isLenient types decide nothing before the run: what does not fit is no issue */
export function check(expr: Expr, environment: Environment, isLenient = false): Checked {
  const checker = new Checker(environment, isLenient);
  const type = checker.type(expr);
  return checker.finish(expr, type);
}

class Checker {
  private readonly environment: Environment;
  private readonly isLenient: boolean;
  private readonly substitution = new Substitution();
  private readonly types = new Map<number, CelType>();
  private readonly overloads = new Map<number, readonly Overload[]>();
  private readonly references = new Map<number, Reference>();
  private readonly qualified = new Set<number>();
  private readonly issues: Issue[] = [];
  /** Variables of macros, the innermost last. */
  private readonly scopes: (readonly [string, CelType])[] = [];

  constructor(environment: Environment, isLenient: boolean) {
    this.environment = environment;
    this.isLenient = isLenient;
  }

  finish(expr: Expr, type: CelType): Checked {
    const types = new Map([...this.types].map(([id, found]) => [id, this.substitution.resolve(found, true)]));
    const { overloads, references, qualified, issues } = this;
    return {
      expr,
      type: this.substitution.resolve(type, true),
      types,
      overloads,
      references,
      qualified,
      issues,
    };
  }

  type(expr: Expr): CelType {
    const type = this.typeOf(expr);
    this.types.set(expr.id, type);
    return type;
  }

  private typeOf(expr: Expr): CelType {
    switch (expr.kind) {
      case 'literal':
        return typeOfValue(expr.value);
      case 'ident':
        return this.name(expr, expr.name) ?? this.fail(expr, this.undeclared(expr.name));
      case 'select':
        return this.select(expr);
      case 'call':
        return this.call(expr);
      case 'list':
        return this.list(expr);
      case 'map':
        return this.map(expr);
      case 'struct':
        return this.struct(expr);
      case 'fold':
        return this.fold(expr);
    }
  }

  private fail({ at }: Expr, message: string): CelType {
    if (this.isLenient) return dynType;
    if (this.issues.length < maxIssues) this.issues.push({ at, message });
    return errorType;
  }

  private undeclared(name: string): string {
    return `undeclared reference to '${name}' (in container '${this.environment.container}')`;
  }

  /** The type of a name, qualified or not; undefined when it is unknown. */
  private name(expr: Expr, name: string): CelType | undefined {
    const local = this.scopes.findLast(([variable]) => variable === name);
    if (local) return local[1];
    for (const candidate of candidatesOf(name, this.environment.container)) {
      const variable = this.environment.variables.get(candidate);
      if (variable) {
        this.references.set(expr.id, { kind: 'variable', name: candidate, type: variable });
        return variable;
      }
      const type = typeNames.get(candidate);
      if (type) {
        this.references.set(expr.id, { kind: 'type', type });
        return typeOfType(type);
      }
    }
    return undefined;
  }

  private isLocal(name: string): boolean {
    return this.scopes.some(([variable]) => variable === name);
  }

  private select(expr: SelectExpr): CelType {
    const { operand, field, isTest } = expr;
    const qualifier = isTest ? undefined : this.qualifierOf(operand);
    const known = qualifier === undefined ? undefined : this.name(expr, `${qualifier}.${field}`);
    if (known) return known;
    const type = this.fieldOf(expr, this.substitution.resolve(this.type(operand)), field);
    return isTest ? boolType : type;
  }

  /** `a.b` of `a.b.c`, when it may be a qualified name. */
  private qualifierOf(expr: Expr): string | undefined {
    if (expr.kind === 'ident') return this.isLocal(expr.name) ? undefined : expr.name;
    if (expr.kind !== 'select' || expr.isTest) return undefined;
    const outer = this.qualifierOf(expr.operand);
    return outer === undefined ? undefined : `${outer}.${expr.field}`;
  }

  private fieldOf(expr: Expr, type: CelType, field: string): CelType {
    const inside = insideOptional(type);
    if (inside) return optionalOf(this.fieldOf(expr, inside, field));
    if (type.kind === 'map') return type.value;
    if (type.kind === 'object')
      return type.fields.fieldType(field) ?? this.fail(expr, `undefined field '${field}'`);
    if (type.kind === 'error') return errorType;
    if (this.isOpen(type)) return dynType;
    return this.fail(expr, `type '${typeText(type)}' does not support field selection`);
  }

  /** It may be anything; a parameter is nothing more specific from now on. */
  private isOpen(type: CelType): boolean {
    if (type.kind === 'parameter') this.substitution.isAssignable(type, dynType);
    return type.kind === 'parameter' || type.kind === 'dyn';
  }

  private call(expr: CallExpr): CelType {
    const { target, name, args } = expr;
    if (name === '_?._') return this.optionalSelect(expr);
    const qualifier = target ? this.qualifierOf(target) : undefined;
    const overloads =
      qualifier === undefined
        ? target
          ? undefined
          : this.functionOf(name)
        : this.functionOf(`${qualifier}.${name}`);
    if (overloads) {
      if (target) this.qualified.add(expr.id);
      return this.resolve(expr, overloads, args);
    }
    if (!target) {
      for (const arg of args) this.type(arg);
      return this.fail(expr, this.undeclared(name));
    }
    const members = this.environment.functions.get(name);
    if (members) return this.resolve(expr, members, [target, ...args]);
    for (const arg of [target, ...args]) this.type(arg);
    return this.fail(expr, this.undeclared(name));
  }

  private functionOf(name: string): readonly Overload[] | undefined {
    for (const candidate of candidatesOf(name, this.environment.container)) {
      const found = this.environment.functions.get(candidate);
      if (found) return found;
    }
    return undefined;
  }

  private optionalSelect(expr: CallExpr): CelType {
    const [operand, field] = expr.args;
    if (operand === undefined || field?.kind !== 'literal' || typeof field.value !== 'string')
      return errorType;
    this.type(field);
    const type = this.substitution.resolve(this.type(operand));
    return optionalOf(this.fieldOf(expr, insideOptional(type) ?? type, field.value));
  }

  /** The result of a call: that of all overloads that fit, if they agree. */
  private resolve(expr: CallExpr, overloads: readonly Overload[], args: readonly Expr[]): CelType {
    const types = args.map((arg) => this.type(arg));
    const isMember = expr.target !== undefined && !this.qualified.has(expr.id);
    const alike = overloads.filter((o) => o.isMember === isMember && o.parameters.length === args.length);
    const found: Overload[] = [];
    let result: CelType | undefined;
    for (const overload of alike) {
      const [own = dynType, ...parameters] = this.substitution.instantiate([
        overload.result,
        ...overload.parameters,
      ]);
      if (!this.substitution.areAssignable(types, parameters)) continue;
      found.push(overload);
      const type = this.substitution.resolve(own);
      result = result === undefined || isSameType(result, type) ? type : dynType;
    }
    this.overloads.set(expr.id, found.length > 0 || !this.isLenient ? found : alike);
    return result ?? this.fail(expr, this.mismatch(expr, types, isMember));
  }

  private mismatch({ name }: CallExpr, types: readonly CelType[], isMember: boolean): string {
    const texts = types.map((type) => typeText(this.substitution.resolve(type, true)));
    const applied = isMember ? `${texts[0] ?? ''}.(${texts.slice(1).join(', ')})` : `(${texts.join(', ')})`;
    return `found no matching overload for '${name}' applied to '${applied}'`;
  }

  private list({ items, optional }: ListExpr): CelType {
    let type: CelType | undefined;
    items.forEach((item, i) => {
      const own = this.substitution.resolve(this.type(item));
      type = this.joined(item, type, optional.has(i) ? this.opened(item, own) : own);
    });
    return listOf(type ?? this.substitution.newParameter());
  }

  private map({ entries }: MapExpr): CelType {
    let key: CelType | undefined;
    let value: CelType | undefined;
    for (const entry of entries) {
      key = this.joined(entry.key, key, this.type(entry.key));
      const own = this.substitution.resolve(this.type(entry.value));
      value = this.joined(entry.value, value, entry.isOptional ? this.opened(entry.value, own) : own);
    }
    return mapOf(key ?? this.substitution.newParameter(), value ?? this.substitution.newParameter());
  }

  private struct(expr: StructExpr): CelType {
    const { container, structs } = this.environment;
    const type = candidatesOf(expr.name, container)
      .map((name) => structs?.(name))
      .find((found) => found !== undefined);
    for (const { name, value, isOptional } of expr.entries) {
      const own = this.substitution.resolve(this.type(value));
      const found = isOptional ? this.opened(value, own) : own;
      const wanted = type?.fields.fieldType(name);
      if (wanted && !this.substitution.isAssignable(found, wanted))
        this.fail(
          value,
          `expected type of field '${name}' is '${typeText(wanted)}' but provided type is '${typeText(found)}'`,
        );
      else if (type && !wanted) this.fail(value, `undefined field '${name}'`);
    }
    if (!type) return this.fail(expr, this.undeclared(expr.name));
    this.references.set(expr.id, { kind: 'type', type });
    return type;
  }

  private opened(expr: Expr, type: CelType): CelType {
    const inside = insideOptional(type);
    if (inside) return inside;
    return type.kind === 'dyn'
      ? dynType
      : this.fail(expr, `expected type 'optional_type' but found '${typeText(type)}'`);
  }

  private joined(expr: Expr, before: CelType | undefined, next: CelType): CelType {
    if (before === undefined) return next;
    if (this.substitution.isAssignable(before, next)) return moreGeneral(before, next);
    if (!this.environment.homogeneous) return dynType;
    const [wanted, found] = [before, next].map((type) => typeText(this.substitution.resolve(type, true)));
    return this.fail(expr, `expected type '${wanted ?? ''}' but found '${found ?? ''}'`);
  }

  private fold(expr: FoldExpr): CelType {
    const { range, init, condition, step, result } = expr;
    const [first, second] = this.variablesOf(
      range,
      this.substitution.resolve(this.type(range)),
      expr.second !== undefined,
    );
    const accumulator = this.type(init);
    const depth = this.scopes.length;
    this.scopes.push([expr.accumulator, accumulator], [expr.variable, first]);
    if (expr.second !== undefined) this.scopes.push([expr.second, second]);
    this.expect(condition, boolType);
    this.expect(step, accumulator);
    this.scopes.length = depth;
    this.scopes.push([expr.accumulator, accumulator]);
    const type = this.type(result);
    this.scopes.length = depth;
    return type;
  }

  private expect(expr: Expr, wanted: CelType): void {
    const found = this.type(expr);
    if (this.substitution.isAssignable(found, wanted)) return;
    const [wantedText, foundText] = [wanted, found].map((type) =>
      typeText(this.substitution.resolve(type, true)),
    );
    this.fail(expr, `expected type '${wantedText ?? ''}' but found '${foundText ?? ''}'`);
  }

  private variablesOf(expr: Expr, range: CelType, hasTwo: boolean): readonly [CelType, CelType] {
    if (range.kind === 'list') return hasTwo ? [intType, range.item] : [range.item, dynType];
    if (range.kind === 'map') return [range.key, range.value];
    if (range.kind === 'error' || this.isOpen(range)) return [dynType, dynType];
    const message = `expression of type '${typeText(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`;
    const type = this.fail(expr, message);
    return [type, type];
  }
}
