/** Amounts against one item of a LimitRange, in the words that clients of this API know. */
import type { LimitRangeItem } from '../api/core/v1.types.ts';
import { canonicalQuantity, compareQuantities, type Quantity } from '../meta/quantity.ts';
import { quantityOf } from '../api/core/pod/amounts.ts';

type Amounts = Readonly<Record<string, string>>;

/** Requests and limits of one pod, container or claim. */
export interface Bounded {
  readonly type: string;
  readonly requests: Amounts;
  /** undefined: the kind knows requests only. */
  readonly limits: Amounts | undefined;
}

/** The bounds of one item, read once for all that they bind. */
export interface Bounds {
  readonly min: readonly Bound[];
  readonly max: readonly Bound[];
  readonly ratio: readonly Bound[];
}

export function boundsOf({ min, max, maxLimitRequestRatio }: LimitRangeItem): Bounds {
  return { min: entries(min), max: entries(max), ratio: entries(maxLimitRequestRatio) };
}

export function countOf({ min, max, ratio }: Bounds): number {
  return min.length + max.length + ratio.length;
}

export function errorsOfAmounts({ min, max, ratio }: Bounds, amounts: Bounded): string[] {
  return [
    ...min.flatMap((bound) => belowMinimum(bound, amounts)),
    ...max.flatMap((bound) => aboveMaximum(bound, amounts)),
    ...(amounts.limits ? ratio.flatMap((bound) => aboveRatio(bound, amounts)) : []),
  ];
}

interface Bound {
  readonly resource: string;
  readonly text: string;
  readonly value: Quantity;
}

function entries(bounds: Amounts | undefined): Bound[] {
  return Object.entries(bounds ?? {}).map(([resource, text]) => ({
    ...{ resource, text: canonicalQuantity(text) ?? text },
    value: quantityOf(text),
  }));
}

function belowMinimum({ resource, text, value }: Bound, { type, requests, limits }: Bounded): string[] {
  const start = `minimum ${resource} usage per ${type} is ${text}`;
  const request = amountOf(requests, resource);
  const limit = amountOf(limits ?? {}, resource);
  if (!request) return [`${start}. No request is specified`];
  if (compareQuantities(request.value, value) < 0) return [`${start}, but request is ${request.text}`];
  if (limit && compareQuantities(limit.value, value) < 0) return [`${start}, but limit is ${limit.text}`];
  return [];
}

function aboveMaximum({ resource, text, value }: Bound, { type, requests, limits }: Bounded): string[] {
  const start = `maximum ${resource} usage per ${type} is ${text}`;
  const request = amountOf(requests, resource);
  const limit = amountOf(limits ?? {}, resource);
  if (limits && !limit) return [`${start}. No limit is specified`];
  if (!limits && !request) return [`${start}. No request is specified`];
  if (limit && compareQuantities(limit.value, value) > 0) return [`${start}, but limit is ${limit.text}`];
  if (request && compareQuantities(request.value, value) > 0)
    return [`${start}, but request is ${request.text}`];
  return [];
}

function aboveRatio({ resource, text, value }: Bound, { type, requests, limits = {} }: Bounded): string[] {
  const start = `${resource} max limit to request ratio per ${type} is ${text}`;
  const request = amountOf(requests, resource);
  const limit = amountOf(limits, resource);
  if (!request || request.value.nanos === 0n)
    return [`${start}, but no request is specified or request is 0`];
  if (!limit || limit.value.nanos === 0n) return [`${start}, but no limit is specified or limit is 0`];
  const ratio = Number(limit.value.nanos) / Number(request.value.nanos);
  const allowed = Number(value.nanos) / 1e9;
  return ratio > allowed ? [`${start}, but provided ratio is ${ratio.toFixed(6)}`] : [];
}

function amountOf(amounts: Amounts, resource: string): { text: string; value: Quantity } | undefined {
  const text = Object.hasOwn(amounts, resource) ? amounts[resource] : undefined;
  return text === undefined ? undefined : { text: canonicalQuantity(text) ?? text, value: quantityOf(text) };
}
