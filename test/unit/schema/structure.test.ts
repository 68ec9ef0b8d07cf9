import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { deepEqual, isObject, setOwn } from '../../../src/base/json.ts';
import { FieldPath } from '../../../src/meta/field-path.ts';
import { checkStructure } from '../../../src/schema/structure.ts';
import type { Schema, StructSchema } from '../../../src/schema/types.ts';
import { arbitraryObject } from '../../support/arbitrary-object.ts';
import { schemas } from './catalogue.ts';

const check = (type: string, value: JsonValue) => checkStructure(schemas.get(type), value);

test('every misfit is told with its path', () => {
  const { errors } = check('apps/v1.Deployment', {
    metadata: { labels: { a: 1 }, generation: '1' },
    spec: {
      replicas: '3',
      paused: 'yes',
      template: { spec: { containers: [{ name: 'a', command: 'sh' }, 7] } },
    },
  });
  expect(errors).toEqual([
    'metadata.generation: expected integer, got string "1"',
    'metadata.labels[a]: expected string, got number',
    'spec.replicas: expected integer, got string "3"',
    'spec.template.spec.containers[0].command: expected array, got string',
    'spec.template.spec.containers[1]: expected object, got number',
    'spec.paused: expected boolean, got string "yes"',
  ]);
});

test('nothing is quoted that may be secret', () => {
  const { errors } = check('core/v1.Secret', {
    data: { password: 'hunter2!' },
    stringData: { pin: 4711 },
    metadata: 'hunter2',
    type: true,
  });
  expect(errors).toEqual([
    'metadata: expected object, got string',
    'data[password]: expected base64, got string',
    'type: expected string, got boolean',
    'stringData[pin]: expected string, got number',
  ]);
});

test('unknown fields are dropped and told, in the exact spelling only', () => {
  const { value, unknown, errors } = check('core/v1.Pod', {
    metadata: { name: 'a', Name: 'b' },
    spec: { containers: [{ name: 'c', imagE: 'x' }] },
  });
  expect(errors).toEqual([]);
  expect(unknown).toEqual(['metadata.Name', 'spec.containers[0].imagE']);
  expect(value).toEqual({ metadata: { name: 'a' }, spec: { containers: [{ name: 'c' }] } });
});

test('nulls are left out of structs and are zero in lists and maps', () => {
  const { value } = check('core/v1.Pod', {
    metadata: { labels: { a: null }, annotations: null, finalizers: [null] },
    spec: { containers: [null], nodeName: null, overhead: { cpu: null } },
  });
  expect(value).toEqual({
    metadata: { labels: { a: '' }, finalizers: [''] },
    spec: { containers: [{}], overhead: { cpu: '0' } },
  });
});

test('scalars take their canonical form', () => {
  const { value, errors } = check('core/v1.Pod', {
    metadata: { creationTimestamp: '2020-01-01T01:00:00.5+01:00' },
    spec: {
      containers: [
        {
          resources: { limits: { cpu: 0.5, memory: ' 1024Mi ' } },
          livenessProbe: { httpGet: { port: 'http' }, tcpSocket: { port: 80 } },
        },
      ],
    },
  });
  expect(errors).toEqual([]);
  expect(value).toEqual({
    metadata: { creationTimestamp: '2020-01-01T00:00:00Z' },
    spec: {
      containers: [
        {
          resources: { limits: { cpu: '500m', memory: '1Gi' } },
          livenessProbe: { httpGet: { port: 'http' }, tcpSocket: { port: 80 } },
        },
      ],
    },
  });
});

test.each<[string, JsonObject, string]>([
  ['core/v1.Container', { ports: [{ containerPort: 2 ** 31 }] }, 'expected int32 integer'],
  ['core/v1.Container', { ports: [{ containerPort: 1.5 }] }, 'expected integer'],
  ['meta/v1.ObjectMeta', { generation: JSON.rawJSON('9223372036854775808') }, 'expected int64 integer'],
  ['meta/v1.ObjectMeta', { generation: JSON.rawJSON('1e400') }, 'expected integer'],
  ['meta/v1.ObjectMeta', { deletionTimestamp: 'soon' }, 'expected RFC 3339 time'],
  ['core/v1.Secret', { data: { a: 'no base64!' } }, 'expected base64'],
  ['core/v1.Secret', { data: { a: 'YQ' } }, 'expected base64'],
  ['core/v1.ResourceQuotaSpec', { hard: { pods: '1e999999999' } }, 'expected quantity'],
  ['core/v1.ServicePort', { targetPort: 1.5 }, 'expected int32 integer or string'],
  ['core/v1.ServicePort', { targetPort: true }, 'expected int32 integer or string'],
])('%s refuses %j', (type, value, message) => {
  const { errors } = check(type, value);
  expect(errors).toHaveLength(1);
  expect(errors[0]).toContain(message);
});

test('64-bit integers keep every digit', () => {
  const generation = JSON.rawJSON('9223372036854775807');
  expect(JSON.stringify(check('meta/v1.ObjectMeta', { generation }).value)).toBe(
    '{"generation":9223372036854775807}',
  );
});

test('keys come in the order of the schema', () => {
  const { value } = check('core/v1.Pod', JSON.parse('{"spec":{},"metadata":{},"kind":"Pod"}') as JsonObject);
  expect(Object.keys(value)).toEqual(['kind', 'metadata', 'spec']);
});

test('keys that are names of the prototype are data in maps and unknown in structs', () => {
  const text = '{"metadata":{"__proto__":{"a":"b"},"labels":{"__proto__":"x","constructor":"y"}}}';
  const { value, unknown } = check('core/v1.Pod', JSON.parse(text) as JsonObject);
  expect(unknown).toEqual(['metadata.__proto__']);
  expect(JSON.stringify(value)).toBe('{"metadata":{"labels":{"__proto__":"x","constructor":"y"}}}');
  expect(({} as Record<string, unknown>)['a']).toBeUndefined();
});

test('a body that is no object, and one nested without end, are refused', () => {
  for (const body of [null, 1, 'x', [], true]) expect(check('core/v1.Pod', body).errors).toHaveLength(1);
  let deep: JsonObject = {};
  for (let i = 0; i < 9000; i++) deep = { not: deep };
  expect(check('apiextensions/v1.JSONSchemaProps', deep).errors[0]).toContain(
    'nested deeper than 500 levels',
  );
});

test('paths begin where the caller says', () => {
  const path = FieldPath.of('spec').child('template');
  const { errors } = checkStructure(schemas.get('core/v1.PodTemplateSpec'), { spec: 1 }, path);
  expect(errors).toEqual(['spec.template.spec: expected object, got number']);
});

test('a schema that keeps unknown fields keeps them', () => {
  const schema: StructSchema = {
    type: 'struct',
    name: '',
    doc: '',
    fields: new Map(),
    mapType: 'granular',
    preserveUnknown: true,
  };
  const body = JSON.parse('{"a":[null],"__proto__":1}') as JsonObject;
  expect(JSON.stringify(checkStructure(schema, body).value)).toBe('{"a":[null],"__proto__":1}');
});

/** Random JSON with a bias to names and values that the schemas know. */
const names = [
  'metadata',
  'spec',
  'labels',
  'containers',
  'ports',
  'name',
  'status',
  'limits',
  '__proto__',
  'data',
];
const { json } = fc.letrec<{ json: JsonValue }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'medium' },
    fc.constantFrom<JsonValue>(
      null,
      true,
      0,
      -1,
      1.5,
      2 ** 40,
      '',
      '80',
      '1Gi',
      'YQ==',
      '2020-01-01T00:00:00Z',
    ),
    fc.string(),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), tie('json'), { maxKeys: 5 }),
  ),
}));
const types = schemas.names().filter((name) => schemas.find(name)?.type === 'struct');

test('random JSON never throws, and what was accepted is accepted again unchanged', () => {
  fc.assert(
    fc.property(fc.constantFrom(...types), json, (type, body) => {
      const first = check(type, body);
      const second = check(type, first.value);
      expect(second.errors).toEqual([]);
      expect(second.unknown).toEqual([]);
      expect(deepEqual(second.value, first.value)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

/** The same with the members of every struct the other way round; those of maps stand as they are. */
function reversed(schema: Schema, value: JsonValue): JsonValue {
  if (Array.isArray(value))
    return schema.type === 'list' ? value.map((item) => reversed(schema.items, item)) : value;
  if (!isObject(value) || (schema.type !== 'struct' && schema.type !== 'map')) return value;
  const keys = schema.type === 'struct' ? Object.keys(value).reverse() : Object.keys(value);
  const result: JsonObject = {};
  for (const key of keys) {
    const below = schema.type === 'struct' ? schema.fields.get(key)?.schema : schema.values;
    if (below !== undefined) setOwn(result, key, reversed(below, value[key] ?? null));
  }
  return result;
}

test.each(['core/v1.Pod', 'apiextensions/v1.CustomResourceDefinition'])(
  'whatever order the fields of %s came in, one object comes of them',
  (type) => {
    const schema = schemas.get(type);
    fc.assert(
      fc.property(arbitraryObject(schema, 4), (object) => {
        const { value, errors, unknown } = checkStructure(schema, object);
        expect([errors, unknown]).toEqual([[], []]);
        const other = checkStructure(schema, reversed(schema, object));
        expect(JSON.stringify(other.value)).toBe(JSON.stringify(value));
        expect(JSON.stringify(checkStructure(schema, value).value)).toBe(JSON.stringify(value));
      }),
      { numRuns: 50 },
    );
  },
);
