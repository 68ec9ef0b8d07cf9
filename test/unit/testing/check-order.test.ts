/** Faults and explorations as callers without types may order them. */
import type { FaultOrder } from '../../../src/testing/fault-orders.ts';
import { explore, type ExploreOptions } from '../../../src/testing/index.ts';
import { checkOrder } from '../../../src/testing/host/faults/check-order.ts';

test.each([
  [{ kind: 'foo' }, /there is no fault foo; faults are closeWatches/],
  [{ kind: 'staleReads' }, 'give a duration such as 250ms or 2s, not undefined'],
  [{ kind: 'delay', by: 250 }, 'give a duration such as 250ms or 2s, not 250'],
  [{ kind: 'conflicts', scope: { rate: '0.2' } }, '`rate` is a number from 0 to 1, not "0.2"'],
  [{ kind: 'conflicts', scope: { rate: 2 } }, '`rate` is a number from 0 to 1, not 2'],
  [{ kind: 'conflicts', scope: { times: -1 } }, '`times` is a whole number from 0, not -1'],
  [{ kind: 'conflicts', scope: { verbs: ['get'] } }, /requests have no verbs; a scope has user, verb/],
  [{ kind: 'conflicts', scope: JSON.parse('{"__proto__":1}') as object }, /requests have no __proto__/],
  [
    { kind: 'refuse', status: 500, scope: { verb: 'POST' } },
    /`verb` is one or more of get, list, .*not "POST"/,
  ],
  [{ kind: 'refuse', status: 500, scope: { resource: 7 } }, /`resource` is one or more resources/],
  [{ kind: 'refuse', status: 200 }, /a request is refused with one of 400, .*not 200/],
  [{ kind: 'refuse', status: 429, retryAfter: '2s' }, '`retryAfter` is a whole number of seconds'],
  [{ kind: 'loseAnswers', as: 'foo' }, '`as` is cut or timeout'],
  [{ kind: 'restart', downFor: 5 }, 'give a duration such as 250ms or 2s, not 5'],
])('%j is refused', (order: object, message) => {
  expect(() => {
    checkOrder(order as FaultOrder);
  }).toThrow(message);
});

test('what can be carried out is accepted', () => {
  checkOrder({ kind: 'closeWatches' });
  checkOrder({ kind: 'restart' });
  const scope = { user: 'jane', verb: ['get', '*'], resource: 'pods/status', rate: 0, times: 0, after: 3 };
  checkOrder({ kind: 'refuse', status: 503, retryAfter: 2, scope });
});

test.each([
  [{ seeds: 0 }, '`seeds` is how many seeds: a whole number from 1'],
  [{ seed: 1.5 }, '`seed` is a whole number'],
  [{ sedes: 3, faults: ['foo'] }, /explore has no option sedes; .*; `faults` is a list of /],
])('an exploration with %j is refused', async (options: object, message) => {
  await expect(explore(() => Promise.resolve(), options as ExploreOptions)).rejects.toThrow(message);
});

test('an exploration needs a test', async () => {
  await expect(explore(undefined as never)).rejects.toThrow('explore takes a test: a function');
});
