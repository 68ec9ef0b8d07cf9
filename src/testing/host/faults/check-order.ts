/** Whether an order can be carried out. */
import type { FaultKind, FaultOrder } from '../../fault-orders.ts';
import {
  aBoolean,
  anObject,
  anything,
  aText,
  isCount,
  judge,
  judgeOptions,
  oneOf,
  that,
  type Check,
} from '../../judge.ts';
import { scopeChecks } from '../../scope-checks.ts';
import { millisecondsOf } from './milliseconds.ts';
import { refusalOf } from './refusal.ts';

/** What orders have beside their kind and their scope; what durations and statuses may be, their readers say. */
const members: Readonly<Record<FaultKind, Readonly<Record<string, Check>>>> = {
  closeWatches: { cut: aBoolean },
  expireHistory: {},
  staleReads: { by: anything },
  lagReplica: { by: anything },
  conflicts: {},
  delay: { by: anything },
  refuse: { status: anything, retryAfter: that('a whole number of seconds', isCount) },
  restart: { downFor: anything },
  loseAnswers: { as: oneOf('cut', 'timeout') },
};

/** @throws TypeError that says what is wrong */
export function checkOrder(order: FaultOrder): void {
  judge('a fault', order, anObject);
  const { kind, scope } = order;
  judge('a fault', kind, aText);
  if (!Object.hasOwn(members, kind))
    throw new TypeError(`there is no fault ${kind}; faults are ${Object.keys(members).join(', ')}`);
  judgeOptions(kind, order, { kind: anything, scope: anObject, ...members[kind] });
  if (scope !== undefined) judgeOptions(`the scope of ${kind}`, scope, scopeChecks);
  if (kind === 'staleReads' || kind === 'lagReplica' || kind === 'delay') millisecondsOf(order.by);
  if (kind === 'restart') millisecondsOf(order.downFor ?? '0s');
  if (kind === 'refuse') refusalOf(order.status, order.retryAfter);
}
