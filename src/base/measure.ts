/** Measures a value without recursion: patched values may be nested deeper than the stack allows. */
import type { JsonValue } from './json.ts';
import { isObject } from './json.ts';
import { atOnce } from './sliced-work.ts';

/** Weight of a member: about its overhead in JSON, and in copying compared with a byte of text. */
const nodeWeight = 8;

export interface Measure {
  /** `nodeWeight` per node, plus the length of keys and texts. */
  readonly weight: number;
  /** Levels of objects and lists; a scalar has none. */
  readonly depth: number;
}

export function measure(value: JsonValue): Measure {
  return atOnce(measureInSteps(value));
}

/** Nodes of a step. */
const stepNodes = 1_000;

/** The same in steps. */
export function* measureInSteps(value: JsonValue): Generator<void, Measure, void> {
  let weight = 0;
  let depth = 0;
  let level: JsonValue[] = [value];
  while (level.length > 0) {
    const next: JsonValue[] = [];
    let isDeeper = false;
    for (const [i, node] of level.entries()) {
      weight += visit(node, next);
      isDeeper ||= isCollection(node);
      if (i % stepNodes === stepNodes - 1) yield;
    }
    // Only collections push children; an empty one still is a level.
    if (isDeeper) depth += 1;
    level = next;
  }
  return { weight, depth };
}

function isCollection(value: JsonValue): boolean {
  return Array.isArray(value) || isObject(value);
}

function visit(node: JsonValue, children: JsonValue[]): number {
  if (typeof node === 'string') return nodeWeight + node.length;
  if (Array.isArray(node)) {
    for (const item of node) children.push(item);
  } else if (isObject(node)) {
    return nodeWeight + visitMembers(node, children);
  }
  return nodeWeight;
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
