/** Query `fieldValidation`: unknown and duplicate fields are refused, told of or dropped, on every way of writing. */
import type { Answer } from '../../support/client.ts';
import {
  configMaps,
  deployment,
  deployments,
  startService,
  warningsOf,
  type Service,
} from '../../support/writes.ts';

let service: Service;

beforeAll(async () => {
  service = await startService();
  await service.admin.ok('POST', deployments, deployment('d'));
});
afterAll(() => service[Symbol.asyncDispose]());

interface Way {
  readonly name: string;
  readonly method: 'POST' | 'PUT' | 'PATCH';
  readonly path: string;
  readonly type: string;
  readonly body: string;
  readonly errors: readonly string[];
}

const d = `${deployments}/d`;
const twice = 'duplicate field "spec.replicas"';
const unknown = ['unknown field "spec.colour"', 'unknown field "spec.template.spec.flavour"'];
const spec = (separator: string): string =>
  ['"replicas":1', '"replicas":2', '"colour":"red"', '"template":{"spec":{"flavour":"sweet"}}'].join(
    separator,
  );
const full = JSON.stringify(deployment('full')).replace(
  '"replicas":2',
  '"replicas":1,"replicas":2,"colour":"red"',
);
const yaml = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: full}
spec:
  replicas: 1
  colour: red
  replicas: 2
  selector: {matchLabels: {app: full}}
  template:
    metadata: {labels: {app: full}}
    spec:
      flavour: sweet
      containers: [{name: main, image: 'image:1'}]
`;
const json = full.replace('"spec":{"containers"', '"spec":{"flavour":"sweet","containers"');
const patchType = (kind: string): string => `application/${kind}-patch+json`;
const operations = [
  { op: 'add', path: '/spec/colour', value: 'red', because: 'I like it' },
  { op: 'add', path: '/spec/template/spec/flavour', value: 'sweet' },
];
const all = [twice, ...unknown];

const ways: readonly Way[] = [
  {
    name: 'create, JSON',
    method: 'POST',
    path: deployments,
    type: 'application/json',
    body: json,
    errors: all,
  },
  {
    name: 'create, YAML',
    method: 'POST',
    path: deployments,
    type: 'application/yaml',
    body: yaml,
    errors: all,
  },
  {
    ...{ name: 'replace, JSON', method: 'PUT', path: d, type: 'application/json', errors: all },
    body: json.replaceAll('"full"', '"d"'),
  },
  {
    ...{ name: 'replace, YAML', method: 'PUT', path: d, type: 'application/yaml', errors: all },
    body: yaml.replaceAll('full', 'd'),
  },
  ...['merge', 'strategic-merge'].map((kind): Way => ({
    ...{ name: `${kind} patch`, method: 'PATCH', path: d, type: patchType(kind), errors: all },
    body: `{"spec":{${spec(',')}}}`,
  })),
  {
    ...{ name: 'JSON patch', method: 'PATCH', path: d, type: patchType('json') },
    body: JSON.stringify(operations),
    errors: ['json patch unknown field "[0].because"', ...unknown],
  },
];

function send({ method, path, type, body }: Way, query: string): Promise<Answer> {
  const name = method === 'POST' ? `&dryRun=All` : '';
  return service.admin.request(method, `${path}?${query}${name}`, body, { 'content-type': type });
}

describe.each(ways)('$name', (way) => {
  test('Strict: refused with all of them, nothing changed', async () => {
    const before = (await service.admin.get(d)).text;
    const answer = await send(way, 'fieldValidation=Strict');
    expect(answer.status).toBe(400);
    const { message, reason } = answer.json() as unknown as { message: string; reason: string };
    expect(reason).toBe('BadRequest');
    for (const error of way.errors) expect(message).toContain(error);
    expect((await service.admin.get(d)).text).toBe(before);
  });

  test('Warn: done, with a warning for each', async () => {
    const answer = await send(way, 'fieldValidation=Warn');
    expect(answer.status).toBe(way.method === 'POST' ? 201 : 200);
    expect(warningsOf(answer).sort()).toEqual([...way.errors].sort());
    expect(answer.text).not.toContain('flavour');
  });

  test.each(['fieldValidation=Ignore', 'fieldValidation=', ''])('%s: done, in silence', async (query) => {
    const answer = await send(way, query);
    expect(answer.status).toBe(way.method === 'POST' ? 201 : 200);
    expect(warningsOf(answer)).toEqual([]);
    expect(answer.text).not.toContain('flavour');
  });

  test('a directive that does not exist is 422', async () => {
    const answer = await send(way, 'fieldValidation=Loose');
    expect(answer.status).toBe(422);
    expect(answer.json()).toMatchObject({ details: { causes: [{ field: 'fieldValidation' }] } });
  });
});

test('wrong types and unknown fields are reported together', async () => {
  const body = { metadata: { name: 'both' }, data: { k: 1, l: true }, colour: 'red' };
  const answer = await service.admin.post(`${configMaps}?fieldValidation=Strict`, body);
  expect(answer.status).toBe(400);
  for (const part of ['data[k]', 'data[l]', 'unknown field "colour"'])
    expect(answer.text).toContain(JSON.stringify(part).slice(1, -1));
});

test('a Scale is held to the same', async () => {
  const scale = { metadata: { name: 'd' }, spec: { replicas: 3, colour: 'red' } };
  const refused = await service.admin.put(`${d}/scale?fieldValidation=Strict`, scale);
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('spec.colour')]);
  const warned = await service.admin.put(`${d}/scale?fieldValidation=Warn`, scale);
  expect([warned.status, warningsOf(warned)]).toEqual([200, ['unknown field "spec.colour"']]);
});

describe('apply', () => {
  const apply = (query: string, body: string): Promise<Answer> =>
    service.admin.patch(`${configMaps}/applied?fieldManager=m&${query}`, 'apply', body);
  const head = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: applied}\n';

  test('never takes unknown fields', async () => {
    for (const query of ['fieldValidation=Ignore', 'fieldValidation=Warn', 'fieldValidation=Strict', '']) {
      const answer = await apply(query, `${head}colour: red\n`);
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('colour')]);
    }
  });

  test('accepts duplicate keys only with Ignore, and uses the last', async () => {
    const body = `${head}data: {k: a, k: b}\n`;
    for (const query of ['', 'fieldValidation=Strict']) {
      const refused = await apply(query, body);
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('data.k')]);
    }
    const warned = await apply('fieldValidation=Warn', body);
    expect([warned.status, warningsOf(warned)]).toEqual([201, ['duplicate field "data.k"']]);
    const ignored = await apply('fieldValidation=Ignore', body);
    expect([ignored.status, warningsOf(ignored), ignored.json()['data']]).toEqual([200, [], { k: 'b' }]);
  });
});
