/** Validation rules of custom resources, over HTTPS: definitions, writes of every kind, updates, releases. */
import type { JsonObject } from '../../../src/base/json.ts';
import type { ApiClient } from '../../support/client.ts';
import type { Pair } from '../../support/custom-resources.ts';
import {
  causesOf,
  definition,
  definitions,
  establish,
  established,
  namespaced,
  startPair,
} from '../../support/custom-resources.ts';
import { waitFor } from '../../support/wait-for.ts';

let pair: Pair;
let one: ApiClient;
let two: ApiClient;

beforeAll(async () => {
  pair = await startPair(['--emulated-release=1.36']);
  one = pair.one.admin;
  two = pair.two.admin;
}, 60_000);
afterAll(() => pair[Symbol.asyncDispose]());

const integer = { type: 'integer' };
const text = { type: 'string', maxLength: 20 };

function ruled(schema: JsonObject, ...rules: JsonObject[]): JsonObject {
  return { ...schema, 'x-orch-validations': rules };
}

function versions(openAPIV3Schema: JsonObject): JsonObject {
  const own = { name: 'v1', served: true, storage: true, subresources: { status: {} } };
  return { versions: [{ ...own, schema: { openAPIV3Schema } }] };
}

const spec = ruled(
  {
    type: 'object',
    properties: {
      min: integer,
      max: integer,
      size: ruled(text, { rule: "quantity(self).isLessThan(quantity('1Gi'))" }),
      range: ruled(text, { rule: "!isCIDR(self) || cidr('10.0.0.0/8').containsCIDR(self)" }),
      zone: ruled(text, { rule: 'self == oldSelf', message: 'zone cannot be changed' }),
      names: {
        type: 'array',
        maxItems: 10,
        items: ruled(text, { rule: "self.startsWith('n')", reason: 'FieldValueForbidden' }),
      },
    },
  },
  {
    rule: '!has(self.min) || !has(self.max) || self.min <= self.max',
    messageExpression: "'min is ' + string(self.min) + ', more than ' + string(self.max)",
    fieldPath: '.min',
  },
);
const status = ruled({ type: 'object', properties: { ready: integer } }, { rule: 'self.ready >= 0' });

function scale(name: string, own: JsonObject): JsonObject {
  return { apiVersion: 'example.com/v1', kind: 'Range', metadata: { name }, spec: own };
}

describe('definitions', () => {
  test('with mistakes are refused, each with its place', async () => {
    const bad = ruled(
      {
        type: 'object',
        properties: {
          spec: {
            type: 'object',
            properties: { a: integer, l: { type: 'array', items: { type: 'string' } } },
          },
        },
      },
      { rule: 'self.spec.b > 0' },
      { rule: "self.spec.a == 'x'" },
      { rule: 'self.spec.a' },
      { rule: 'self.spec.l.all(x, self.spec.l.all(y, x == y))' },
      { rule: 'true', reason: 'Because' },
    );
    const answer = await one.post(definitions, definition('bads', 'Bad', versions(bad)));
    expect(answer.status).toBe(422);
    const at = 'spec.versions[0].schema.openAPIV3Schema.x-orch-validations';
    const causes = causesOf(answer).filter((cause) => !cause.includes('total'));
    expect(causes.map((cause) => cause.split(': ')[0]).sort()).toEqual(
      [0, 1, 2, 3].map((i) => `${at}[${String(i)}].rule`).concat(`${at}[4].reason`),
    );
    const messages = causes.join('\n');
    expect(messages).toContain("undefined field 'b'");
    expect(messages).toContain("found no matching overload for '_==_' applied to '(int, string)'");
    expect(messages).toContain('must evaluate to a bool');
    expect(messages).toContain('exceeds budget');
  });

  test('that are right get no warning', async () => {
    const schema = { type: 'object', properties: { spec, status } };
    const made = await one.post(definitions, definition('ranges', 'Range', versions(schema)));
    expect(made.status).toBe(201);
    expect(made.headers['warning'] ?? '').not.toContain('validations');
    await established(two, 'ranges.example.com');
  });
});

describe('objects', () => {
  const path = `${namespaced}/ranges`;

  test('are judged when they are made, by every replica', async () => {
    for (const client of [one, two]) {
      const answer = await client.post(path, scale('bad', { min: 2, max: 1, names: ['n1', 'x'] }));
      expect(answer.status).toBe(422);
      expect(causesOf(answer)).toEqual([
        'spec.min: Invalid value: "object": min is 2, more than 1',
        "spec.names[1]: Forbidden: failed rule: self.startsWith('n')",
      ]);
    }
    expect((await one.post(path, scale('good', { min: 1, max: 2, zone: 'a', names: ['n1'] }))).status).toBe(
      201,
    );
  });

  test('are judged by the libraries of the release', async () => {
    const answer = await one.post(path, scale('big', { size: '2Gi', range: '11.0.0.0/8' }));
    expect(causesOf(answer)).toEqual([
      `spec.size: Invalid value: "2Gi": failed rule: quantity(self).isLessThan(quantity('1Gi'))`,
      expect.stringContaining('spec.range: Invalid value: "11.0.0.0/8"'),
    ]);
    const good = scale('small', { size: '2Mi', range: '10.1.0.0/16' });
    expect((await one.post(`${path}?dryRun=All`, good)).status).toBe(201);
  });

  test('are judged when they are changed: by PUT, patch, apply', async () => {
    const own = `${path}/good`;
    const current = await two.ok('GET', own);
    const put = await two.put(own, { ...current, spec: { min: 1, max: 2, zone: 'b' } });
    expect(causesOf(put)).toEqual(['spec.zone: Invalid value: "b": zone cannot be changed']);
    const merged = await one.patch(own, 'merge', { spec: { min: 5 } });
    expect(merged.status).toBe(422);
    const applied = await one.patch(`${own}?fieldManager=m&force=true`, 'apply', scale('good', { max: 0 }));
    expect(applied.status).toBe(422);
    expect((await one.patch(own, 'merge', { spec: { max: 5 } })).status).toBe(200);
  });

  test('get a warning for what an update left as it was', async () => {
    const lax = { properties: { spec: { type: 'object', properties: { n: integer } } } };
    const tight = {
      properties: { spec: { type: 'object', properties: { n: ruled(integer, { rule: 'self > 0' }) } } },
    };
    const asVersions = (schema: JsonObject): JsonObject => versions({ type: 'object', ...schema });
    await establish(one, definition('knots', 'Knot', asVersions(lax)));
    const own = `${namespaced}/knots/k`;
    const body = { apiVersion: 'example.com/v1', kind: 'Knot', metadata: { name: 'k' }, spec: { n: -1 } };
    await one.ok('POST', `${namespaced}/knots`, body);
    await one.patch(`${definitions}/knots.example.com`, 'merge', { spec: asVersions(tight) });
    let count = 0;
    const patched = await waitFor('the tighter schema', async () => {
      const answer = await one.patch(own, 'merge', { metadata: { labels: { a: String(count++) } } });
      return (answer.headers['warning'] ?? '') === '' ? undefined : answer;
    });
    expect(patched.status).toBe(200);
    expect(patched.headers['warning']).toContain('spec.n: Invalid value: -1: failed rule: self > 0');
    expect((await one.patch(own, 'merge', { spec: { n: -2 } })).status).toBe(422);
  });

  test('are judged in their status', async () => {
    const own = `${path}/good/status`;
    expect((await one.patch(own, 'merge', { status: { ready: -1 } })).status).toBe(422);
    expect((await one.patch(own, 'merge', { status: { ready: 1 } })).status).toBe(200);
  });

  test('a dry run is judged, too', async () => {
    expect((await one.post(`${path}?dryRun=All`, scale('dry', { min: 2, max: 1 }))).status).toBe(422);
  });

  test('whose shape is wrong are not judged by rules', async () => {
    const answer = await one.post(path, scale('shape', { min: 'x', max: 1 }));
    expect(causesOf(answer)).toEqual([
      expect.stringContaining('must be of type integer'),
      expect.stringContaining('some validation rules were not checked because the object was invalid'),
    ]);
  });
});

test('rules of many characters are obeyed, wherever they are judged', async () => {
  const rules = Array.from({ length: 100 }, (_, i) => ({
    rule: `self.min != ${String(i)} || self.max > self.min`,
  }));
  const long = ruled({ type: 'object', properties: { min: integer, max: integer } }, ...rules);
  await establish(one, definition('tomes', 'Tome', versions({ type: 'object', properties: { spec: long } })));
  await established(two, 'tomes.example.com');
  await waitFor(
    'the kind at the other replica',
    async () => (await two.get(`${namespaced}/tomes`)).status === 200,
  );
  const path = `${namespaced}/tomes`;
  const tome = (name: string, own: object): object => ({
    ...{ apiVersion: 'example.com/v1', kind: 'Tome', metadata: { name }, spec: own },
  });
  expect((await two.post(path, tome('a', { min: 7, max: 8 }))).status).toBe(201);
  expect((await two.post(path, tome('b', { min: 7, max: 6 }))).status).toBe(422);
  expect((await two.patch(`${path}/a`, 'merge', JSON.stringify({ spec: { max: 5 } }))).status).toBe(422);
});

test('a rule that becomes tighter does not hold up what stays as it is', async () => {
  const schema = (rule: string): JsonObject => ({
    type: 'object',
    properties: { spec: { type: 'object', properties: { size: ruled(integer, { rule }), note: text } } },
  });
  await establish(one, definition('cups', 'Cup', versions(schema('self > 0'))));
  const path = `${namespaced}/cups`;
  const cup = { apiVersion: 'example.com/v1', kind: 'Cup', metadata: { name: 'a' }, spec: { size: 1 } };
  await one.ok('POST', path, cup);
  const changed = await one.ok('GET', `${definitions}/cups.example.com`);
  await one.ok('PUT', `${definitions}/cups.example.com`, {
    ...changed,
    spec: { ...(changed['spec'] as JsonObject), ...versions(schema('self > 5')) },
  });
  const other = { ...cup, metadata: { name: 'b' } };
  await waitFor(
    'the new rule is obeyed',
    async () => (await one.post(`${path}?dryRun=All`, other)).status === 422,
  );
  expect((await one.patch(`${path}/a`, 'merge', { spec: { note: 'n' } })).status).toBe(200);
  expect((await one.patch(`${path}/a`, 'merge', { spec: { size: 2 } })).status).toBe(422);
  expect((await one.patch(`${path}/a`, 'merge', { spec: { size: 6 } })).status).toBe(200);
});

test('a value that a tighter schema refuses may stay as it is', async () => {
  const schema = (maximum: number): JsonObject => ({
    type: 'object',
    properties: { spec: { type: 'object', properties: { size: { ...integer, maximum }, note: text } } },
  });
  await establish(one, definition('pots', 'Pot', versions(schema(9))));
  const path = `${namespaced}/pots`;
  const pot = { apiVersion: 'example.com/v1', kind: 'Pot', metadata: { name: 'a' }, spec: { size: 9 } };
  await one.ok('POST', path, pot);
  const changed = await one.ok('GET', `${definitions}/pots.example.com`);
  const spec = { ...(changed['spec'] as JsonObject), ...versions(schema(3)) };
  await one.ok('PUT', `${definitions}/pots.example.com`, { ...changed, spec });
  const other = { ...pot, metadata: { name: 'b' } };
  await waitFor(
    'the new schema is obeyed',
    async () => (await one.post(`${path}?dryRun=All`, other)).status === 422,
  );
  expect((await one.patch(`${path}/a`, 'merge', { spec: { note: 'n' } })).status).toBe(200);
  expect((await one.patch(`${path}/a`, 'merge', { spec: { size: 8 } })).status).toBe(422);
});
