import { Slice } from '../../../../src/base/cooperate.ts';
import type { JsonObject } from '../../../../src/base/json.ts';
import { encodeSliced } from '../../../../src/http/openapi/sliced-json.ts';

test.each([
  [{}],
  [{ a: {}, b: [], c: null, d: 'é"\\\u2028' }],
  [
    {
      paths: { '/a': { get: { x: [1, { y: 2 }] } } },
      components: { schemas: { A: { type: 'object' } }, o: {} },
    },
  ],
  [{ ['__proto__x']: { '': 0 } }],
] satisfies [JsonObject][])('the same text as in one go: %j', async (document) => {
  for (const depth of [0, 1, 2, 3])
    expect((await encodeSliced(document, depth, new Slice())).toString()).toBe(JSON.stringify(document));
});

test('a large document lets others work in between', async () => {
  const member = { description: 'x'.repeat(2_000), list: Array.from({ length: 100 }, (_, i) => ({ i })) };
  const schemas = Object.fromEntries(Array.from({ length: 4_000 }, (_, i) => [`type${String(i)}`, member]));
  let turns = 0;
  const tick = (): void => {
    turns += 1;
    timer = setImmediate(tick);
  };
  let timer = setImmediate(tick);
  const bytes = await encodeSliced({ components: { schemas } }, 3, new Slice());
  clearImmediate(timer);
  expect(bytes.length).toBeGreaterThan(10_000_000);
  expect(turns).toBeGreaterThan(2);
});
