/** Makes of a checked expression a function: names become slots, overloads are chosen where types decide. */
import type { Checked } from '../check/checker.ts';
import type { Environment } from '../check/environment.ts';
import { EvaluationError } from '../language/errors.ts';
import type { CallExpr, Expr, ListExpr, MapExpr, SelectExpr, StructExpr } from '../language/expression.ts';
import type { CelType } from '../language/types.ts';
import type { CelValue, MapKey } from '../language/values.ts';
import { NativeList, NativeMap, NativeStruct, Optional, TypeValue } from '../language/values.ts';
import { planCall } from './plan-call.ts';
import { planFold } from './plan-fold.ts';
import { fieldOf, hasField, optionalField } from './select.ts';
import { failing, type Planning, type Step } from './step.ts';
import { insertEntry } from './growing.ts';

const costOfName = 1;

/** Bytes that are one piece of work. */
const bytesOfWork = 64;

const costOfList = 10;
const costOfMap = 30;
const costOfStruct = 40;

/** Slots of variables while an expression is planned. */
export class Planner implements Planning {
  readonly checked: Checked;
  /** Variables of macros, the innermost last. */
  readonly scopes: (readonly [string, number])[] = [];
  private readonly globals: ReadonlyMap<string, number>;
  private used: number;

  constructor(checked: Checked, { variables }: Environment) {
    this.checked = checked;
    this.globals = new Map([...variables.keys()].map((name, slot) => [name, slot]));
    this.used = variables.size;
  }

  newSlot(): number {
    this.used += 1;
    return this.used - 1;
  }

  typeOf({ id }: Expr): CelType {
    return this.checked.types.get(id) ?? { kind: 'dyn' };
  }

  step(expr: Expr): Step {
    switch (expr.kind) {
      case 'literal': {
        const { value } = expr;
        return () => value;
      }
      case 'ident':
        return this.name(expr, expr.name);
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
        return planFold(this, expr);
    }
  }

  /** The slot of a macro's variable. */
  slotOf(name: string): number | undefined {
    return this.scopes.findLast(([variable]) => variable === name)?.[1];
  }

  private name(expr: Expr, name: string): Step {
    const reference = this.checked.references.get(expr.id);
    if (reference?.kind === 'type') {
      const value = new TypeValue(reference.type);
      return (run) => {
        run.charge(costOfName);
        return value;
      };
    }
    const slot = reference ? this.globals.get(reference.name) : this.slotOf(name);
    if (slot === undefined) return failing(`undeclared reference to '${name}'`);
    return (run) => {
      run.charge(costOfName);
      const value = run.variables[slot];
      if (value === undefined) throw new EvaluationError(`no such attribute(s): ${name}`);
      if (value instanceof EvaluationError) throw value;
      return value;
    };
  }

  private select(expr: SelectExpr): Step {
    const { operand, field, isTest } = expr;
    if (this.checked.references.has(expr.id)) return this.name(expr, field);
    const value = this.step(operand);
    if (isTest) return (run) => hasField(value(run), field);
    return (run) => {
      const found = value(run);
      run.charge(costOfName);
      const inside = fieldOf(found, field);
      // They are read out of their text whenever they are looked at.
      if (inside instanceof Uint8Array) run.work(inside.length / bytesOfWork);
      return inside;
    };
  }

  private call(expr: CallExpr): Step {
    if (expr.name !== '_?._') return planCall(this, expr);
    const [operand, field] = expr.args;
    if (operand === undefined || field?.kind !== 'literal' || typeof field.value !== 'string')
      return failing('no such overload');
    const name = field.value;
    const value = this.step(operand);
    return (run) => {
      const found = value(run);
      run.charge(costOfName);
      return optionalField(found, name);
    };
  }

  private list({ items, optional }: ListExpr): Step {
    if (items.length > 0 && items.every(({ kind }) => kind === 'literal')) return constantList(items);
    const steps = items.map((item) => this.step(item));
    if (optional.size === 0)
      return (run) => {
        run.charge(costOfList);
        return new NativeList(steps.map((step) => step(run)));
      };
    return (run) => {
      run.charge(costOfList);
      const values: CelValue[] = [];
      steps.forEach((step, i) => {
        const value = optional.has(i) ? openOptional(step(run)) : step(run);
        if (value !== undefined) values.push(value);
      });
      return new NativeList(values);
    };
  }

  private map({ entries }: MapExpr): Step {
    const steps = entries.map(({ key, value, isOptional }) => ({
      ...{ key: this.step(key), value: this.step(value), isOptional },
    }));
    return (run) => {
      run.charge(costOfMap);
      const result = new Map<MapKey, readonly [CelValue, CelValue]>();
      for (const { key, value, isOptional } of steps) {
        const name = key(run);
        const found = isOptional ? openOptional(value(run)) : value(run);
        if (found !== undefined) insertEntry(result, name, found);
      }
      return new NativeMap(result);
    };
  }

  /** A field that is written twice has the later value. */
  private struct({ id, name, entries }: StructExpr): Step {
    const reference = this.checked.references.get(id);
    if (reference?.kind !== 'type') return failing(`unknown type '${name}'`);
    const { type } = reference;
    const steps = entries.map((entry) => ({ ...entry, value: this.step(entry.value) }));
    return (run) => {
      run.charge(costOfStruct);
      const fields = new Map<string, CelValue>();
      for (const { name: field, value, isOptional } of steps) {
        const found = isOptional ? openOptional(value(run)) : value(run);
        if (found !== undefined) fields.set(field, found);
      }
      return new NativeStruct(type, fields);
    };
  }
}

function openOptional(value: CelValue): CelValue | undefined {
  if (!(value instanceof Optional))
    throw new EvaluationError('cannot initialize an optional entry from a value that is not optional');
  return value.value;
}

function constantList(items: readonly Expr[]): Step {
  const values = items.map((item) => (item.kind === 'literal' ? item.value : null));
  const list = new NativeList(values);
  return (run) => {
    run.charge(costOfList);
    return list;
  };
}
