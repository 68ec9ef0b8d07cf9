/** What the tenants of a world have done and know, together. */
import type { JsonObject } from '../../../src/base/json.ts';
import type { ApiObject } from '../../../src/meta/object.ts';
import { parseQuantity } from '../../../src/meta/quantity.ts';
import type { QuotaLimit } from '../../support/histories/invariants/quotas.ts';
import type { Change, Commit } from '../../support/histories/types.ts';
import type { KnownObject } from './tenant-objects.ts';

/** So many objects at most may become owners. */
const mostKnown = 24;
/** The annotation that tells which call wrote a state. */
export const callAnnotation = 'example.test/call';
/** Milliseconds for which what was charged to a quota is kept, though what it was for is not there yet. */
const chargeMs = 500;

/** A write that quotas may bound: when it was asked for, and the quota that its replica knew. */
interface Call {
  readonly at: number;
  readonly quota: ApiObject | undefined;
}

export class Deeds {
  readonly #known: KnownObject[] = [];
  /** Uids of objects that tenants deleted, or tried to. */
  readonly deleted = new Set<string>();
  /** Of these, those that were deleted more than once, by tenants or by a controller as well. */
  readonly deletedAgain = new Set<string>();
  /** Uids of objects that a controller deleted, or tried to. */
  readonly #collected = new Set<string>();
  /** `<collection>/<namespace>/` of what they deleted altogether. */
  readonly cleared = new Set<string>();
  /** Uids of objects whose finalizer they took away. */
  readonly released = new Set<string>();
  count = 0;
  readonly #calls: Call[] = [];

  get known(): readonly KnownObject[] {
    return this.#known;
  }

  learn(object: KnownObject): void {
    if (this.#known.some(({ uid }) => uid === object.uid)) return;
    this.#known.push(object);
    if (this.#known.length > mostKnown) this.#known.shift();
  }

  delete(uid: string): void {
    if (this.deleted.has(uid) || this.#collected.has(uid)) this.deletedAgain.add(uid);
    this.deleted.add(uid);
  }

  /** A controller deletes the object; until it succeeds it may try many times, but only once it does. */
  collect(uid: string): void {
    if (this.deleted.has(uid)) this.deletedAgain.add(uid);
    this.#collected.add(uid);
  }

  /** Takes note of a write. @returns the annotation that it writes */
  call(at: number, quota: ApiObject | undefined): JsonObject {
    this.#calls.push({ at, quota });
    return { [callAnnotation]: String(this.#calls.length - 1) };
  }

  /**
   * What bounds a write: the quota that the replica knew, unless it took so long that its charge was given back. Limits
   * may have been raised or lowered since.
   */
  boundOf({ put }: Change, { at = 0 }: Commit, limit: QuotaLimit): bigint | undefined {
    const { annotations } = (put?.object as unknown as ApiObject).metadata;
    const call = this.#calls[Number(annotations?.[callAnnotation] ?? -1)];
    if (call?.quota?.metadata.uid !== limit.uid || at - call.at >= chargeMs) return undefined;
    const known = knownLimit(call.quota, limit.resource);
    return known === undefined || known > limit.amount ? known : limit.amount;
  }
}

/** What a quota allows of a resource, if it has counted it. */
function knownLimit(quota: ApiObject, resource: string): bigint | undefined {
  const { spec, status } = quota as unknown as Quota;
  const text = spec?.hard?.[resource];
  return text === undefined || status?.used?.[resource] === undefined
    ? undefined
    : parseQuantity(text)?.nanos;
}

interface Quota {
  readonly spec?: { readonly hard?: Readonly<Record<string, string>> };
  readonly status?: { readonly used?: Readonly<Record<string, string>> };
}
