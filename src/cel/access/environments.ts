/** The variables of expressions about who asks and whether an authorizer is asked. */
import type { JsonObject } from '../../base/json.ts';
import type { Environment } from '../check/environment.ts';
import { dynType, mapOf, stringType } from '../language/types.ts';
import type { CelValue } from '../language/values.ts';
import { environmentOf } from '../library/environments.ts';
import type { Declaration } from '../schema/declaration.ts';
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

const resourceFields = {
  ...{ namespace: text, verb: text, group: text, version: text },
  ...{ resource: text, subresource: text, name: text },
};

function reviewWith(resourceAttributes: Readonly<Record<string, Declaration>>): Declaration {
  return object('kubernetes.SubjectAccessReviewSpec', {
    resourceAttributes: object('kubernetes.ResourceAttributes', resourceAttributes),
    nonResourceAttributes: object('kubernetes.NonResourceAttributes', { path: text, verb: text }),
    ...{ user: text, groups: list(text), extra: map(list(text)), uid: text },
  });
}

const requirement = object('kubernetes.SelectorRequirement', {
  ...{ key: text, operator: text, values: list(text) },
});

function selector(kind: 'Field' | 'Label'): Declaration {
  return object(`kubernetes.${kind}SelectorAttributes`, {
    ...{ rawSelector: text, requirements: list(requirement) },
  });
}

const plainReview = reviewWith(resourceFields);
const selectiveReview = reviewWith({
  ...{ ...resourceFields, fieldSelector: selector('Field'), labelSelector: selector('Label') },
});

/** The release from which on reviews have selectors unless switched off (KEP-4601). */
const firstSelective = 32;

function reviewAt(minor: number): Declaration {
  return minor >= firstSelective ? selectiveReview : plainReview;
}

/** `request` that an authorizer is asked about: the `spec` of a SubjectAccessReview of version v1. */
export function reviewEnvironment(minor: number): Environment {
  return environmentOf(minor, new Map([['request', reviewAt(minor).type]]));
}

/** Values in the order of `reviewEnvironment`. */
export function reviewValues(minor: number, spec: JsonObject): CelValue[] {
  return [toCel(spec, reviewAt(minor))];
}
