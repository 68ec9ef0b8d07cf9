/** Metadata that the server owns: identity on create, what an update may not touch, names. */
import { randomInt, randomUUID } from 'node:crypto';
import type { JsonValue } from '../../base/json.ts';
import { deepEqual } from '../../base/json.ts';
import { shortText } from '../../base/short-text.ts';
import type { ApiObject, ObjectMeta } from '../../meta/object.ts';
import { badRequest } from '../../meta/status.ts';
import { formatSeconds } from '../../meta/time.ts';
import type { RequestScope } from '../types.ts';

const maxGeneratedPrefix = 58;
const suffixLength = 5;
/** Without vowels and look-alikes (facts/names.tsv, rule generateName). */
const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** A name from a prefix: cut to 58 characters, then five random ones. */
export function generateName(prefix: string): string {
  let suffix = '';
  for (let i = 0; i < suffixLength; i++) suffix += suffixAlphabet.charAt(randomInt(suffixAlphabet.length));
  return prefix.slice(0, maxGeneratedPrefix) + suffix;
}

/**
 * The body's namespace must be the path's; a missing one is filled in. An object of cluster scope has none: one that
 * was sent is dropped, for tools write the same namespace into all that they install.
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
 * Name and namespace of a body for one object must be the path's, so that no client replaces an object by something
 * without a name; a missing namespace is filled in.
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

/** Identity of a new object: name, uid, creation time; what only the server may set is cleared. */
export function fillNewMeta(object: ApiObject, now: Date, nameFrom = generateName): void {
  const { metadata } = object;
  if ((metadata.name ?? '') === '' && metadata.generateName) metadata.name = nameFrom(metadata.generateName);
  for (const field of serverFields) drop(metadata, field);
  metadata.uid = randomUUID();
  metadata.creationTimestamp = formatSeconds(now);
}

/** What an update leaves as it was, whatever was sent. */
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

/** An object that a member was deleted from is slower ever after, even where there was none. */
function drop(metadata: ObjectMeta, field: keyof ObjectMeta): void {
  // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- the key is one of ObjectMeta's
  if (field in metadata) delete metadata[field];
}

/** True when two objects differ in nothing that is stored. */
export function sameObject(a: ApiObject, b: ApiObject): boolean {
  return deepEqual(a as unknown as JsonValue, b as unknown as JsonValue);
}
