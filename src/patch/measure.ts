/** How large a value is, without recursion: patched values may be nested deeper than the stack allows. */
import type { JsonValue } from '../base/json.ts';
import { isObject } from '../base/json.ts';

export interface Measure {
  /** One per node, plus the length of keys and texts. */
  readonly weight: number;
  /** Levels of objects and lists; a scalar has none. */
  readonly depth: number;
}

export function measure(value: JsonValue): Measure {
  let weight = 0;
  let depth = 0;
  let level: JsonValue[] = [value];
  while (level.length > 0) {
    const next: JsonValue[] = [];
    for (const node of level) weight += visit(node, next);
    // Only collections push children; an empty one still is a level.
    if (level.some(isCollection)) depth += 1;
    level = next;
  }
  return { weight, depth };
}

function isCollection(value: JsonValue): boolean {
  return Array.isArray(value) || isObject(value);
}

function visit(node: JsonValue, children: JsonValue[]): number {
  if (typeof node === 'string') return 1 + node.length;
  if (Array.isArray(node)) {
    for (const item of node) children.push(item);
  } else if (isObject(node)) {
    return 1 + visitMembers(node, children);
  }
  return 1;
}

function visitMembers(node: Record<string, JsonValue | undefined>, children: JsonValue[]): number {
  let weight = 0;
  for (const key of Object.keys(node)) {
    const member = node[key];
    if (member === undefined) continue;
    weight += key.length;
    children.push(member);
  }
  return weight;
}
