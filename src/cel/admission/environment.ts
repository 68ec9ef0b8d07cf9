/** The variables of admission expressions, by where an expression stands, and what it must evaluate to. */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { Environment } from '../check/environment.ts';
import { dynType, isSameType, typeText, type CelType } from '../language/types.ts';
import type { CelValue } from '../language/values.ts';
import { environmentOf } from '../library/environments.ts';
import { compile, type Compiled } from '../program.ts';
import { anyToCel, toCel } from '../schema/json-values.ts';
import { namespaceDeclaration, requestDeclaration } from './request-declarations.ts';

/** What expressions see of a write. Objects are of the version that the rules name; null where there is none. */
export interface AdmissionInput {
  readonly object: JsonObject | null;
  readonly oldObject: JsonObject | null;
  /** The request of a review. */
  readonly request: JsonObject;
  /** Only for policies. */
  readonly namespaceObject?: JsonObject | null;
  /** Only for policies with parameters. */
  readonly params?: JsonValue;
}

const ofWebhooks: readonly (readonly [string, CelType])[] = [
  ['object', dynType],
  ['oldObject', dynType],
  ['request', requestDeclaration.type],
];
const ofPolicies: readonly (readonly [string, CelType])[] = [
  ...ofWebhooks,
  ['namespaceObject', namespaceDeclaration.type],
];

/** Conditions of webhooks: `object`, `oldObject`, `request`. @param minor of the release whose libraries may be used */
export function webhookEnvironment(minor: number): Environment {
  return environmentOf(minor, new Map(ofWebhooks));
}

/** Expressions of policies: those of webhooks, `namespaceObject`, `params` where the policy has parameters, `variables`. */
export function policyEnvironment(
  minor: number,
  { hasParams, variables }: { readonly hasParams: boolean; readonly variables?: CelType },
): Environment {
  return environmentOf(
    minor,
    new Map([
      ...ofPolicies,
      ...(hasParams ? ([['params', dynType]] as const) : []),
      ...(variables ? ([['variables', variables]] as const) : []),
    ]),
  );
}

/** Values of the variables, converted when an expression looks; in the order of the environment. */
export function webhookValues({ object, oldObject, request }: AdmissionInput): CelValue[] {
  return [anyToCel(object), anyToCel(oldObject), toCel(request, requestDeclaration)];
}

/** Those of a policy. */
export function policyValues(
  input: AdmissionInput,
  { hasParams, variables }: { readonly hasParams: boolean; readonly variables?: CelValue },
): CelValue[] {
  return [
    ...webhookValues(input),
    toCel(input.namespaceObject ?? null, namespaceDeclaration),
    ...(hasParams ? [anyToCel(input.params ?? null)] : []),
    ...(variables === undefined ? [] : [variables]),
  ];
}

/**
 * Compiles an expression that must evaluate to one of the types; what has no type before it runs may do.
 * @param results absent: any type
 */
export function compileTo(text: string, environment: Environment, results?: readonly CelType[]): Compiled {
  const compiled = compile(text, environment);
  if (!compiled.program) return { problem: `compilation failed: ${compiled.problem}` };
  const { type } = compiled.program;
  const fits = results?.some((result) => isSameType(result, type)) ?? true;
  if (fits || type.kind === 'dyn') return compiled;
  const names = results?.map(typeText) ?? [];
  return { problem: `must evaluate to ${names.length === 1 ? '' : 'one of '}${names.join(', ')}` };
}
