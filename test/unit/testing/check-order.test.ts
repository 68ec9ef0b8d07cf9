/** Faults and explorations as callers without types may order them. */
import type { FaultOrder } from '../../../src/testing/fault-orders.ts';
import { explore, type ExploreOptions } from '../../../src/testing/index.ts';
import { checkOrder } from '../../../src/testing/host/faults/check-order.ts';

test.each([
  [null, 'a fault: give an object, not null'],
  [{}, 'a fault: give a text, not undefined'],
  [{ kind: 'delay', by: '1s', scop: {} }, 'delay: there is no option scop; options are kind, scope, by'],
  [{ kind: 'delay', by: '1s', scope: null }, 'the option scope cannot be used: give an object, not null'],
  [{ kind: 'foo' }, /there is no fault foo; faults are closeWatches/],
  [{ kind: 'staleReads' }, 'give a duration such as 250ms or 2s, not undefined'],
  [{ kind: 'delay', by: 250 }, 'give a duration such as 250ms or 2s, not 250'],
  [
    { kind: 'conflicts', scope: { rate: '0.2' } },
    'the option rate cannot be used: give a number from 0 to 1, not "0.2"',
  ],
  [
    { kind: 'conflicts', scope: { rate: 2 } },
    'the option rate cannot be used: give a number from 0 to 1, not 2',
  ],
  [
    { kind: 'conflicts', scope: { times: -1 } },
    'the option times cannot be used: give a whole number from 0, not -1',
  ],
  [
    { kind: 'conflicts', scope: { verbs: ['get'] } },
    /the scope of conflicts: there is no option verbs; options are user, verb/,
  ],
  [{ kind: 'conflicts', scope: JSON.parse('{"__proto__":1}') as object }, /there is no option __proto__/],
  [
    { kind: 'refuse', status: 500, scope: { verb: 'POST' } },
    /verb cannot be used: give one or more of get, list, .*not "POST"/,
  ],
  [
    { kind: 'refuse', status: 500, scope: { resource: 7 } },
    /resource cannot be used: give one or more resources/,
  ],
  [{ kind: 'refuse', status: 200 }, /a request is refused with one of 400, .*not 200/],
  [
    { kind: 'refuse', status: 429, retryAfter: '2s' },
    'the option retryAfter cannot be used: give a whole number of seconds, not "2s"',
  ],
  [{ kind: 'loseAnswers', as: 'foo' }, 'the option as cannot be used: give cut or timeout, not "foo"'],
  [{ kind: 'restart', downFor: 5 }, 'give a duration such as 250ms or 2s, not 5'],
])('%j is refused', (order: unknown, message) => {
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
  [{ seeds: 0 }, 'the option seeds cannot be used: give how many seeds: a whole number from 1'],
  [{ seed: 1.5 }, 'the option seed cannot be used: give a whole number'],
  [
    { sedes: 3, faults: ['foo'] },
    /there is no option sedes; .*; the option faults cannot be used: give a list of /,
  ],
])('an exploration with %j is refused', async (options: object, message) => {
  await expect(explore(() => Promise.resolve(), options as ExploreOptions)).rejects.toThrow(message);
});

test('an exploration needs a test', async () => {
  await expect(explore(undefined as never)).rejects.toThrow(
    'explore: give a test: a function, not undefined',
  );
});
