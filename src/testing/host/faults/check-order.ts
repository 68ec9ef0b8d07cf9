/** Whether an order can be carried out. */
import type { FaultKind, FaultOrder, FaultScope } from '../../fault-orders.ts';
import { millisecondsOf } from './milliseconds.ts';
import { refusalOf } from './refusal.ts';

const verbs: ReadonlySet<unknown> = new Set([
  ...['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection', '*'],
]);

const isText = (value: unknown): boolean => typeof value === 'string';
const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0;
const eachOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** What each member of a scope is, and what it has to be in words. */
const members: Readonly<
  Record<keyof FaultScope, readonly [isGood: (value: unknown) => boolean, words: string]>
> = {
  user: [isText, 'the name of a user'],
  verb: [
    (value) => eachOf(value).every((each) => verbs.has(each)),
    `one or more of ${[...verbs].join(', ')}`,
  ],
  resource: [
    (value) => eachOf(value).every(isText),
    'one or more resources, such as pods or deployments.apps',
  ],
  namespace: [isText, 'the name of a namespace'],
  name: [isText, 'the name of an object'],
  rate: [(value) => typeof value === 'number' && value >= 0 && value <= 1, 'a number from 0 to 1'],
  times: [isCount, 'a whole number from 0'],
  after: [isCount, 'a whole number from 0'],
  requests: [
    (value) => Array.isArray(value) && value.every(isText),
    'a list of requests, such as `update configmaps default/web of jane #2`',
  ],
  includeAdminClient: [(value) => typeof value === 'boolean', 'true or false'],
};

const kinds: ReadonlySet<string> = new Set<FaultKind>([
  ...(['closeWatches', 'expireHistory', 'staleReads', 'lagReplica', 'conflicts'] as const),
  ...(['delay', 'refuse', 'restart', 'loseAnswers'] as const),
]);

/** @throws TypeError that says what is wrong */
export function checkOrder(order: FaultOrder): void {
  if (!kinds.has(order.kind))
    throw new TypeError(`there is no fault ${order.kind}; faults are ${[...kinds].join(', ')}`);
  for (const [member, value] of Object.entries(order.scope ?? {})) checkMember(member, value);
  if (order.kind === 'staleReads' || order.kind === 'lagReplica' || order.kind === 'delay')
    millisecondsOf(order.by);
  if (order.kind === 'restart') millisecondsOf(order.downFor ?? '0s');
  if (order.kind === 'refuse') checkRefusal(order.status, order.retryAfter);
  if (order.kind === 'loseAnswers' && !['cut', 'timeout'].includes(order.as ?? 'cut'))
    throw new TypeError('`as` is cut or timeout');
}

function checkRefusal(status: number, retryAfter = 1): void {
  if (!isCount(retryAfter)) throw new TypeError('`retryAfter` is a whole number of seconds');
  refusalOf(status, retryAfter);
}

function checkMember(member: string, value: unknown): void {
  if (!Object.hasOwn(members, member))
    throw new TypeError(`requests have no ${member}; a scope has ${Object.keys(members).join(', ')}`);
  const [isGood, words] = members[member as keyof FaultScope];
  if (value !== undefined && !isGood(value))
    throw new TypeError(`\`${member}\` is ${words}, not ${JSON.stringify(value)}`);
}
