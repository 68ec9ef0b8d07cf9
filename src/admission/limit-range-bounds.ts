/** Amounts against one bound of a LimitRange, in the words that clients of this API know. */
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

const kinds = ['min', 'max', 'maxLimitRequestRatio'] as const;

export interface Bound {
  readonly kind: (typeof kinds)[number];
  readonly resource: string;
  readonly text: string;
  readonly value: Quantity;
}

/** In the order in which they are checked. */
export function boundsOf(item: LimitRangeItem): Bound[] {
  return kinds.flatMap((kind) =>
    Object.entries(item[kind] ?? {}).map(([resource, text]) => ({
      ...{ kind, resource, text },
      value: quantityOf(text),
    })),
  );
}

/** Whether what is within `a` is within `b` too, and not the other way round; both are of one kind and resource. */
export function isTighter(a: Bound, b: Bound): boolean {
  const order = compareQuantities(a.value, b.value);
  return a.kind === 'min' ? order > 0 : order < 0;
}

/** What is wrong with the amounts; undefined where they are within the bound. */
export function problemOf(bound: Bound, amounts: Bounded): string | undefined {
  switch (bound.kind) {
    case 'min':
      return belowMinimum(bound, amounts);
    case 'max':
      return aboveMaximum(bound, amounts);
    case 'maxLimitRequestRatio':
      return amounts.limits && aboveRatio(bound, amounts.limits, amounts);
  }
}

function belowMinimum({ resource, text, value }: Bound, amounts: Bounded): string | undefined {
  const { type, requests, limits } = amounts;
  const told = (problem: string): string =>
    `minimum ${resource} usage per ${type} is ${shown(text)}${problem}`;
  const request = amountOf(requests, resource);
  const limit = amountOf(limits ?? {}, resource);
  if (request === undefined) return told('. No request is specified');
  if (isLess(quantityOf(request), value)) return told(`, but request is ${shown(request)}`);
  if (limit !== undefined && isLess(quantityOf(limit), value)) return told(`, but limit is ${shown(limit)}`);
  return undefined;
}

function aboveMaximum({ resource, text, value }: Bound, amounts: Bounded): string | undefined {
  const { type, requests, limits } = amounts;
  const told = (problem: string): string =>
    `maximum ${resource} usage per ${type} is ${shown(text)}${problem}`;
  const request = amountOf(requests, resource);
  const limit = amountOf(limits ?? {}, resource);
  if (limits && limit === undefined) return told('. No limit is specified');
  if (!limits && request === undefined) return told('. No request is specified');
  if (limit !== undefined && isLess(value, quantityOf(limit))) return told(`, but limit is ${shown(limit)}`);
  if (request !== undefined && isLess(value, quantityOf(request)))
    return told(`, but request is ${shown(request)}`);
  return undefined;
}

function aboveRatio(
  { resource, text, value }: Bound,
  limits: Amounts,
  { type, requests }: Bounded,
): string | undefined {
  const told = (problem: string): string =>
    `${resource} max limit to request ratio per ${type} is ${shown(text)}, but ${problem}`;
  const request = quantityOf(amountOf(requests, resource));
  const limit = quantityOf(amountOf(limits, resource));
  if (request.nanos === 0n) return told('no request is specified or request is 0');
  if (limit.nanos === 0n) return told('no limit is specified or limit is 0');
  const ratio = Number(limit.nanos) / Number(request.nanos);
  return ratio > Number(value.nanos) / 1e9 ? told(`provided ratio is ${ratio.toFixed(6)}`) : undefined;
}

function amountOf(amounts: Amounts, resource: string): string | undefined {
  return Object.hasOwn(amounts, resource) ? amounts[resource] : undefined;
}

function isLess(a: Quantity, b: Quantity): boolean {
  return compareQuantities(a, b) < 0;
}

function shown(text: string): string {
  return canonicalQuantity(text) ?? text;
}
