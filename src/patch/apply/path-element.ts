/**
 * One step of a field's path, in the text form that `fieldsV1` uses as key. The text is canonical: two steps are the
 * same exactly when their texts are.
 *
 *   f:<name>                    a field of a struct or map
 *   k:{"name":"a","port":80}    an item of a keyed list, by its key fields in order of their names
 *   v:<JSON>                    an item of a set, by its value
 *   i:<index>                   an item of a list, by its place
 */
import { byCodeUnits } from '../../base/by-code-units.ts';
import { canonicalJson } from '../../base/canonical-json.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';

export type PathElement = string;
export type FieldPathElements = readonly PathElement[];

export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

export function keyElement(keys: JsonObject): PathElement {
  return `k:${canonicalJson(keys)}`;
}

export function valueElement(value: JsonValue): PathElement {
  return `v:${canonicalJson(value)}`;
}

/** What a path element says. */
export type ParsedElement =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'key'; readonly keys: JsonObject }
  | { readonly kind: 'value'; readonly value: JsonValue }
  | { readonly kind: 'index'; readonly index: number };

/** Reads a step; undefined when the text is none. */
export function parseElement(text: string): ParsedElement | undefined {
  const body = text.slice(2);
  switch (text.slice(0, 2)) {
    case 'f:':
      return { kind: 'field', name: body };
    case 'i:':
      return /^(?:0|[1-9][0-9]{0,9})$/.test(body) ? { kind: 'index', index: Number(body) } : undefined;
    case 'k:': {
      const keys = parseJson(body);
      return isObject(keys) ? { kind: 'key', keys } : undefined;
    }
    case 'v:': {
      const value = parseJson(body);
      return value === undefined ? undefined : { kind: 'value', value };
    }
    default:
      return undefined;
  }
}

/** The canonical text of a step that a client may have written differently; undefined when it is none. */
export function canonicalElement(text: string): PathElement | undefined {
  if (text.startsWith('f:')) return text;
  const parsed = parseElement(text);
  if (parsed?.kind === 'key') return keyElement(parsed.keys);
  if (parsed?.kind === 'value') return valueElement(parsed.value);
  return parsed && text;
}

const ranks: Readonly<Record<string, number>> = { f: 0, k: 1, v: 2, i: 3 };

/** Fields first, then keys, values, places; each kind by its text, places by number. */
function compareElements(a: PathElement, b: PathElement): number {
  const rank = (ranks[a.charAt(0)] ?? 0) - (ranks[b.charAt(0)] ?? 0);
  if (rank !== 0) return rank;
  if (a.startsWith('i:')) return Number(a.slice(2)) - Number(b.slice(2));
  return byCodeUnits(a, b);
}

/** Sorts steps in place, in their order. */
export function sortElements(elements: PathElement[]): PathElement[] {
  if (elements.length < 2) return elements;
  // But for places, the order is that of the texts, which needs no call for each pair.
  return elements.sort(elements.some((element) => element.startsWith('i:')) ? compareElements : undefined);
}

/** The step as messages show it: `.spec`, `[name="a",port=80]`, `["x"]`, `[3]`. */
export function showElement(element: PathElement): string {
  const parsed = parseElement(element);
  switch (parsed?.kind) {
    case 'field':
      return `.${parsed.name}`;
    case 'key': {
      const keys = Object.keys(parsed.keys).sort();
      return `[${keys.map((key) => `${key}=${JSON.stringify(parsed.keys[key])}`).join(',')}]`;
    }
    case 'value':
      return `[=${JSON.stringify(parsed.value)}]`;
    case 'index':
      return `[${String(parsed.index)}]`;
    case undefined:
      return element;
  }
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text, keepExact) as JsonValue;
  } catch {
    return undefined;
  }
}

function keepExact(_key: string, value: JsonValue, context?: { source?: string }): JsonValue {
  const source = context?.source ?? '';
  const isExact =
    typeof value !== 'number' || Number.isSafeInteger(value) || !/^-?[0-9]{16,20}$/.test(source);
  return isExact ? value : JSON.rawJSON(source);
}
