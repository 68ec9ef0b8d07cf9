/** EventRateLimit: what each type of limit counts apart, what counts at all, and what is told beyond. */
import { createEventRateLimit, type EventLimit } from '../../../src/admission/event-rate-limit.ts';
import { attributesOf, naming, outcomeOf, type Write } from '../../support/admission.ts';

const write: Write = {
  resource: 'events',
  object: { source: { component: 'a' }, involvedObject: { name: 'x' } },
};

/** The outcomes of writes, one after the other at one moment. */
async function outcomes(limit: Partial<EventLimit>, ...writes: readonly Partial<Write>[]): Promise<string[]> {
  const limits = [{ type: 'Server', qps: 1, burst: 1, cacheSize: 10, ...limit } as const];
  const plugin = createEventRateLimit(limits, naming, { now: () => 0, monotonic: () => 0 });
  const told: string[] = [];
  for (const one of writes) told.push(await outcomeOf(plugin, attributesOf({ ...write, ...one })));
  return told;
}

const other = { object: { source: { component: 'b' }, involvedObject: { name: 'x' } } };
const newer = 'events.orch.io/v1/events';

test.each<readonly [string, Partial<EventLimit>, Partial<Write>, string]>([
  ['the server, whatever is written', {}, { namespace: 'api' }, '429 limit reached on type Server for key '],
  ['a namespace', { type: 'Namespace' }, {}, '429 limit reached on type Namespace for key web'],
  ['another namespace', { type: 'Namespace' }, { namespace: 'api' }, ''],
  ['a user', { type: 'User' }, { namespace: 'api' }, '429 limit reached on type User for key somebody'],
  ['another user', { type: 'User' }, { user: { name: 'ann' } }, ''],
  [
    'a source and object',
    { type: 'SourceAndObject' },
    {},
    '429 limit reached on type SourceAndObject for key ax',
  ],
  ['another source', { type: 'SourceAndObject' }, other, ''],
  ['an update', {}, { operation: 'UPDATE' }, '429 limit reached on type Server for key '],
  ['an Event of the newer group', {}, { resource: newer }, '429 limit reached on type Server for key '],
  ['a deletion', {}, { operation: 'DELETE' }, ''],
  ['a dry run', {}, { dryRun: true }, ''],
  ['another kind', {}, { resource: 'configmaps' }, ''],
])('a second write: %s', async (_what, limit, second, outcome) => {
  expect(await outcomes(limit, {}, second)).toEqual(['', outcome]);
});

test('every limit applies, and all exceeded ones are reported', async () => {
  const limit = { qps: 1, burst: 1, cacheSize: 10 };
  const limits = [
    { ...limit, type: 'Server' },
    { ...limit, type: 'User' },
  ] as const;
  const plugin = createEventRateLimit(limits, naming, { now: () => 0, monotonic: () => 0 });
  expect(await outcomeOf(plugin, attributesOf(write))).toBe('');
  expect(await outcomeOf(plugin, attributesOf(write))).toBe(
    '429 [limit reached on type Server for key , limit reached on type User for key somebody]',
  );
});

test('the bucket of the least recently used key is reset', async () => {
  const [a, b, c] = ['a', 'b', 'c'].map((namespace) => ({ namespace }));
  const told = await outcomes({ type: 'Namespace', cacheSize: 2 }, a!, b!, a!, c!, b!, a!);
  const reached = (key: string): string => `429 limit reached on type Namespace for key ${key}`;
  // `c` took the place of `b`, which then took that of `a`.
  expect(told).toEqual(['', '', reached('a'), '', '', '']);
});
