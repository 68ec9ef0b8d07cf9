/** Which requests a fault strikes does not depend on the order in which requests for different objects come. */
import fc from 'fast-check';
import type { FaultOrder, FaultScope } from '../../../src/testing/fault-orders.ts';
import { ActiveFault } from '../../../src/testing/host/faults/active-fault.ts';
import { RequestNumbers } from '../../../src/testing/host/faults/request-numbers.ts';
import type { StruckRequest } from '../../../src/testing/host/faults/struck-request.ts';

const request = (name: string): StruckRequest => ({
  ...{ user: 'jane', verb: 'update', resource: 'configmaps', subresource: '' },
  ...{ namespace: 'default', name, isOfAdminClient: false },
});
const names = fc.array(fc.constantFrom('a', 'b', 'c', '__proto__'), { maxLength: 40 });
const order = (scope: FaultScope): FaultOrder => ({ kind: 'conflicts', scope });

/** The requests that are struck, by name and number. */
function struck(fault: ActiveFault, asked: readonly string[]): readonly string[] {
  const numbers = new RequestNumbers();
  for (const name of asked) fault.strikesAt(request(name), numbers.next(request(name)));
  return [...fault.requests].sort();
}

const shuffled = names.chain((all) =>
  fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
);

test('chance decides by seed, fault, request and its number', () => {
  fc.assert(
    fc.property(shuffled, fc.integer(), ([asked, later], seed) => {
      const fault = (): ActiveFault => new ActiveFault({ id: 1, seed, order: order({ rate: 0.5 }) });
      expect(struck(fault(), later)).toEqual(struck(fault(), asked));
    }),
  );
});

test('what a fault struck by counts and chance is struck again by its names, in any order', () => {
  const scopes = fc.record({
    rate: fc.double({ min: 0, max: 1, noNaN: true }),
    times: fc.nat(6),
    after: fc.nat(9),
  });
  fc.assert(
    fc.property(shuffled, fc.integer(), scopes, ([asked, later], seed, scope) => {
      const first = struck(new ActiveFault({ id: 1, seed, order: order(scope) }), asked);
      const exact = new ActiveFault({ id: 9, seed: seed + 1, order: order({ requests: first }) });
      expect(struck(exact, later)).toEqual(first);
    }),
  );
});

test('history that has expired stays so from the request that is named', () => {
  const requests = ['update configmaps default/a of jane #2'];
  const fault = new ActiveFault({ id: 1, seed: 1, order: { kind: 'expireHistory', scope: { requests } } });
  expect(struck(fault, ['a', 'b', 'a', 'b'])).toEqual([
    ...requests,
    'update configmaps default/b of jane #2',
  ]);
});
