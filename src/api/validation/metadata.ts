/** Rules of `metadata`, the same for every kind; the registry checks them beside the rules of the kind. */
import { quoted } from '../../base/short-text.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { forbidden, invalid, notSupported, required } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from '../../meta/object.ts';
import { parseApiVersion } from '../../meta/gvk.ts';
import type { NameRule } from '../types.ts';
import { validateAnnotations, validateLabels } from './labels.ts';
import { dns1123Label, pathSegment, qualifiedName } from './name-rules.ts';
import type { Maybe } from './rules.ts';
import { allOf, each, invalidEach, given, nonNegative, same, unchanged } from './rules.ts';

export interface ObjectMetaRules {
  readonly namespaced: boolean;
  readonly nameRule: NameRule;
  /** Finalizers that need no domain beside the two of garbage collection; absent: every qualified name will do. */
  readonly bareFinalizers?: readonly string[] | undefined;
}

/** Keeps dependents when the owner goes, and waits for them to go first: they exclude each other. */
export const orphanFinalizer = 'orphan';
export const foregroundFinalizer = 'foregroundDeletion';

const managerMaxLength = 128;
const at = FieldPath.of('metadata');

/**
 * Metadata of an object about to be created, after its name was generated.
 * @returns every error with its path below `path`
 */
export function validateObjectMeta(
  meta: ObjectMeta,
  rules: ObjectMetaRules,
  path: FieldPath = at,
): FieldError[] {
  return allOf(
    nameErrors(meta, rules.nameRule, path),
    namespaceErrors(meta, rules.namespaced, path.child('namespace')),
    given(meta.generation, path.child('generation'), nonNegative),
    sharedErrors(meta, path),
    finalizerErrors(meta.finalizers, rules.bareFinalizers, path.child('finalizers')),
  );
}

/** What an update may change in metadata, and the rules of what it may write; `rules` as for a create, when known. */
export function validateObjectMetaUpdate(
  next: ObjectMeta,
  current: ObjectMeta,
  path: FieldPath = at,
  bareFinalizers?: readonly string[],
): FieldError[] {
  return allOf(
    fixedErrors(next, current, path),
    deletionErrors(next, current, path),
    newFinalizerErrors(next, current, path.child('finalizers')),
    generationErrors(next, current, path.child('generation')),
    sharedErrors(next, path),
    finalizerErrors(next.finalizers, bareFinalizers, path.child('finalizers')),
  );
}

const fixedFields = ['name', 'namespace', 'uid', 'creationTimestamp'] as const;

function fixedErrors(next: ObjectMeta, current: ObjectMeta, path: FieldPath): FieldError[] {
  const all: FieldError[] = [];
  for (const field of fixedFields) {
    for (const error of unchanged(next[field], current[field], path.child(field))) all.push(error);
  }
  return all;
}

function nameErrors(meta: ObjectMeta, rule: NameRule, path: FieldPath): FieldError[] {
  const prefix = given(
    meta.generateName === '' ? undefined : meta.generateName,
    path.child('generateName'),
    (v, p) => invalidEach(v, p, rule(v, true)),
  );
  const name = meta.name ?? '';
  if (name === '') return [...prefix, required(path.child('name'), 'name or generateName is required')];
  const messages = rule(name, false);
  const unsafe = pathSegment(name);
  const isPlain = unsafe.length === 0 && messages.length < 2;
  const nameMessages = isPlain ? messages : [...new Set([...unsafe, ...messages])];
  return allOf(prefix, invalidEach(name, path.child('name'), nameMessages));
}

function namespaceErrors(meta: ObjectMeta, namespaced: boolean, path: FieldPath): FieldError[] {
  const namespace = meta.namespace ?? '';
  if (!namespaced) return namespace === '' ? [] : [forbidden(path, 'not allowed on this type')];
  return namespace === '' ? [required(path)] : invalidEach(namespace, path, dns1123Label(namespace));
}

function sharedErrors(meta: ObjectMeta, path: FieldPath): FieldError[] {
  return allOf(
    validateLabels(meta.labels, path.child('labels')),
    validateAnnotations(meta.annotations, path.child('annotations')),
    ownerErrors(meta.ownerReferences, path.child('ownerReferences')),
    each(meta.managedFields, path.child('managedFields'), managedFieldsErrors),
  );
}

function ownerErrors(owners: Maybe<readonly OwnerReference[]>, path: FieldPath): FieldError[] {
  if (owners === undefined || owners === null) return [];
  const controllers = owners.filter((owner) => owner.controller === true);
  const names = controllers.map((owner) => owner.name).join(' and ');
  const message = `Only one reference can have Controller set to true. Found "true" in references for ${names}`;
  return allOf(
    each(owners, path, ownerError),
    controllers.length > 1 ? [invalid(path, owners, message)] : [],
  );
}

function ownerError(owner: Partial<OwnerReference>, path: FieldPath): FieldError[] {
  const apiVersion = owner.apiVersion ?? '';
  const version = parseApiVersion(apiVersion)
    ? []
    : [invalid(path.child('apiVersion'), apiVersion, 'version must not be empty')];
  const empty = (['kind', 'name', 'uid'] as const)
    .filter((field) => (owner[field] ?? '') === '')
    .map((field) => invalid(path.child(field), '', 'must not be empty'));
  const banned =
    apiVersion === 'v1' && owner.kind === 'Event'
      ? [invalid(path, owner, '/v1, Kind=Event is disallowed from being an owner')]
      : [];
  return allOf(version, empty, banned);
}

function finalizerErrors(
  finalizers: Maybe<readonly string[]>,
  bare: readonly string[] | undefined,
  path: FieldPath,
): FieldError[] {
  const errors = each(finalizers, path, (name, p) =>
    allOf(
      invalidEach(name, p, qualifiedName(name)),
      bare !== undefined &&
        !name.includes('/') &&
        ![orphanFinalizer, foregroundFinalizer, ...bare].includes(name)
        ? [invalid(p, name, 'name is neither a standard finalizer name nor is it fully qualified')]
        : [],
    ),
  );
  if (finalizers === undefined || finalizers === null) return errors;
  const both = finalizers.includes(orphanFinalizer) && finalizers.includes(foregroundFinalizer);
  const message = `finalizer ${foregroundFinalizer} and finalizer ${orphanFinalizer} cannot be both set`;
  return both ? [...errors, invalid(path, finalizers, message)] : errors;
}

function managedFieldsErrors(entry: ManagedFieldsEntry, path: FieldPath): FieldError[] {
  const manager = entry.manager ?? '';
  const operation: string = entry.operation ?? '';
  return allOf(
    operation === 'Apply' || operation === 'Update'
      ? []
      : [invalid(path.child('operation'), operation, 'must be `Apply` or `Update`')],
    (entry.fieldsType ?? '') === '' || entry.fieldsType === 'FieldsV1'
      ? []
      : [notSupported(path.child('fieldsType'), entry.fieldsType, ['FieldsV1'])],
    manager.length > managerMaxLength
      ? [invalid(path.child('manager'), manager, `must have at most ${String(managerMaxLength)} bytes`)]
      : [],
    /\p{C}/u.test(manager)
      ? [invalid(path.child('manager'), manager, 'should only contain printable characters')]
      : [],
  );
}

const deletionFields = ['deletionTimestamp', 'deletionGracePeriodSeconds'] as const;

function deletionErrors(next: ObjectMeta, current: ObjectMeta, path: FieldPath): FieldError[] {
  return deletionFields
    .filter((field) => !same(next[field], current[field]))
    .map((field) =>
      invalid(path.child(field), next[field], 'field is immutable; may only be changed via deletion'),
    );
}

function newFinalizerErrors(next: ObjectMeta, current: ObjectMeta, path: FieldPath): FieldError[] {
  if (!current.deletionTimestamp) return [];
  const before = new Set(current.finalizers);
  const added = (next.finalizers ?? []).filter((name) => !before.has(name));
  const message = `no new finalizers can be added if the object is being deleted, found new finalizers ${quoted(added)}`;
  return added.length > 0 ? [forbidden(path, message)] : [];
}

function generationErrors(next: ObjectMeta, current: ObjectMeta, path: FieldPath): FieldError[] {
  const lowered = (next.generation ?? 0) < (current.generation ?? 0);
  return lowered ? [invalid(path, next.generation, 'must not be decremented')] : [];
}
