/** Each kind of fault, put anywhere into a right history, is found by the validator of that name. */
import fc from 'fast-check';

import { validators } from '../../../support/histories/validate.ts';
import type { MutableHistory } from './fault.ts';
import { readFaults, writeFaults } from './read-write-faults.ts';
import { numbers, TrueHistory } from './true-history.ts';
import { watchFaults } from './watch-faults.ts';

const runs = 25;

test.each(
  [...watchFaults, ...readFaults, ...writeFaults].map((fault) => [fault.what, fault.foundBy, fault] as const),
)('%s: found by "%s"', (_what, foundBy, fault) => {
  let places = 0;
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 200, max: 500 }), (seed, steps) => {
      const right = new TrueHistory(seed).run(steps);
      const history = structuredClone(right.history) as MutableHistory;
      const truth = structuredClone(right.truth);
      if (!fault.put(history, truth, numbers(seed + 1))) return;
      places += 1;
      expect(validators[foundBy](history, truth)).not.toEqual([]);
    }),
    { numRuns: runs },
  );
  // Most histories have a place for it: the test is about something.
  expect(places).toBeGreaterThan(runs / 5);
});

test('violations are a bounded number of lines, the last of which counts the rest', () => {
  const { history, truth } = new TrueHistory(3).run(2_000);
  const invented = structuredClone(history) as MutableHistory;
  const found = invented.gets.filter(({ answer }) => 'found' in answer && answer.found);
  for (const { answer } of found) if ('found' in answer && answer.found) answer.found.value = 'invented';
  const lines = validators.trueGets(invented, truth);
  expect(lines).toHaveLength(21);
  expect(lines.at(-1)).toBe(`and ${String(found.length - 20)} more`);
  expect(lines[0]).toMatch(/^get #\d+ of c\d at r\d of [ab]\/[xy] .* found .*=invented at \d+/);
});
