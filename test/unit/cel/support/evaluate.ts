/** Evaluates expressions as texts, with variables of given types. */
import { readSignature } from '../../../../src/cel/language/signature.ts';
import type { CelType } from '../../../../src/cel/language/types.ts';
import type { CelValue } from '../../../../src/cel/language/values.ts';
import { environmentOf } from '../../../../src/cel/library/environments.ts';
import { compile, type Evaluated, type Program } from '../../../../src/cel/program.ts';
import type { RunLimits } from '../../../../src/cel/run/run.ts';

export const newest = 36;

/** Types of variables as signatures spell them. */
export type Types = Readonly<Record<string, string>>;

export function typeNamed(text: string): CelType {
  return readSignature(`-> ${text}`).result;
}

/** @throws Error with the problem of the text */
export function programOf(text: string, types: Types = {}, minor = newest): Program {
  const variables = new Map(Object.entries(types).map(([name, type]) => [name, typeNamed(type)]));
  const { program, problem } = compile(text, environmentOf(minor, variables));
  if (!program) throw new Error(problem);
  return program;
}

/** What is wrong with a text; '' if nothing is. */
export function problemOf(text: string, types: Types = {}, minor = newest): string {
  const variables = new Map(Object.entries(types).map(([name, type]) => [name, typeNamed(type)]));
  return compile(text, environmentOf(minor, variables)).problem ?? '';
}

export function evaluate(text: string, limits: RunLimits = {}): Evaluated {
  return programOf(text).evaluate([], limits);
}

export function valueOf(
  text: string,
  variables: Readonly<Record<string, readonly [type: string, value: CelValue]>> = {},
): CelValue {
  const types = Object.fromEntries(Object.entries(variables).map(([name, [type]]) => [name, type]));
  return programOf(text, types).evaluate(Object.values(variables).map(([, value]) => value)).value;
}
