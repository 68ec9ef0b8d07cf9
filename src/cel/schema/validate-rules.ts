/**
 * Judges an object by the rules of its schema. Where it ratchets, a rule that fails on a value that an update left as it
 * was does not count, unless it compares with the old value.
 */
import type { JsonArray, JsonObject, JsonValue } from '../../base/json.ts';
import { getOwn, isObject } from '../../base/json.ts';
import { SharedSlice } from '../../base/cooperate.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { quoted } from '../../base/short-text.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { duplicate, forbidden, invalid, maxFieldErrors, required } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import { itemsByKeys } from '../../schema/structural/items-by-keys.ts';
import { EvaluationTurns } from '../evaluation-turns.ts';
import { EvaluationCut, EvaluationError } from '../language/errors.ts';
import type { CelValue } from '../language/values.ts';
import { Optional } from '../language/values.ts';
import type { Program } from '../program.ts';
import {
  maxAsideRunMilliseconds,
  maxRunCost,
  maxRunMilliseconds,
  threadTime,
  type ThreadTime,
} from '../run/run.ts';
import { Correlation } from './correlation.ts';
import { toCel } from './json-values.ts';
import { ruleText, type Rule } from './rule.ts';
import type { CompiledRule, RuleNode } from './rule-tree.ts';

/** What all rules together may cost for one object, as the reference limits it. */
export const maxObjectCost = 10_000_000;

/** They may work for so long, in slices; validation by the schema may take as much. */
export const maxObjectMilliseconds = 100;

/** In a write thread; about what the reference takes for the cost of an object. */
export const maxAsideObjectMilliseconds = 1_000;

/** Longer messages are not shown. */
const maxMessageBytes = 5 * 1024;

/** Ends the judgement of an object; the last error says why. */
class NoBudget extends Error {}

export interface RuleLimits {
  readonly maxCost?: number;
  readonly time?: ThreadTime;
  /** Moves the judgement elsewhere by an error, once rules have worked for long and more are to come. Absent: they go on in slices. */
  readonly onLong?: (() => void) | undefined;
  /** The object is judged in a write thread, where it may take longer. */
  readonly isAside?: boolean | undefined;
}

/** So long is long. */
const longMilliseconds = 5;

/** Rules that stay give the thread away after so long; one evaluation may follow. */
const sliceMilliseconds = 3;

/** Nodes that are visited between two looks at the clock. */
const visitsBetweenLooks = 256;

/** All objects that are judged in slices have about one of them in a turn. */
const slices = new SharedSlice();

/** Objects whose judgement begins in one turn would each have a slice in it. */
const turns = new EvaluationTurns();

/** Hears of an error of a value that an update left as it was, at most as often as an answer has errors. */
export type OnUnchanged = (error: FieldError) => void;

/**
 * Errors of an object, at most as many as one answer has; a promise of them where the rules take long and have no
 * `onLong`. @param before the object as it was, for updates
 */
export function validateRules(
  tree: RuleNode,
  value: JsonValue,
  {
    path,
    before,
    onUnchanged,
    ratchets = true,
    limits = {},
  }: {
    readonly path: FieldPath;
    readonly before?: JsonValue | undefined;
    readonly onUnchanged?: OnUnchanged | undefined;
    /** Default true. */
    readonly ratchets?: boolean;
    readonly limits?: RuleLimits;
  },
): MaybePromise<FieldError[]> {
  const check = new RuleCheck(limits, { ratchets, onUnchanged });
  const steps = check.value(tree, { value, path, correlation: new Correlation(value, before, undefined) });
  return turns.inTurn(() => {
    check.beginSlice();
    return isOver(steps) ? check.errors : inSlices(check, steps);
  });
}

/** Judges on until the slice is over. @returns whether nothing is left */
function isOver(steps: Iterator<void>): boolean {
  try {
    return steps.next().done === true;
  } catch (error) {
    if (error instanceof NoBudget) return true;
    throw error;
  }
}

async function inSlices(check: RuleCheck, steps: Iterator<void>): Promise<FieldError[]> {
  do {
    await slices.yieldNow();
    check.beginSlice();
  } while (!isOver(steps));
  return check.errors;
}

/** A value, where it stands, and what it was. */
interface Subject {
  readonly value: JsonValue;
  readonly path: FieldPath;
  readonly correlation: Correlation;
}

/** Its generators yield where the slice is over. */
class RuleCheck {
  readonly errors: FieldError[] = [];
  private left: number;
  private readonly time: ThreadTime;
  /** Milliseconds of the slices before this one. */
  private worked = 0;
  private sliceBegin = 0;
  private readonly onLong: (() => void) | undefined;
  private readonly isAside: boolean;
  private readonly onUnchanged: OnUnchanged | undefined;
  private readonly ratchets: boolean;
  private unchanged = 0;
  private visits = 0;

  constructor(
    { maxCost = maxObjectCost, time = threadTime, onLong, isAside = false }: RuleLimits,
    { ratchets, onUnchanged }: { readonly ratchets: boolean; readonly onUnchanged: OnUnchanged | undefined },
  ) {
    this.ratchets = ratchets;
    this.onUnchanged = onUnchanged;
    this.left = maxCost;
    this.time = time;
    this.onLong = onLong;
    this.isAside = isAside;
  }

  /** What others did in between is not counted. */
  beginSlice(): void {
    this.sliceBegin = this.time();
  }

  *value(node: RuleNode, subject: Subject): Generator<void, void> {
    const { value } = subject;
    if (value === null || this.errors.length >= maxFieldErrors) return;
    this.visits += 1;
    if (this.visits % visitsBetweenLooks === 0 && this.isSliceOver()) yield;
    if (node.rules.length > 0) yield* this.rules(node, subject);
    if (Array.isArray(value)) {
      if (node.items) yield* this.items(node.items, node.node, value, subject);
    } else if (isObject(value)) yield* this.members(node, value, subject);
  }

  private *items(
    items: RuleNode,
    { listMapKeys, listType }: RuleNode['node'],
    list: JsonArray,
    { path, correlation }: Subject,
  ): Generator<void, void> {
    const oldItem = itemsByKeys(listMapKeys, listType === 'map' ? correlation.old : undefined);
    for (const [i, item] of list.entries())
      yield* this.value(items, {
        value: item,
        path: path.index(i),
        correlation: correlation.below(item, oldItem(item)),
      });
  }

  private *members(node: RuleNode, object: JsonObject, subject: Subject): Generator<void, void> {
    const { properties, additional } = node;
    const { path, correlation } = subject;
    const { old } = correlation;
    const member = (name: string, at: FieldPath): Subject | undefined => {
      const value = getOwn(object, name);
      if (value === undefined) return undefined;
      const before = isObject(old) ? getOwn(old, name) : undefined;
      return { value, path: at, correlation: correlation.below(value, before) };
    };
    for (const [name, child] of properties) {
      const found = member(name, path.child(name));
      if (found) yield* this.value(child, found);
    }
    if (!additional) return;
    for (const name of Object.keys(object)) {
      const found = member(name, path.key(name));
      if (found) yield* this.value(additional, found);
    }
  }

  private *rules({ rules, declaration, node }: RuleNode, subject: Subject): Generator<void, void> {
    const typeWord = node.type ?? '';
    let self: CelValue | undefined;
    let old: CelValue | undefined;
    for (const rule of rules) {
      if (this.isSliceOver()) yield;
      if (!rule.isCompiled && this.compile(rule)) yield;
      try {
        self ??= toCel(subject.value, declaration);
        if (rule.usesOldSelf) old ??= toOld(subject, declaration);
        const values = { self, old, typeWord };
        if (!this.holds(rule, subject, values)) yield* this.failed(rule, subject, values);
      } catch (error) {
        if (!(error instanceof EvaluationError)) throw error;
        this.errors.push(invalid(subject.path, typeWord, error.message));
        return;
      }
    }
  }

  /** To compile a rule takes time, too, but is no work of this object. @returns whether the slice is over */
  private compile(rule: CompiledRule): boolean {
    const begin = this.time();
    rule.compile();
    this.worked -= this.time() - begin;
    return this.isSliceOver();
  }

  /** False when the rule has failed; that of one without a value, or that does not count here, is noted. */
  private holds(compiled: CompiledRule, { path }: Subject, values: RuleValues): boolean {
    const { condition, usesOldSelf, rule } = compiled;
    if (usesOldSelf && values.old === undefined && rule.optionalOldSelf !== true) return true;
    if (!condition.program) {
      if (condition.problem !== undefined)
        this.errors.push(invalid(path, values.typeWord, `rule compile error: ${condition.problem}`));
      return true;
    }
    const result = this.run(condition.program, variablesOf(rule, values), (problem) => {
      this.errors.push(invalid(path, values.typeWord, problemText(problem, rule)));
    });
    return result === undefined || result === true;
  }

  /** What did not change is not judged again. */
  private *failed(compiled: CompiledRule, subject: Subject, values: RuleValues): Generator<void, void> {
    const { onUnchanged } = this;
    const counts = compiled.usesOldSelf || !this.ratchets || !subject.correlation.isUnchanged();
    if (!counts && (!onUnchanged || this.unchanged++ >= maxFieldErrors)) return;
    if (compiled.message && this.isSliceOver()) yield;
    const error = errorOf(compiled, subject, this.messageOf(compiled, subject, values));
    if (counts) this.errors.push(error);
    else onUnchanged?.(error);
  }

  /** The value of an expression; undefined when it has none. @throws NoBudget */
  private run(
    program: Program,
    variables: readonly (CelValue | undefined)[],
    onProblem: (error: EvaluationError | EvaluationCut) => void,
  ): CelValue | undefined {
    const maxCost = Math.min(this.left, maxRunCost);
    const maxMilliseconds = this.isAside ? maxAsideRunMilliseconds : maxRunMilliseconds;
    const { run, evaluate } = program.start(variables, { maxCost, time: this.time, maxMilliseconds });
    try {
      return evaluate();
    } catch (error) {
      if (error instanceof EvaluationError) {
        onProblem(error);
        return undefined;
      }
      if (!(error instanceof EvaluationCut)) throw error;
      if (error.reason === 'time') this.onLong?.();
      if (error.reason === 'cost' && this.left < maxRunCost) throw this.stopped('cost');
      onProblem(error);
      throw new NoBudget();
    } finally {
      this.left -= run.cost;
    }
  }

  /** Looks at the clock: may the rules go on, and in this slice? @throws NoBudget */
  private isSliceOver(): boolean {
    const inSlice = this.time() - this.sliceBegin;
    const worked = this.worked + inSlice;
    if (worked > longMilliseconds) this.onLong?.();
    if (worked > (this.isAside ? maxAsideObjectMilliseconds : maxObjectMilliseconds))
      throw this.stopped('time');
    if (this.onLong !== undefined || inSlice <= sliceMilliseconds) return false;
    this.worked = worked;
    return true;
  }

  private stopped(what: 'cost' | 'time'): NoBudget {
    const reason = `validation failed due to running out of ${what} budget, no further validation rules will be run`;
    this.errors.push(forbidden('', reason));
    return new NoBudget();
  }

  /** The message of a rule that failed: its expression, if that has a usable value, or its text. */
  private messageOf({ rule, message }: CompiledRule, subject: Subject, values: RuleValues): string {
    const made = message?.program
      ? this.run(message.program, variablesOf(rule, values), (problem) => {
          if (problem instanceof EvaluationCut)
            this.errors.push(
              invalid(
                subject.path,
                values.typeWord,
                `no further validation rules will be run due to ${problem.message} for messageExpression: ${quoted(rule.messageExpression)}`,
              ),
            );
        })
      : undefined;
    const text = typeof made === 'string' ? made.trim() : '';
    if (text !== '' && Buffer.byteLength(text) <= maxMessageBytes && !text.includes('\n')) return text;
    return rule.message === '' ? `failed rule: ${ruleText(rule)}` : rule.message.trim();
  }
}

interface RuleValues {
  readonly self: CelValue;
  readonly old: CelValue | undefined;
  readonly typeWord: string;
}

function variablesOf(rule: Rule, { self, old }: RuleValues): (CelValue | undefined)[] {
  return [self, rule.optionalOldSelf === true ? new Optional(old) : old];
}

function toOld({ correlation }: Subject, declaration: RuleNode['declaration']): CelValue | undefined {
  const { old } = correlation;
  return old === undefined ? undefined : toCel(old, declaration);
}

function problemText(error: EvaluationError | EvaluationCut, rule: Rule): string {
  const text = ruleText(rule);
  if (error instanceof EvaluationCut)
    return error.reason === 'cost'
      ? `'${error.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${text}`
      : `'${error.message}': no further validation rules will be run for rule: ${text}`;
  if (error.message.startsWith('no such overload'))
    return `'${error.message}': call arguments did not match a supported operator, function or macro signature for rule: ${text}`;
  return `${error.message} evaluating rule: ${text}`;
}

function errorOf({ rule, extendPath }: CompiledRule, { value, path }: Subject, message: string): FieldError {
  const at = extendPath(path);
  const shown = Array.isArray(value) ? 'array' : isObject(value) ? 'object' : value;
  switch (rule.reason) {
    case 'FieldValueForbidden':
      return forbidden(at, message);
    case 'FieldValueRequired':
      return required(at, message);
    case 'FieldValueDuplicate':
      return duplicate(at, shown);
    default:
      return invalid(at, shown, message);
  }
}
