/** Objects of a definition are selected by the fields that it names: list, watch and deletecollection. */
import type { JsonObject } from '../../../src/base/json.ts';
import type { ApiClient } from '../../support/client.ts';
import type { Pair } from '../../support/custom-resources.ts';
import {
  causesOf,
  definition,
  definitions,
  establish,
  namespaced,
  startPair,
} from '../../support/custom-resources.ts';
import { waitFor } from '../../support/wait-for.ts';

let pair: Pair;
let one: ApiClient;
let two: ApiClient;
const path = `${namespaced}/shirts`;

beforeAll(async () => {
  pair = await startPair(['--emulated-release=1.36']);
  one = pair.one.admin;
  two = pair.two.admin;
  await establish(one, definition('shirts', 'Shirt', shirts(['.spec.color', '.spec.size', '.spec.sold'])));
  await waitFor('the other replica serves it', async () => (await two.get(path)).status === 200);
}, 60_000);
afterAll(() => pair[Symbol.asyncDispose]());

function shirts(fields: readonly string[]): JsonObject {
  const spec = {
    type: 'object',
    properties: {
      color: { type: 'string', default: 'white' },
      size: { type: 'integer' },
      sold: { type: 'boolean' },
      tags: { type: 'array', items: { type: 'string' } },
    },
  };
  const openAPIV3Schema = { type: 'object', properties: { spec } };
  const selectableFields = fields.map((jsonPath) => ({ jsonPath }));
  return {
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema }, selectableFields }],
  };
}

function shirt(name: string, spec: JsonObject): JsonObject {
  return { apiVersion: 'example.com/v1', kind: 'Shirt', metadata: { name }, spec };
}

async function namesBy(client: ApiClient, selector: string): Promise<string[]> {
  const { items } = await client.list(`${path}?fieldSelector=${encodeURIComponent(selector)}`);
  return items.map(({ metadata }) => metadata.name);
}

test('lists and watches have what matches, deletecollection takes it', async () => {
  const stream = await two.watch(`${path}?fieldSelector=spec.color%3Dblue&resourceVersion=0`);
  await one.ok('POST', path, shirt('a', { color: 'blue', size: 3, sold: true }));
  await one.ok('POST', path, shirt('b', { color: 'red', size: 3 }));
  await one.ok('POST', path, shirt('c', { size: 4 }));
  expect(await namesBy(two, 'spec.color=blue')).toEqual(['a']);
  expect(await namesBy(two, 'spec.color=white')).toEqual(['c']);
  expect(await namesBy(two, 'spec.size=3,spec.color!=blue')).toEqual(['b']);
  expect(await namesBy(two, 'spec.sold=true')).toEqual(['a']);
  expect(await namesBy(two, 'spec.sold=')).toEqual(['b', 'c']);

  await one.patch(`${path}/b`, 'merge', { spec: { color: 'blue' } });
  await one.patch(`${path}/a`, 'merge', { spec: { color: 'red' } });
  const seen = [await stream.next(), await stream.next(), await stream.next()];
  expect(seen.map((event) => `${event?.type} ${event?.object.metadata.name}`)).toEqual([
    'ADDED a',
    'ADDED b',
    'DELETED a',
  ]);
  stream.close();

  await one.ok('DELETE', `${path}?fieldSelector=spec.size%3D3`);
  expect(await namesBy(two, 'spec.size!=0')).toEqual(['c']);
});

test('other fields are refused', async () => {
  const answer = await two.get(`${path}?fieldSelector=spec.tags%3Dx`);
  expect(answer.status).toBe(400);
  expect(answer.text).toContain('field label not supported');
});

test.each([
  [['.spec.tags'], 'must point to a field of type string, boolean or integer'],
  [['.spec.none'], 'is an invalid path'],
  [['spec.color'], 'is an invalid path'],
  [['.spec.tags[0]'], 'is an invalid path'],
  [['.metadata.name'], 'must not point to fields in metadata'],
  [['.spec.size', '.spec.size'], 'Duplicate value'],
])('definitions with %j are refused', async (fields, message) => {
  const answer = await one.post(definitions, definition('caps', 'Cap', shirts(fields)));
  expect(answer.status).toBe(422);
  expect(causesOf(answer).join('\n')).toContain('selectableFields');
  expect(answer.text).toContain(message);
});
