/** Whether an order can be carried out. */
import type { FaultOrder } from '../../fault-orders.ts';
import { millisecondsOf } from './milliseconds.ts';
import { refusalOf } from './refusal.ts';

/** @throws TypeError that says what is wrong */
export function checkOrder(order: FaultOrder): void {
  const { rate = 1, times = 1, after = 0 } = order.scope ?? {};
  if (!(rate >= 0 && rate <= 1)) throw new TypeError(`a rate is from 0 to 1, not ${String(rate)}`);
  for (const count of [times, after])
    if (!Number.isInteger(count) || count < 0)
      throw new TypeError(`\`times\` and \`after\` are whole numbers, not ${String(count)}`);
  if ('by' in order) millisecondsOf(order.by);
  if (order.kind === 'restart') millisecondsOf(order.downFor ?? '0s');
  if (order.kind === 'refuse') refusalOf(order.status, order.retryAfter);
}
