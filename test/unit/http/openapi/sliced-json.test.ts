import { Slice } from '../../../../src/base/cooperate.ts';
import type { JsonObject } from '../../../../src/base/json.ts';
import {
  encodeMembers,
  joinedMembers,
  joinedV2,
  joinedV3,
} from '../../../../src/http/openapi/sliced-json.ts';

const odd: JsonObject = { a: {}, b: [], c: null, d: 'é"\\\u2028', ['__proto__x']: { '': 0 } };

test.each([
  [{}, {}],
  [{ '/a': { get: { x: [1, { y: 2 }] } } }, odd],
  [odd, {}],
] satisfies [JsonObject, JsonObject][])(
  'the same text as in one go: paths %j',
  async (paths, definitions) => {
    const slice = new Slice();
    const members = {
      paths: await encodeMembers(paths, slice),
      definitions: await encodeMembers(definitions, slice),
    };
    const v2 = Buffer.concat(joinedV2({ swagger: '2.0' }, members));
    expect(v2.toString()).toBe(JSON.stringify({ swagger: '2.0', paths, definitions }));
    const head = { openapi: '3.0.0', info: { title: 'x' }, components: { parameters: {} }, security: [] };
    const components = { schemas: definitions, ...head.components };
    expect(Buffer.concat(joinedV3(head, members)).toString()).toBe(
      JSON.stringify({ openapi: head.openapi, info: head.info, paths, components, security: [] }),
    );
  },
);

test('a large document lets others work in between', async () => {
  const member = { description: 'x'.repeat(2_000), list: Array.from({ length: 100 }, (_, i) => ({ i })) };
  const schemas = Object.fromEntries(Array.from({ length: 4_000 }, (_, i) => [`type${String(i)}`, member]));
  let turns = 0;
  const tick = (): void => {
    turns += 1;
    timer = setImmediate(tick);
  };
  let timer = setImmediate(tick);
  const slice = new Slice();
  const bytes = await joinedMembers(await encodeMembers(schemas, slice), slice);
  clearImmediate(timer);
  expect(bytes.length).toBeGreaterThan(10_000_000);
  expect(turns).toBeGreaterThan(2);
});
