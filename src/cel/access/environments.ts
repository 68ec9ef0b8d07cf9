/** The variables of expressions about who asks and whether an authorizer is asked. */
import type { JsonObject } from '../../base/json.ts';
import type { Environment } from '../check/environment.ts';
import { dynType, mapOf, stringType } from '../language/types.ts';
import type { CelValue } from '../language/values.ts';
import { environmentOf } from '../library/environments.ts';
import { list, map, object, text, userDeclaration } from '../schema/declare.ts';
import { anyToCel, toCel } from '../schema/json-values.ts';

/** `claims` of a token. @param minor of the release whose libraries may be used */
export function claimsEnvironment(minor: number): Environment {
  return environmentOf(minor, new Map([['claims', mapOf(stringType, dynType)]]));
}

/** Values in the order of `claimsEnvironment`. */
export function claimsValues(claims: JsonObject): CelValue[] {
  return [anyToCel(claims)];
}

/** `user` that the claims of a token were mapped to. */
export function userEnvironment(minor: number): Environment {
  return environmentOf(minor, new Map([['user', userDeclaration.type]]));
}

/** Values in the order of `userEnvironment`. @param user `username`, `uid`, `groups`, `extra`; what is empty is left out */
export function userValues(user: JsonObject): CelValue[] {
  return [toCel(user, userDeclaration)];
}

const reviewDeclaration = object('kubernetes.SubjectAccessReviewSpec', {
  resourceAttributes: object('kubernetes.ResourceAttributes', {
    ...{
      namespace: text,
      verb: text,
      group: text,
      version: text,
      resource: text,
      subresource: text,
      name: text,
    },
  }),
  nonResourceAttributes: object('kubernetes.NonResourceAttributes', { path: text, verb: text }),
  ...{ user: text, groups: list(text), extra: map(list(text)), uid: text },
});

/** `request` that an authorizer is asked about: the `spec` of a SubjectAccessReview of version v1. */
export function reviewEnvironment(minor: number): Environment {
  return environmentOf(minor, new Map([['request', reviewDeclaration.type]]));
}

/** Values in the order of `reviewEnvironment`. */
export function reviewValues(spec: JsonObject): CelValue[] {
  return [toCel(spec, reviewDeclaration)];
}
