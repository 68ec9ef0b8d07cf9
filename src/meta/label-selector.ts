/** Label selectors: `app=web,tier in (a,b),!old` (the grammar that clients of this API know). */
import { quoted, shortText } from '../base/short-text.ts';
import type { Labels, Requirement } from './label-requirements.ts';
import { JoinedRequirements } from './label-requirements.ts';
import { badRequest } from './status.ts';

/** A parsed selector; `matches` is what watch and list call for every object. */
export interface LabelSelector {
  readonly empty: boolean;
  /** The labels that make a difference. */
  readonly keys: readonly string[];
  /** A label that all objects which match have with one of these values; undefined: none is known to. */
  readonly needs?: { readonly key: string; readonly values: readonly string[] } | undefined;
  matches(labels: Labels | undefined): boolean;
}

const everything: LabelSelector = { empty: true, keys: [], matches: () => true };
const keyPattern =
  /^(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const valuePattern = /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;
/** Every character but white space is of a token. */
const token = /[=!]=|[=!(),<>]|[^\s=!(),<>]+/g;

/**
 * Parses a label selector; '' selects everything.
 * @throws StatusError 400 that says which part is wrong
 */
export function parseLabelSelector(text: string): LabelSelector {
  if (text.trim() === '') return everything;
  const requirements = new Parser(text).parse();
  const needs = requirements.find(({ operator }) => operator === '=' || operator === 'in');
  const joined = new JoinedRequirements();
  for (const requirement of requirements) joined.add(requirement);
  return { empty: false, keys: joined.keys, needs, matches: joined.matcher() };
}

/** The requirements of a label selector; '' has none. @throws StatusError 400 */
export function parseLabelRequirements(text: string): Requirement[] {
  return text.trim() === '' ? [] : new Parser(text).parse();
}

class Parser {
  private readonly text: string;
  private readonly tokens: readonly string[];
  private position = 0;

  constructor(text: string) {
    this.text = text;
    this.tokens = text.match(token) ?? [];
  }

  parse(): Requirement[] {
    const all: Requirement[] = [];
    for (;;) {
      all.push(this.requirement());
      const separator = this.tokens[this.position++];
      if (separator === undefined) return all;
      if (separator !== ',') throw this.error(`found '${shortText(separator)}', expected ','`);
    }
  }

  private requirement(): Requirement {
    if (this.take('!')) return { key: this.key(), operator: '!', values: [] };
    const key = this.key();
    const next = this.tokens[this.position];
    if (next === undefined || next === ',') return { key, operator: 'exists', values: [] };
    this.position++;
    return this.comparison(key, next);
  }

  private comparison(key: string, operator: string): Requirement {
    switch (operator) {
      case '=':
      case '==':
        return { key, operator: '=', values: [this.value()] };
      case '!=':
        return { key, operator: '!=', values: [this.value()] };
      case 'in':
      case 'notin':
        return { key, operator, values: this.valueSet() };
      case '>':
      case '<':
        return { key, operator, values: [this.integer()] };
      default:
        throw this.error(`found '${shortText(operator)}', expected in, notin, =, ==, !=, gt, lt`);
    }
  }

  private key(): string {
    const key = this.tokens[this.position++] ?? '';
    if (!keyPattern.test(key)) throw this.error(`invalid label key ${quoted(key)}`);
    return key;
  }

  private value(): string {
    const next = this.tokens[this.position];
    if (next === undefined || next === ',' || next === ')') return '';
    this.position++;
    return this.checkedValue(next);
  }

  private integer(): string {
    const value = this.value();
    if (!/^-?[0-9]{1,15}$/.test(value))
      throw this.error(`for 'Gt', 'Lt' operators, the value must be an integer`);
    return value;
  }

  private valueSet(): string[] {
    if (!this.take('('))
      throw this.error(`found '${shortText(this.tokens[this.position] ?? '')}', expected '('`);
    const values: string[] = [];
    for (;;) {
      values.push(this.value());
      const next = this.tokens[this.position++];
      if (next === ')') return values;
      if (next !== ',') throw this.error(`found '${shortText(next ?? '')}', expected ',' or ')'`);
    }
  }

  private checkedValue(value: string): string {
    if (!valuePattern.test(value)) throw this.error(`invalid label value ${quoted(value)}`);
    return value;
  }

  private take(expected: string): boolean {
    if (this.tokens[this.position] !== expected) return false;
    this.position++;
    return true;
  }

  private error(problem: string): Error {
    return badRequest(`unable to parse requirement: ${problem} in label selector ${quoted(this.text)}`);
  }
}
