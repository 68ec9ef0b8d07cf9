/** Rules that claims, classes and what the scheduler reads of them had in releases 1.26 to 1.30. */
import type { FieldError } from '../../meta/field-error.ts';
import { required, tooLong } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import { dns1123Label, dns1123Subdomain } from '../validation/name-rules.ts';
import { each, need, obeys, repeated, type Maybe } from '../validation/rules.ts';
import { atMost } from './device-rules.ts';

interface Reference {
  readonly kind?: Maybe<string>;
  readonly name?: Maybe<string>;
  readonly namespace?: Maybe<string>;
}

/** An object with parameters: its kind and name, and a namespace that could be one. */
export function referenceErrors({ kind, name, namespace }: Reference, at: FieldPath): FieldError[] {
  return [
    ...need(kind, at.child('kind')),
    ...need(name, at.child('name')),
    ...(namespace ? obeys(dns1123Label)(namespace, at.child('namespace')) : []),
  ];
}

/** The name of a driver. */
export function driverErrors(name: Maybe<string>, at: FieldPath): FieldError[] {
  return need(name, at, obeys(dns1123Subdomain));
}

/** Names of nodes: so many at most, each once. */
export function nodesErrors(nodes: Maybe<readonly string[]>, max: number, at: FieldPath): FieldError[] {
  const first = (nodes ?? []).slice(0, max);
  return [
    ...atMost(nodes, max, at),
    ...each(first, at, obeys(dns1123Subdomain)),
    ...repeated(first, at, (node) => ({ value: node })),
  ];
}

/** Of a model with one field in its release: it has to be there. */
export function modelErrors<T>(
  { namedResources }: { readonly namedResources?: Maybe<T> },
  at: FieldPath,
  rule: (value: T, at: FieldPath) => FieldError[],
): FieldError[] {
  return namedResources == null
    ? [required(at, 'exactly one structured model field must be set')]
    : rule(namedResources, at);
}

const maxExpressionBytes = 10 * 1024;

/** An expression over `attributes`, which the scheduler evaluates; its length is bounded. */
export function selectorErrors(
  { selector }: { readonly selector?: Maybe<string> },
  at: FieldPath,
): FieldError[] {
  const path = at.child('selector');
  if (Buffer.byteLength(selector ?? '') > maxExpressionBytes) return [tooLong(path, maxExpressionBytes)];
  return need(selector, path);
}
