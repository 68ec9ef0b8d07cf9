/**
 * JSON paths as printer columns write them: `.spec.replicas`, `.status.conditions[?(@.type=="Ready")].status`,
 * `.spec['a.b'][0]`, `..name`, `.list[*].x`, `[1:3]`, `[0,1]`, `['a','b']`. Paths are parsed once and applied often.
 */
import type { JsonArray, JsonValue } from './json.ts';
import { getOwn, isObject } from './json.ts';
import { quoted } from './short-text.ts';

/**
 * Returns the values of a path, in order; none if it does not match.
 * @param work shared by evaluations that are bounded together
 */
export type JsonPath = (root: JsonValue, work?: Work) => readonly JsonValue[];

/** What an evaluation may still look at: filters within filters multiply. */
export interface Work {
  left: number;
}

type Step = (value: JsonValue, work: Work) => JsonValue[];

/** A part of a path, such as an operand of a filter. */
type Operand = (item: JsonValue, work: Work) => readonly JsonValue[];

/** Maximum number of values. */
const maxValues = 10_000;
/** Maximum number of values that one evaluation looks at; some 10 ms. */
const maxWork = 100_000;
/** Characters that are compared in the time that one value takes. */
const charactersOfValue = 1_000;

/**
 * Parses a path, with or without braces.
 * @throws Error with the position of the error
 */
export function parseJsonPath(text: string): JsonPath {
  const inner = text.startsWith('{') && text.endsWith('}') ? text.slice(1, -1) : text;
  const steps = new PathReader(inner).path();
  return (root, work = fullWork()) => walk(steps, root, work);
}

/** As much as one evaluation may do. */
export function fullWork(): Work {
  return { left: maxWork };
}

function walk(steps: readonly Step[], root: JsonValue, work: Work): JsonValue[] {
  let values = [root];
  for (const step of steps) values = firstOf(values, step, work);
  return values;
}

/** The values of a step, up to the limit. */
function firstOf(values: readonly JsonValue[], step: Step, work: Work): JsonValue[] {
  const found: JsonValue[] = [];
  for (const value of values) {
    if (found.length >= maxValues || work.left <= 0) break;
    work.left -= 1;
    for (const next of step(value, work)) found.push(next);
  }
  return found;
}

type Comparison = (left: JsonValue, right: JsonValue) => boolean;

const comparisons: readonly (readonly [sign: string, holds: Comparison])[] = [
  ['==', (a, b) => a === b],
  ['!=', (a, b) => a !== b],
  ['<=', (a, b) => order(a, b) <= 0],
  ['>=', (a, b) => order(a, b) >= 0],
  ['<', (a, b) => order(a, b) < 0],
  ['>', (a, b) => order(a, b) > 0],
];

class PathReader {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  path(): Step[] {
    if (this.text.startsWith('$')) this.at = 1;
    const steps = this.steps();
    if (this.at < this.text.length) throw this.error('unexpected text');
    return steps;
  }

  /** Parses steps up to the end or an invalid character. */
  private steps(): Step[] {
    const steps: Step[] = [];
    for (;;) {
      if (this.takes('..')) steps.push(descendants, ...this.nameAfterDots());
      else if (this.takes('.')) steps.push(...this.nameAfterDot());
      else if (this.takes('[')) steps.push(this.bracket());
      else return steps;
    }
  }

  /** A single dot is the value itself; a dot before a bracket is ignored. */
  private nameAfterDot(): Step[] {
    const next = this.text.charAt(this.at);
    return next === '' || next === '[' ? [] : [this.name()];
  }

  private nameAfterDots(): Step[] {
    return this.text.charAt(this.at) === '[' ? [] : [this.name()];
  }

  private name(): Step {
    if (this.takes('*')) return children;
    let name = '';
    for (; this.at < this.text.length; this.at++) {
      const char = this.text.charAt(this.at);
      if (char === '\\') name += this.text.charAt(++this.at);
      else if ('.[]()=!<> \t'.includes(char)) break;
      else name += char;
    }
    if (name === '') throw this.error('a name is missing');
    return field(name);
  }

  private bracket(): Step {
    if (this.takes('?(')) return this.filter();
    const alternatives = [this.selector()];
    while (this.takes(',')) alternatives.push(this.selector());
    this.expect(']');
    const [only] = alternatives;
    return only && alternatives.length === 1 ? only : (value, work) => anyOf(alternatives, value, work);
  }

  private selector(): Step {
    this.skipSpace();
    if (this.takes('*')) return children;
    const quote = this.text.charAt(this.at);
    if (quote === "'" || quote === '"') return field(this.quoted());
    const [whole = ''] = /^[-\d:]*/.exec(this.text.slice(this.at)) ?? [];
    const parts = whole.split(':');
    if (whole === '' || parts.length > 3 || parts.some((part) => !/^(?:-?\d{1,9})?$/.test(part))) {
      throw this.error('an index, a slice, a name in quotes, * or a filter is expected');
    }
    this.at += whole.length;
    this.skipSpace();
    const [first, end, stride] = parts.map((part) => (part === '' ? undefined : Number(part)));
    return parts.length === 1 ? index(first ?? 0) : slice(first, end, stride);
  }

  private filter(): Step {
    const left = this.operand();
    this.skipSpace();
    const comparison = comparisons.find(([sign]) => this.takes(sign));
    const right = comparison ? this.operand() : undefined;
    this.skipSpace();
    this.expect(')');
    this.expect(']');
    const holds = (item: JsonValue, work: Work): boolean => {
      const [value] = left(item, work);
      if (value === undefined || !comparison || !right) return value !== undefined;
      const [other] = right(item, work);
      if (other === undefined) return false;
      work.left -= comparisonCost(value, other);
      return comparison[1](value, other);
    };
    return (value, work) => {
      if (Array.isArray(value)) return itemsWhere(value, holds, work);
      return isObject(value) && holds(value, work) ? [value] : [];
    };
  }

  /** A path from the item, or a literal. */
  private operand(): Operand {
    this.skipSpace();
    if (this.takes('@')) {
      const steps = this.steps();
      return (item, work) => walk(steps, item, work);
    }
    const quote = this.text.charAt(this.at);
    const literal = quote === "'" || quote === '"' ? this.quoted() : this.bareLiteral();
    return () => [literal];
  }

  private bareLiteral(): JsonValue {
    const [word = ''] = /^(?:true|false|null|-?\d+(?:\.\d+)?)/.exec(this.text.slice(this.at)) ?? [];
    if (word === '') throw this.error('a value is expected');
    this.at += word.length;
    return JSON.parse(word) as JsonValue;
  }

  private quoted(): string {
    const quote = this.text.charAt(this.at++);
    let value = '';
    for (; this.at < this.text.length; this.at++) {
      const char = this.text.charAt(this.at);
      if (char === '\\') value += this.text.charAt(++this.at);
      else if (char === quote) {
        this.at++;
        return value;
      } else value += char;
    }
    throw this.error('a quote is not closed');
  }

  private takes(sign: string): boolean {
    if (!this.text.startsWith(sign, this.at)) return false;
    this.at += sign.length;
    return true;
  }

  private expect(sign: string): void {
    if (!this.takes(sign)) throw this.error(`${sign} is expected`);
  }

  private skipSpace(): void {
    while (this.text.charAt(this.at) === ' ') this.at++;
  }

  private error(problem: string): Error {
    return new Error(`${problem} at position ${String(this.at)} of ${quoted(this.text)}`);
  }
}

/** What several selectors in one bracket find, one after the other. */
function anyOf(alternatives: readonly Step[], value: JsonValue, work: Work): JsonValue[] {
  const found: JsonValue[] = [];
  for (const step of alternatives) {
    if (found.length >= maxValues || work.left <= 0) break;
    work.left -= 1;
    for (const next of step(value, work)) found.push(next);
  }
  return found;
}

/** The items that a filter lets pass, each of which is looked at. */
function itemsWhere(
  items: readonly JsonValue[],
  holds: (item: JsonValue, work: Work) => boolean,
  work: Work,
): JsonValue[] {
  const found: JsonValue[] = [];
  for (const item of items) {
    if (work.left <= 0) break;
    work.left -= 1;
    if (holds(item, work)) found.push(item);
  }
  return found;
}

/** To compare texts takes as long as the shorter one; some of its characters take as long as a value. */
function comparisonCost(a: JsonValue, b: JsonValue): number {
  if (typeof a !== 'string' || typeof b !== 'string') return 0;
  return Math.floor(Math.min(a.length, b.length) / charactersOfValue);
}

function field(name: string): Step {
  return (value) => {
    const member = isObject(value) ? getOwn(value, name) : undefined;
    return member === undefined ? [] : [member];
  };
}

function children(value: JsonValue): JsonArray {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value).filter((member) => member !== undefined) : [];
}

/** The value and everything below it. */
function descendants(value: JsonValue, work: Work): JsonArray {
  const found: JsonArray = [];
  const visit = (node: JsonValue): void => {
    if (found.length >= maxValues || work.left <= 0) return;
    work.left -= 1;
    found.push(node);
    for (const child of children(node)) visit(child);
  };
  visit(value);
  return found;
}

function index(position: number): Step {
  return (value) => {
    const item = Array.isArray(value) ? value.at(position) : undefined;
    return item === undefined ? [] : [item];
  };
}

function slice(start: number | undefined, end: number | undefined, stride = 1): Step {
  const step = Math.max(1, stride);
  return (value) => {
    if (!Array.isArray(value)) return [];
    if (step === 1) return value.slice(start ?? 0, end);
    const found: JsonValue[] = [];
    const last = boundOf(end ?? value.length, value.length);
    for (let i = boundOf(start ?? 0, value.length); i < last; i += step) found.push(value[i] ?? null);
    return found;
  };
}

/** A bound of a slice; a negative one counts from the end. */
function boundOf(bound: number, length: number): number {
  return bound < 0 ? Math.max(0, length + bound) : Math.min(bound, length);
}

/** Compares two numbers or two strings; NaN for other types. */
function order(a: JsonValue, b: JsonValue): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a !== 'string' || typeof b !== 'string') return NaN;
  return a < b ? -1 : Number(a > b);
}
