/** Pruning: members that a custom resource's schema does not describe go, and nulls where null means nothing. */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { isSmall } from '../../base/is-small.ts';
import { isObject, setOwn } from '../../base/json.ts';
import { pathOfSteps, shortText } from '../../base/short-text.ts';
import type { Structural } from './types.ts';
import { envelopeFields, isIdleNull, memberOf } from './types.ts';

const maxReported = 100;

export interface Pruned {
  readonly value: JsonObject;
  /** Paths of members that went because nothing describes them. */
  readonly unknown: readonly string[];
}

/** A copy of an object that has only what the schema describes; what is kept undescribed is shared with the input. */
export function pruneObject(node: Structural, value: JsonObject): Pruned {
  const pruning = new Pruning();
  return { value: pruning.members(node, value), unknown: pruning.unknown };
}

/**
 * The same in steps, for large values.
 * @param head comes first in the copy, as it is, in the place of the members of these names
 */
export function* pruneInSteps(
  node: Structural,
  value: JsonObject,
  head: JsonObject,
): Generator<void, JsonObject, void> {
  return yield* new Pruning().membersInSteps(node, value, head);
}

/** Members and items of a value that is pruned in one step. */
const mostAtOnce = 64;
/** Items of a list that are. */
const itemsOfStep = 16;
/** Members that are passed over or kept in one step. */
const membersOfStep = 256;

type Described = readonly [key: string, member: JsonValue, schema: Structural];

class Pruning {
  readonly unknown: string[] = [];
  /** The way to the current value; converted to text only when there is something to report. */
  private readonly steps: (string | number)[] = [];

  members(node: Structural, value: JsonObject): JsonObject {
    const result: JsonObject = {};
    for (const next of this.described(node, value, result)) {
      if (!next) continue;
      const [key, member, schema] = next;
      this.steps.push(key);
      setOwn(result, key, this.pruned(schema, member));
      this.steps.pop();
    }
    return result;
  }

  *membersInSteps(node: Structural, value: JsonObject, head?: JsonObject): Generator<void, JsonObject, void> {
    const result: JsonObject = { ...head };
    for (const next of this.described(node, value, result)) {
      yield;
      if (!next || (head && Object.hasOwn(head, next[0]))) continue;
      const [key, member, schema] = next;
      this.steps.push(key);
      setOwn(result, key, yield* this.prunedInSteps(schema, member));
      this.steps.pop();
    }
    return result;
  }

  /**
   * Members that the schema describes, to be pruned; others that are kept are put into the result, with an undefined behind
   * some of them: there may be hundreds of thousands.
   */
  private *described(
    node: Structural,
    value: JsonObject,
    result: JsonObject,
  ): Iterable<Described | undefined> {
    for (const [i, key] of Object.keys(value).entries()) {
      if (i % membersOfStep === membersOfStep - 1) yield undefined;
      const member = value[key];
      if (member === undefined) continue;
      const schema = memberOf(node, key);
      if (isIdleNull(member, schema)) continue;
      if (schema) yield [key, member, schema];
      else if (isKept(node, key)) setOwn(result, key, member);
      else if (this.unknown.length < maxReported) this.unknown.push(this.pathOf(key));
    }
  }

  private pruned(node: Structural, value: JsonValue): JsonValue {
    if (isObject(value)) return this.members(node, value);
    if (!Array.isArray(value)) return value;
    const { items } = node;
    // Without a schema of items nothing is known of them: free values stay, others are rejected by validation.
    if (!items) return value;
    return value.map((item, i) => {
      this.steps.push(i);
      const result = this.pruned(items, item);
      this.steps.pop();
      return result;
    });
  }

  private *prunedInSteps(node: Structural, value: JsonValue): Generator<void, JsonValue, void> {
    if (isSmall(value, mostAtOnce)) return this.pruned(node, value);
    if (isObject(value)) return yield* this.membersInSteps(node, value);
    const { items } = node;
    if (!items || !Array.isArray(value)) return value;
    const result: JsonValue[] = [];
    for (const [i, item] of value.entries()) {
      this.steps.push(i);
      result.push(yield* this.prunedInSteps(items, item));
      this.steps.pop();
      if (i % itemsOfStep === 0) yield;
    }
    return result;
  }

  private pathOf(key: string): string {
    return pathOfSteps([...this.steps, key], (step, isFirst) => {
      if (typeof step === 'number') return `[${String(step)}]`;
      return isFirst ? shortText(step) : `.${shortText(step)}`;
    });
  }
}

function isKept(node: Structural, key: string): boolean {
  return node.preserveUnknown || node.additional === true || (node.embedded && envelopeFields.has(key));
}
