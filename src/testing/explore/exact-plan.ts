/** A plan that repeats what another one did. */
import type { FaultOrder, FaultScope } from '../fault-orders.ts';

/** Of a fault; one that struck more is ordered again as it was. */
const mostRequests = 8;

/**
 * The faults of a plan, each with the requests that it struck in place of counts and chance, and without those that struck
 * none.
 * @param requests of each fault
 */
export function exactly(
  plan: readonly FaultOrder[],
  requests: readonly (readonly string[])[],
): readonly FaultOrder[] {
  return plan.flatMap((order, index) => exact(order, requests[index] ?? []));
}

function exact(order: FaultOrder, requests: readonly string[]): FaultOrder[] {
  // What comes after its first request follows from that one.
  const needed = order.kind === 'expireHistory' ? requests.slice(0, 1) : requests;
  if (needed.length === 0) return [];
  if (needed.length > mostRequests) return [order];
  return [{ ...order, scope: { ...withoutChance(order.scope ?? {}), requests: needed } }];
}

function withoutChance({ rate: _rate, times: _times, after: _after, ...scope }: FaultScope): FaultScope {
  return scope;
}
