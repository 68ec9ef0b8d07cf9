/** Mutating policies that want more than there is: each change is bounded, in its time and in what it makes. */
import type { JsonObject } from '../../../src/base/json.ts';
import { leastShare } from '../../support/cpu-time.ts';
import { apply, outcome, patch } from '../../support/mutations.ts';

const bomb = Array.from({ length: 30 }, (_, i) => ({
  name: `v${String(i)}`,
  expression:
    i === 0
      ? "'x'"
      : `[${Array(10)
          .fill(`variables.v${String(i - 1)}`)
          .join(',')}]`,
}));

test.each<[string, JsonObject, JsonObject, RegExp]>([
  [
    'a value that holds itself a thousand times and more',
    apply("Object{data: {'a': dyn(variables.v29)}}"),
    { variables: bomb },
    /denied request: the value is too large$/,
  ],
  [
    'a value nested too deep',
    apply("Object{data: {'a': dyn(variables.v9)}}"),
    {
      variables: Array.from({ length: 10 }, (_, i) => ({
        name: `v${String(i)}`,
        expression: `${'['.repeat(200)}${i === 0 ? '1' : `variables.v${String(i - 1)}`}${']'.repeat(200)}`,
      })),
    },
    /denied request: (the value is too large|expression .*)$/s,
  ],
  [
    'a patch that doubles the object',
    patch(
      `[${Array.from({ length: 40 }, (_, i) => `JSONPatch{op: 'copy', from: '', path: '/data/a${String(i)}'}`).join(',')}]`,
    ),
    {},
    /JSON Patch: operation \d+ \(copy\): the patch copies more than is allowed$/,
  ],
  [
    'an evaluation without end',
    apply(
      `Object{data: [${'1,'.repeat(99)}1].map(a, [${'1,'.repeat(99)}1].map(b, [${'1,'.repeat(99)}1].map(c, a + b + c)))[0]}`,
    ),
    {},
    /operation cancelled/,
  ],
  [
    'a prototype',
    apply("Object{data: {'__proto__': 'x'}, metadata: Object.metadata{labels: {'constructor': 'y'}}}"),
    {},
    /"labels":\{"constructor":"y"\}.*"__proto__":"x"/,
  ],
])('%s', async (_what, mutation, policy, result) => {
  let made: Awaited<ReturnType<typeof outcome>> = '';
  const share = await leastShare(1_000, async () => {
    made = await outcome([mutation], policy);
  });
  expect(typeof made === 'string' ? made : JSON.stringify(made)).toMatch(result);
  expect(share).toBeLessThan(1);
});
