/** The text of a long review is written in slices. */
import { bodyText } from '../../../src/webhook/api-transport.ts';
import { measureInSteps, measure } from '../../../src/base/measure.ts';
import { resultInSlices } from '../../../src/base/sliced-work.ts';
import { cpuBudget, leastOfThree } from '../../support/cpu-time.ts';
import { turnsOf } from '../../support/turns.ts';

const objects = Array.from({ length: 60_000 }, (_, i) => ({ uid: String(i), ready: true, at: [i, null] }));
const request = {
  method: 'POST',
  path: '/',
  body: { kind: 'ConversionReview', request: { objects } },
} as const;

test('a short body is there at once', () => {
  expect(bodyText({ ...request, body: { a: [1] } })).toBe('{"a":[1]}');
  expect(bodyText({ method: 'GET', path: '/' })).toBeUndefined();
});

test('a long one is the text of its JSON, and holds the thread for some milliseconds', async () => {
  expect(await bodyText(request)).toBe(JSON.stringify(request.body));
  const longest = await leastOfThree(
    async () => (await turnsOf(async () => bodyText(request)))[0] ?? Infinity,
  );
  expect(longest).toBeLessThan(cpuBudget(12));
});

test('so is its measure', async () => {
  expect(await resultInSlices(measureInSteps(objects))).toEqual(measure(objects));
  const longest = await leastOfThree(
    async () => (await turnsOf(() => resultInSlices(measureInSteps(objects))))[0] ?? Infinity,
  );
  expect(longest).toBeLessThan(cpuBudget(12));
});
