/** The variables of admission expressions, by where an expression stands, and what it must evaluate to. */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { Environment } from '../check/environment.ts';
import { dynType, isSameType, typeText, type CelType } from '../language/types.ts';
import type { CelValue } from '../language/values.ts';
import {
  AuthorizerValue,
  authorizerType,
  ResourceCheck,
  resourceCheckType,
  type Decide,
  type ResourceOfCheck,
} from '../library/authorizer.ts';
import { environmentOf } from '../library/environments.ts';
import { compile, type Compiled } from '../program.ts';
import { anyToCel, toCel } from '../schema/json-values.ts';
import { patchStructs } from './patch-types.ts';
import { namespaceDeclaration, requestDeclaration } from './request-declarations.ts';

/** Whom expressions ask about what a user may do. */
export interface AuthorizerInput {
  readonly decide: Decide;
  /** `authorizer.requestResource`: what the request is about. */
  readonly resource: ResourceOfCheck;
}

/** What expressions see of a write. Objects are of the version that the rules name; null where there is none. */
export interface AdmissionInput {
  readonly object: JsonObject | null;
  readonly oldObject: JsonObject | null;
  /** The request of a review. */
  readonly request: JsonObject;
  readonly authorizer: AuthorizerInput;
  /** Only for policies. */
  readonly namespaceObject?: JsonObject | null;
  /** Only for policies with parameters. */
  readonly params?: JsonValue;
}

type Variables = readonly (readonly [string, CelType])[];

const ofWebhooks: Variables = [
  ['object', dynType],
  ['oldObject', dynType],
  ['request', requestDeclaration.type],
];
const ofPolicies: Variables = [...ofWebhooks, ['namespaceObject', namespaceDeclaration.type]];

/** Stand last: expressions that may not ask have the same values, and do not know these two. */
const asking: Variables = [
  ['authorizer', authorizerType],
  ['authorizer.requestResource', resourceCheckType],
];

/** The minor release that brought them. */
const askingSince = 27;

function withAuthorizer(minor: number, variables: Variables, hasAuthorizer = true): Map<string, CelType> {
  return new Map(hasAuthorizer && minor >= askingSince ? [...variables, ...asking] : variables);
}

/** Conditions of webhooks: `object`, `oldObject`, `request`, `authorizer`. @param minor of the release whose libraries may be used */
export function webhookEnvironment(minor: number): Environment {
  return environmentOf(minor, withAuthorizer(minor, ofWebhooks));
}

/** What an expression of a policy may name, beside what those of webhooks may and `namespaceObject`. */
export interface PolicyNames {
  /** `params` */
  readonly hasParams: boolean;
  /** `variables`; absent: it knows none. */
  readonly variables?: CelType | undefined;
  /** Default: true. */
  readonly hasAuthorizer?: boolean;
  /** `Object{…}`, `JSONPatch{…}`; default: false. */
  readonly makesPatches?: boolean;
  /** Type of `object` and `oldObject`; default: any. */
  readonly object?: CelType;
  /** Type of `params`; default: any. */
  readonly params?: CelType;
}

export function policyEnvironment(
  minor: number,
  {
    hasParams,
    variables,
    hasAuthorizer,
    makesPatches = false,
    object = dynType,
    params = dynType,
  }: PolicyNames,
): Environment {
  const known: Variables = [
    ...ofPolicies.map(
      ([name, type]) => [name, name === 'object' || name === 'oldObject' ? object : type] as const,
    ),
    ...(hasParams ? [['params', params] as const] : []),
    ...(variables ? [['variables', variables] as const] : []),
  ];
  return environmentOf(minor, withAuthorizer(minor, known, hasAuthorizer), {
    structs: makesPatches ? patchStructs : undefined,
  });
}

/** Values of the variables, converted when an expression looks; in the order of the environment. */
export function webhookValues(input: AdmissionInput): CelValue[] {
  return [...objectValues(input), ...askingValues(input)];
}

function objectValues({ object, oldObject, request }: AdmissionInput): CelValue[] {
  return [anyToCel(object), anyToCel(oldObject), toCel(request, requestDeclaration)];
}

function askingValues({ authorizer: { decide, resource } }: AdmissionInput): CelValue[] {
  const authorizer = new AuthorizerValue(decide);
  return [authorizer, new ResourceCheck(authorizer, resource)];
}

/** Those of a policy. */
export function policyValues(
  input: AdmissionInput,
  { hasParams, variables }: { readonly hasParams: boolean; readonly variables?: CelValue },
): CelValue[] {
  return [
    ...objectValues(input),
    toCel(input.namespaceObject ?? null, namespaceDeclaration),
    ...(hasParams ? [anyToCel(input.params ?? null)] : []),
    ...(variables === undefined ? [] : [variables]),
    ...askingValues(input),
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
