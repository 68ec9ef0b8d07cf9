/**
 * The conversion interface of built-in and custom resources. An object has three forms:
 *
 *   stored form ◀── stored ──▶ internal version ◀── toInternal, fromInternal ──▶ version of the request
 *
 * Strategies, validation and admission work on the internal version. For a built-in resource that is its storage
 * version, which all its versions share. For a custom resource it is the requested version, as only its schema
 * describes the object; `stored` then converts, possibly with a webhook.
 */
import type { JsonObject } from '../../base/json.ts';
import { whenReady, type MaybePromise } from '../../base/maybe-promise.ts';
import type { Entry } from '../../storage/types.ts';

/** The conversions of a resource in one version. Those of objects may mutate and return their argument. */
export interface ObjectConversion {
  /** This version is the internal one: `toInternal` and `fromInternal` do nothing. */
  readonly isInternal: boolean;
  /** Object of this version → of its internal version. */
  toInternal(object: JsonObject): JsonObject;
  /** Object of the internal version → of this version. */
  fromInternal(object: JsonObject): JsonObject;
  /** Object of the internal version of any version of the resource → of this one's. @throws StatusError 500 */
  internalFrom(object: JsonObject, signal: AbortSignal): MaybePromise<JsonObject>;
  /** Between the stored form and the internal version. Absent: they are the same. */
  readonly stored?: StoredConversion;
}

/** Between what is stored, which may be of any version or shape, and the internal version. */
export interface StoredConversion {
  /** The entry in the internal version, if cached. */
  known(entry: Entry): Entry | undefined;
  /**
   * Entries in the internal version, in order.
   * @throws StatusError 500 that names the cause; the signal's reason
   */
  decode(entries: readonly Entry[], signal: AbortSignal): Promise<readonly Entry[]>;
  /**
   * As `decode`, but only the first of them if they become large: at least one. Defaults can make a thousand times of
   * what is stored, so that whoever needs one after the other asks by this.
   */
  decodeFirst(entries: readonly Entry[], signal: AbortSignal): Promise<readonly Entry[]>;
  /**
   * The stored form of an object of the internal version; the same buffer if it is equal.
   * @throws StatusError 500
   */
  encode(bytes: Buffer, signal: AbortSignal): Promise<Buffer>;
}

/** A resource in one version whose objects convert. */
export interface Convertible {
  readonly conversion: ObjectConversion;
}

/** An object of one version of a resource in another. May mutate and return its argument. @throws StatusError 500 */
export function convertObject(
  object: JsonObject,
  from: Convertible,
  to: Convertible,
  signal: AbortSignal,
): MaybePromise<JsonObject> {
  const internal = to.conversion.internalFrom(from.conversion.toInternal(object), signal);
  return whenReady(internal, (converted) => to.conversion.fromInternal(converted));
}
