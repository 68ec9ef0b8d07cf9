/** Functions of the language and of its libraries, as data: what they take and give, what they do, what a call costs. */
import type { Run } from '../run/run.ts';
import { readSignature } from './signature.ts';
import type { CelType } from './types.ts';
import type { CelValue } from './values.ts';

/** `never` lets an implementation name the types of its signature: the checker and the dispatch keep to them. */
export type Implementation = (run: Run, ...args: [a: never, b: never, c: never, d: never]) => CelValue;

/** What a call costs beside its arguments; it is charged before the call. */
export type CallCost = (a: never, b: never) => number;

export interface Overload {
  readonly name: string;
  /** Unique; estimates of costs are by it. */
  readonly id: string;
  readonly isMember: boolean;
  /** With the target of a member first. */
  readonly parameters: readonly CelType[];
  readonly result: CelType;
  readonly implementation: Implementation;
  readonly cost: CallCost;
}

const unit: CallCost = () => 1;

type Rest = readonly [implementation: Implementation, cost?: CallCost];

/** A function `name(args)`. @param signature `string, list(A) -> bool` */
export function global(
  name: string,
  id: string,
  signature: string,
  ...[implementation, cost = unit]: Rest
): Overload {
  return { name, id, isMember: false, ...readSignature(signature), implementation, cost };
}

/** A function `target.name(args)`; the first parameter is the target. */
export function member(
  name: string,
  id: string,
  signature: string,
  ...[implementation, cost = unit]: Rest
): Overload {
  return { name, id, isMember: true, ...readSignature(signature), implementation, cost };
}

/** Overloads by the name of their function. */
export type Functions = ReadonlyMap<string, readonly Overload[]>;

export function functionsOf(overloads: Iterable<Overload>): Functions {
  const functions = new Map<string, Overload[]>();
  for (const overload of overloads) {
    const known = functions.get(overload.name);
    if (known) known.push(overload);
    else functions.set(overload.name, [overload]);
  }
  return functions;
}
