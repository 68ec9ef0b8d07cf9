/** Metadata that the server sets: identity of new objects, read-only fields, names. */
import { randomLetters, type Random } from '../../base/random.ts';
import type { JsonValue } from '../../base/json.ts';
import { deepEqual } from '../../base/json.ts';
import { shortText } from '../../base/short-text.ts';
import type { ApiObject, ObjectMeta } from '../../meta/object.ts';
import { badRequest } from '../../meta/status.ts';
import { formatSeconds } from '../../meta/time.ts';
import type { RequestScope } from '../types.ts';

const maxGeneratedPrefix = 58;
const suffixLength = 5;
/** Without vowels and similar characters, as the `generateName` suffix in Kubernetes. */
const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** A name from a prefix: cut to 58 characters, then five random ones. */
function generateName(prefix: string, random: Random): string {
  return prefix.slice(0, maxGeneratedPrefix) + randomLetters(random, suffixAlphabet, suffixLength);
}

/**
 * The namespace of the body must match the path; a missing one is set. It is dropped for cluster-scoped objects, as
 * tools set it on everything they install.
 * @throws StatusError 400
 */
export function agreeNamespace(scope: RequestScope, metadata: ObjectMeta): void {
  const sent = metadata.namespace ?? '';
  if (!scope.resource.namespaced) delete metadata.namespace;
  else if (sent === '') metadata.namespace = scope.namespace;
  else if (sent !== scope.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}

/**
 * Name and namespace of the body must match the path; a missing namespace is set, a missing name is an error.
 * @throws StatusError 400
 */
export function agreeWithPath(scope: RequestScope, name: string, metadata: ObjectMeta): void {
  const { name: sent = '', namespace = '' } = metadata;
  if (sent === '') {
    throw badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
  }
  if (sent !== name) {
    throw badRequest(
      `the name of the object (${shortText(sent)}) does not match the name on the URL (${name})`,
    );
  }
  if (scope.resource.namespaced && namespace !== '' && namespace !== scope.namespace) {
    throw badRequest(
      `the namespace of the object (${shortText(namespace)}) does not match the namespace on the request (${scope.namespace})`,
    );
  }
  agreeNamespace(scope, metadata);
}

const serverFields = [
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
  'clusterName',
  'generation',
  'resourceVersion',
] as const;

interface NewMeta {
  readonly random: Random;
  /** Absent: a random suffix. */
  readonly generateName?: (prefix: string) => string;
}

/** Sets name, uid and creation time of a new object, and clears other server-managed fields. */
export function fillNewMeta(object: ApiObject, now: Date, { random, generateName: given }: NewMeta): void {
  const { metadata } = object;
  const { name = '', generateName: prefix } = metadata;
  if (name === '' && prefix) metadata.name = given ? given(prefix) : generateName(prefix, random);
  for (const field of serverFields) drop(metadata, field);
  metadata.uid = random.uuid();
  metadata.creationTimestamp = formatSeconds(now);
}

/** Restores the read-only fields in an update. */
export function keepServerMeta(next: ApiObject, current: ApiObject): void {
  const to = next.metadata;
  const from = current.metadata;
  keep(to, from, 'creationTimestamp');
  keep(to, from, 'generation');
  keep(to, from, 'selfLink');
  keep(to, from, 'clusterName');
  if ((to.uid ?? '') === '') keep(to, from, 'uid');
  if (from.deletionTimestamp != null) {
    keep(to, from, 'deletionTimestamp');
    if (to.deletionGracePeriodSeconds == null) keep(to, from, 'deletionGracePeriodSeconds');
  }
  if ((to.generateName ?? '') === '') keep(to, from, 'generateName');
}

function keep(to: ObjectMeta, from: ObjectMeta, field: keyof ObjectMeta): void {
  const value = from[field];
  if (value === undefined) drop(to, field);
  else if (to[field] !== value) Object.assign(to, { [field]: value });
}

/** `delete` makes an object slower, even for a missing member. */
function drop(metadata: ObjectMeta, field: keyof ObjectMeta): void {
  // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- the key is one of ObjectMeta's
  if (field in metadata) delete metadata[field];
}

/** True if two objects are equal in everything that is stored. */
export function sameObject(a: ApiObject, b: ApiObject): boolean {
  return deepEqual(a as unknown as JsonValue, b as unknown as JsonValue);
}
