/** Owners, finalizers, labels and annotations of an object. */
import { listed, objectOf, resultOf, type MatcherResult, type OwnerLike, type Received } from './received.ts';

/** What names an owner: an object, or its kind and name. */
export type OwnerReference = Received | { readonly kind: string; readonly name: string };

export interface OwnerOptions {
  /** Whether the owner is the managing controller; default: either. */
  readonly controller?: boolean;
}

/** Does the object have this owner? One with a UID is known by it, so that an owner of the same name is another. */
export function toBeOwnedBy(
  received: unknown,
  owner: OwnerReference,
  { controller }: OwnerOptions = {},
): MatcherResult {
  const owners = objectOf(received).metadata?.ownerReferences ?? [];
  const wanted = wantedOwner(owner);
  const pass = owners.some(
    (each) =>
      isOwner(each, wanted) && (controller === undefined || (each.controller ?? false) === controller),
  );
  const role =
    controller === undefined ? '' : controller ? ' as its controller' : ' that is not its controller';
  const expected = `to be owned by ${ownerText(wanted)}${role}`;
  return resultOf(received, { pass, expected, there: listed('owners', owners.map(ownerText)) });
}

/** Does the object have this finalizer? */
export function toHaveFinalizer(received: unknown, name: string): MatcherResult {
  const finalizers = objectOf(received).metadata?.finalizers ?? [];
  const pass = finalizers.includes(name);
  return resultOf(received, {
    pass,
    expected: `to have finalizer ${name}`,
    there: listed('finalizers', finalizers),
  });
}

/** Was the object deleted, and waits for its finalizers or its grace period? */
export function toBeTerminating(received: unknown): MatcherResult {
  const { deletionTimestamp, finalizers = [] } = objectOf(received).metadata ?? {};
  const pass = deletionTimestamp !== undefined && deletionTimestamp !== null;
  const when = pass ? `it was deleted at ${timeText(deletionTimestamp)}` : 'it was not deleted';
  return resultOf(received, {
    pass,
    expected: 'to be terminating',
    there: [when, ...listed('finalizers', finalizers)],
  });
}

/** Does the object have this label, with this value if one is given? */
export function toHaveLabel(received: unknown, name: string, value?: string | RegExp): MatcherResult {
  return hasEntry(received, { field: 'labels', one: 'label', name, value });
}

/** Does the object have this annotation, with this value if one is given? */
export function toHaveAnnotation(received: unknown, name: string, value?: string | RegExp): MatcherResult {
  return hasEntry(received, { field: 'annotations', one: 'annotation', name, value });
}

interface Wanted {
  readonly field: 'labels' | 'annotations';
  readonly one: string;
  readonly name: string;
  readonly value: string | RegExp | undefined;
}

function hasEntry(received: unknown, { field, one, name, value }: Wanted): MatcherResult {
  const entries = Object.entries(objectOf(received).metadata?.[field] ?? {});
  const found = entries.find(([each]) => each === name)?.[1];
  const isRight = value instanceof RegExp ? value.test(found ?? '') : value === undefined || value === found;
  const expected = `to have ${one} ${name}${value === undefined ? '' : ` with value ${String(value)}`}`;
  const there = listed(
    field,
    entries.map(([each, text]) => `${each}: ${text}`),
  );
  return resultOf(received, { pass: found !== undefined && isRight, expected, there });
}

function wantedOwner(owner: OwnerReference): OwnerLike {
  if ('name' in owner) return owner;
  const { apiVersion, kind, metadata = {} } = owner;
  const { name, uid } = metadata;
  return {
    ...(apiVersion !== undefined && { apiVersion }),
    ...(kind !== undefined && { kind }),
    ...(name !== undefined && { name }),
    ...(uid !== undefined && { uid }),
  };
}

function isOwner(each: OwnerLike, wanted: OwnerLike): boolean {
  if (wanted.uid !== undefined && each.uid !== wanted.uid) return false;
  // Lists of some clients carry no kind in their items.
  if (wanted.kind !== undefined && each.kind !== wanted.kind) return false;
  if (wanted.apiVersion !== undefined && groupOf(each) !== groupOf(wanted)) return false;
  return each.name === wanted.name;
}

function groupOf({ apiVersion = '' }: OwnerLike): string {
  return apiVersion.includes('/') ? apiVersion.replace(/\/.*/, '') : '';
}

function ownerText({ kind = 'object', name, uid, controller }: OwnerLike): string {
  const role = controller === true ? ', its controller' : '';
  return `${kind} ${String(name)}${uid === undefined ? '' : ` (${uid})`}${role}`;
}

function timeText(time: unknown): string {
  return time instanceof Date ? time.toISOString() : String(time);
}
