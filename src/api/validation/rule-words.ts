/** The words of the option `rules`, each as a rule of a value. */
import type { JsonValue } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';
import {
  duplicate,
  errorsOf,
  invalid,
  required,
  tooLong,
  tooMany,
  type FieldError,
} from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import type { Field } from '../../schema/types.ts';
import { nameFormats } from './name-formats.ts';
import { toNumber } from './rules.ts';

export interface Verdict {
  readonly errors: FieldError[];
  /** The other rules of the field have nothing to judge. */
  readonly isFinal: boolean;
}

/** Judges the value of a field; undefined where it is not given. */
export type FieldRule = (value: JsonValue | undefined, path: FieldPath) => Verdict;

export interface Rules {
  /** In the order in which they are applied. */
  readonly rules: readonly FieldRule[];
  /** The union of which the field is a member: `one name` or `none or one name`. */
  readonly union: string | undefined;
}

/** Whether a value says anything: a list or map without members, an empty text and null do not. */
export function isGiven(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === '') return false;
  if (Array.isArray(value)) return value.length > 0;
  return true;
}

/** @throws Error for a word that does not exist, which is a defect of the catalogue */
export function readRules(field: Field): Rules {
  const terms = (field.rules ?? '').split('; ');
  const union = terms.find((term) => /^(?:one|none or one) /.test(term));
  const rules = terms.filter((term) => term !== union).map((term) => ruleOf(term, field));
  return { rules: terms.includes('required') ? rules : [whereGiven, ...rules], union };
}

const none: Verdict = { errors: [], isFinal: false };

/** An optional field that is not given breaks no rule. */
const whereGiven: FieldRule = (value) => ({ errors: [], isFinal: !isGiven(value) });

function ruleOf(term: string, field: Field): FieldRule {
  const [word = '', argument = '', key = ''] = term.split(' ').filter((part) => part !== 'by');
  const make = words[word];
  if (!make) throw new Error(`${field.name}: the rule ${term} does not exist`);
  return make(argument + key, field);
}

type MakeRule = (argument: string, field: Field) => FieldRule;

const words: Readonly<Record<string, MakeRule>> = {
  required:
    (_argument, { pointer }) =>
    (value, path) => {
      const isThere = isGiven(value) && !isEmpty(value) && (pointer || value !== 0);
      return isThere ? none : { errors: [required(path)], isFinal: true };
    },
  format: (name) => {
    const check = formatOf(name);
    return onText((text, path) => check(text).map((message) => invalid(path, text, message)));
  },
  keys: (name) => {
    const check = formatOf(name);
    return judged((value, path) =>
      errorsOf(isObject(value) ? Object.keys(value) : [], (key) =>
        check(key).map((message) => invalid(path, key, message)),
      ),
    );
  },
  items: (count) =>
    judged((value, path) =>
      Array.isArray(value) && value.length > Number(count)
        ? [tooMany(path, value.length, Number(count))]
        : [],
    ),
  length: (count) =>
    onText((text, path) => (characterCount(text) > Number(count) ? [tooLong(path, Number(count))] : [])),
  bytes: (count) =>
    onText((text, path) => (Buffer.byteLength(text) > Number(count) ? [tooLong(path, Number(count))] : [])),
  min: (bound) =>
    judged((value, path) =>
      toNumber(value) < Number(bound)
        ? [invalid(path, value, `must be greater than or equal to ${bound}`)]
        : [],
    ),
  max: (bound) =>
    judged((value, path) =>
      toNumber(value) > Number(bound) ? [invalid(path, value, `must be less than or equal to ${bound}`)] : [],
    ),
  unique: (key) => judged((value, path) => repeatedItems(value, key, path)),
};

function judged(judge: (value: JsonValue, path: FieldPath) => FieldError[]): FieldRule {
  return (value, path) => ({ errors: judge(value ?? null, path), isFinal: false });
}

function onText(judge: (text: string, path: FieldPath) => FieldError[]): FieldRule {
  return judged((value, path) => (typeof value === 'string' ? judge(value, path) : []));
}

/** Characters, not halves of them. */
function characterCount(text: string): number {
  let count = 0;
  for (const character of text) count += character === '' ? 0 : 1;
  return count;
}

function isEmpty(value: JsonValue | undefined): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

function formatOf(name: string): (text: string) => readonly string[] {
  const check = nameFormats[name];
  if (!check) throw new Error(`the format ${name} does not exist`);
  return check;
}

/** Items that repeat an earlier one, or its key. */
function repeatedItems(value: JsonValue, key: string, path: FieldPath): FieldError[] {
  const seen = new Set<string>();
  return errorsOf(Array.isArray(value) ? value : [], (item, i) => {
    const known = key === '' ? item : isObject(item) ? (item[key] ?? null) : null;
    const text = JSON.stringify(known);
    if (!seen.has(text)) {
      seen.add(text);
      return [];
    }
    const at = path.index(i);
    return [duplicate(key === '' ? at : at.child(key), known)];
  });
}
