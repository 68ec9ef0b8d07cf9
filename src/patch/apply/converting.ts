/**
 * Field ownership in several versions needs objects of one version in another, which may take a conversion webhook. The
 * rules stay plain functions: generators that yield each conversion they need and go on with its result. The caller
 * supplies the conversions, synchronously or not.
 */
import type { JsonObject } from '../../base/json.ts';
import { whenReady, type MaybePromise } from '../../base/maybe-promise.ts';

/** A conversion that a computation needs before it can go on. */
export interface ConversionRequest {
  /** It is not shared: the conversion may mutate and return it. */
  readonly object: JsonObject;
  /** `apiVersion` that the object is of. */
  readonly from: string;
  /** `apiVersion` that it is wanted in. */
  readonly to: string;
}

/** A computation of a `T` that yields the conversions it needs. */
export type Converting<T> = Generator<ConversionRequest, T, JsonObject>;

export type Convert = (request: ConversionRequest) => MaybePromise<JsonObject>;

/** Runs a computation in one version, which needs no conversion. @throws what it throws */
export function runInOneVersion<T>(computation: Converting<T>): T {
  const step = computation.next();
  if (step.done === true) return step.value;
  throw new Error(`a computation in one version needs a conversion to ${step.value.to}`);
}

/**
 * Runs a computation to its end: at once where every conversion is there at once.
 * Throws, or rejects, as the computation or a conversion does.
 */
export function runConverting<T>(computation: Converting<T>, convert: Convert): MaybePromise<T> {
  let step = computation.next();
  while (step.done !== true) {
    const converted = convert(step.value);
    if (converted instanceof Promise) return finish(computation, converted, convert);
    step = computation.next(converted);
  }
  return step.value;
}

function finish<T>(
  computation: Converting<T>,
  pending: Promise<JsonObject>,
  convert: Convert,
): MaybePromise<T> {
  return whenReady(pending, async (first) => {
    let step = computation.next(first);
    while (step.done !== true) step = computation.next(await convert(step.value));
    return step.value;
  });
}
