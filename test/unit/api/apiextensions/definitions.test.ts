/** CustomResourceDefinition: what is refused, what follows from what, and what a deletion adds. */
import type { JsonObject } from '../../../../src/base/json.ts';
import { definitionFromStorage, definitionToStorage } from '../../../../src/api/apiextensions/conversion.ts';
import { asApiObject } from '../../../../src/meta/object.ts';
import { cpuBudget, cpuMsOf } from '../../../support/cpu-time.ts';
import { brief, contextWith, Kind } from '../../../support/kind.ts';

const kind = new Kind('customresourcedefinitions.apiextensions');
const beta = new Kind('customresourcedefinitions.apiextensions', contextWith({ version: 'v1beta1' }));

interface Changes {
  readonly spec?: JsonObject;
  readonly version?: JsonObject;
  readonly schema?: JsonObject;
  readonly name?: string;
}

const object = { type: 'object' } as const;
const text = { type: 'string' } as const;

/** A definition of widgets whose one version has the schema with these changes. */
function widgets({
  spec = {},
  version = {},
  schema = {},
  name = 'widgets.example.com',
}: Changes = {}): JsonObject {
  const whole = { type: 'object', properties: { spec: { type: 'object' } }, ...schema };
  const only = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: whole }, ...version };
  return {
    metadata: { name },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [only],
      ...spec,
    },
  };
}

/** The schema of one property of `spec`. */
function inSpec(property: JsonObject): Changes {
  return { schema: { properties: { spec: { type: 'object', properties: { a: property } } } } };
}

const a = 'spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[a]';
const root = 'spec.versions[0].schema.openAPIV3Schema';

test('names and conversion follow from the rest', () => {
  const { spec, status } = kind.created(widgets()) as unknown as Record<string, JsonObject>;
  expect(spec).toMatchObject({
    names: { singular: 'widget', listKind: 'WidgetList' },
    conversion: { strategy: 'None' },
  });
  expect(status).toMatchObject({ storedVersions: ['v1'], acceptedNames: { plural: '', kind: '' } });
});

test('what patterns take together is bounded over all versions; each counts once', () => {
  const pattern = (i: number): string => `^x{${String(i)}}$`;
  const texts = (count: number, from: number): JsonObject =>
    Object.fromEntries(
      Array.from({ length: count }, (_, i) => [
        `m${String(i)}`,
        { ...text, pattern: pattern(from + (i % 50)) },
      ]),
    );
  const version = (name: string, from: number): JsonObject => ({
    name,
    served: true,
    storage: name === 'v1',
    schema: { openAPIV3Schema: { type: 'object', properties: texts(500, from) } },
  });
  const errorsOf = (...versions: JsonObject[]): string[] =>
    brief(kind.createErrors(widgets({ spec: { versions } })));
  expect(errorsOf(version('v1', 500), version('v2', 500))).toEqual([]);
  expect(errorsOf(version('v1', 500), version('v2', 600))[0]).toMatch(
    /^spec.versions\[1\].schema.openAPIV3Schema.properties\[m\d+\].pattern Forbidden/,
  );
});

test('a minimal definition has no error', () => {
  expect(brief(kind.createErrors(widgets()))).toEqual([]);
});

const list = { type: 'array', items: object };
const keyed = { 'x-orch-list-type': 'map', 'x-orch-list-map-keys': ['k'] };

describe('refused', () => {
  test.each<[string, Changes, string[]]>([
    ['a name that is not made of plural and group', { name: 'x.example.com' }, ['metadata.name Invalid']],
    [
      'a group without a dot',
      { spec: { group: 'example' }, name: 'widgets.example' },
      ['spec.group Invalid'],
    ],
    ['no scope', { spec: { scope: '' } }, ['spec.scope Required']],
    [
      'a plural with capitals',
      { spec: { names: { plural: 'Widgets', kind: 'Widget' } } },
      ['metadata.name Invalid', 'spec.names.plural Invalid'],
    ],
    [
      'a list kind that is the kind',
      { spec: { names: { plural: 'widgets', kind: 'Widget', listKind: 'Widget' } } },
      ['spec.names.listKind Invalid'],
    ],
    ['no version', { spec: { versions: [] } }, ['spec.versions Required']],
    ['no storage version', { version: { storage: false } }, ['spec.versions Invalid']],
    ['no schema', { version: { schema: {} } }, [`${root} Required`]],
    [
      'unknown fields kept by the whole',
      { spec: { preserveUnknownFields: true } },
      ['spec.preserveUnknownFields Invalid'],
    ],
    [
      'a webhook that is not told',
      { spec: { conversion: { strategy: 'Webhook' } } },
      [
        'spec.conversion.webhook.clientConfig Required',
        'spec.conversion.webhook.conversionReviewVersions Required',
      ],
    ],
    [
      'a column without a path',
      { version: { additionalPrinterColumns: [{ name: 'A', type: 'string' }] } },
      ['spec.versions[0].additionalPrinterColumns[0].jsonPath Required'],
    ],
    [
      'a column with half a path',
      { version: { additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.a[?(' }] } },
      ['spec.versions[0].additionalPrinterColumns[0].jsonPath Invalid'],
    ],
    [
      'a scale outside of the spec',
      {
        version: {
          subresources: {
            scale: { specReplicasPath: '.x.replicas', statusReplicasPath: '.status.replicas' },
          },
        },
      },
      ['spec.versions[0].subresources.scale.specReplicasPath Invalid'],
    ],
    [
      'a warning where nothing is deprecated',
      { version: { deprecationWarning: 'soon' } },
      ['spec.versions[0].deprecationWarning Invalid'],
    ],
    [
      'a group of the API itself',
      { spec: { group: 'x.orch.io' }, name: 'widgets.x.orch.io' },
      ['metadata.annotations[api-approved.orch.io] Required'],
    ],
  ])('%s', (_name, changes, expected) => {
    expect(brief(kind.createErrors(widgets(changes)))).toEqual(expected);
  });
});

describe('patterns that take long to compile', () => {
  const many = (length: number, pattern: (i: number) => string): string[] =>
    Array.from({ length }, (_, i) => pattern(i));
  const errorsOf = (patterns: readonly string[]): string[] => {
    const properties = Object.fromEntries(
      patterns.map((pattern, i) => [`p${String(i)}`, { ...text, pattern }]),
    );
    const errors = kind.createErrors(
      widgets({ schema: { properties: { spec: { ...object, properties } } } }),
    );
    return errors.map(({ field, message }) => `${field}: ${message}`);
  };

  test.each([
    ['many', many(3_000, (i) => `^[a-z]{1,40}x${String(i)}$`)],
    ['a long one', ['ab'.repeat(1_000_000)]],
    ['many that end nowhere', ['['.repeat(1_000_000), '\\p{'.repeat(300_000), '\\Q'.repeat(300_000)]],
    ['counted repetitions', ['(a|b){1000}'.repeat(20_000)]],
    ['counted repetitions in each other', ['(((ab){10}){10}){10}'.repeat(100)]],
    ['counted repetitions of what they seem not to be', ['\\Q[\\Ea{1000}'.repeat(200)]],
    ['tables of characters', ['\\pL'.repeat(1_000)]],
    ['tables in a class', [`[${'\\pL'.repeat(1_000)}]`]],
    ['ranges regardless of case', ['(?i)' + '[a-\\x{10ffff}]'.repeat(1_000)]],
  ])('%s', (_name, patterns) => {
    let errors: string[] = [];
    expect(cpuMsOf(() => (errors = errorsOf(patterns)))).toBeLessThan(cpuBudget(400));
    expect(errors[0]).toMatch(
      /^spec\.versions\[0\].*\.pattern: Forbidden: the patterns of a definition may take \d+ instructions together/,
    );
  });

  test('what definitions have as a rule is far from it', () => {
    const name = '[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?';
    const patterns = many(60, (i) => `^${name}(\\.${name})*/v${String(i)}$`);
    const word = '^(?i)[a-z\\-_.]+(?:\\.[0-9]{1,3}){3}$';
    expect(errorsOf([...patterns, word])).toEqual([]);
    expect(errorsOf(many(5_000, () => `^${name}$`))).toEqual([]);
  });
});

describe('schemas', () => {
  test.each<[string, Changes, string[]]>([
    ['a root that is no object', { schema: text }, [`${root}.type Invalid`]],
    ['a root that may be null', { schema: { nullable: true } }, [`${root}.nullable Forbidden`]],
    ['no type', inSpec({}), [`${a}.type Required`]],
    ['an unknown type', inSpec({ type: 'text' }), [`${a}.type NotSupported`]],
    ['the type null', inSpec({ type: 'null' }), [`${a}.type Forbidden`]],
    [
      'keywords of wrong types, below free parts of the catalogue too',
      inSpec({ type: 'array', items: { type: 5 } }),
      [`${a}.items.type TypeInvalid`],
    ],
    ['an array without items', inSpec({ type: 'array' }), [`${a}.items Required`]],
    ['items that are a list', inSpec({ type: 'array', items: [text] }), [`${a}.items Forbidden`]],
    ['references', inSpec({ ...text, $ref: '#/definitions/x' }), [`${a}.$ref Forbidden`]],
    ['unique items', inSpec({ ...list, uniqueItems: true }), [`${a}.uniqueItems Forbidden`]],
    ['a pattern that is none', inSpec({ ...text, pattern: '(' }), [`${a}.pattern Invalid`]],
    ['a pattern of another engine', inSpec({ ...text, pattern: '(?=x)' }), [`${a}.pattern Invalid`]],
    [
      'named and other members',
      inSpec({ ...object, properties: { b: text }, additionalProperties: text }),
      [`${a}.additionalProperties Forbidden`],
    ],
    [
      'no other members',
      inSpec({ ...object, additionalProperties: false }),
      [`${a}.additionalProperties Forbidden`],
    ],
    [
      'unknown fields that are not kept',
      inSpec({ ...object, 'x-orch-preserve-unknown-fields': false }),
      [`${a}.x-orch-preserve-unknown-fields Invalid`],
    ],
    [
      'a list type that is none',
      inSpec({ ...list, 'x-orch-list-type': 'heap' }),
      [`${a}.x-orch-list-type NotSupported`],
    ],
    ['a list type of an object', inSpec({ ...object, 'x-orch-list-type': 'atomic' }), [`${a}.type Invalid`]],
    [
      'keys without a map',
      inSpec({ ...list, 'x-orch-list-map-keys': ['k'] }),
      [`${a}.x-orch-list-type Invalid`],
    ],
    [
      'a map without keys',
      inSpec({ ...list, 'x-orch-list-type': 'map' }),
      [`${a}.x-orch-list-map-keys Required`],
    ],
    ['keys that items have not', inSpec({ ...list, ...keyed }), [`${a}.x-orch-list-map-keys[0] Invalid`]],
    [
      'keys that items may leave out',
      inSpec({ type: 'array', items: { ...object, properties: { k: text } }, ...keyed }),
      [`${a}.items.properties[k].default Required`],
    ],
    [
      'sets of granular objects',
      inSpec({ ...list, 'x-orch-list-type': 'set' }),
      [`${a}.items.x-orch-map-type Invalid`],
    ],
    [
      'whole objects of which nothing is said',
      inSpec({ ...object, 'x-orch-embedded-resource': true }),
      [`${a}.properties Required`],
    ],
    [
      'metadata',
      { schema: { properties: { metadata: { ...object, properties: { labels: object } } } } },
      [`${root}.properties[metadata] Forbidden`],
    ],
    [
      'shape inside of what judges',
      inSpec({ ...text, anyOf: [{ type: 'string', minLength: 1 }, { default: 'x' }] }),
      [`${a}.anyOf[0].type Forbidden`, `${a}.anyOf[1].default Forbidden`],
    ],
    [
      'members that only a judge knows',
      inSpec({ ...object, allOf: [{ properties: { b: { minLength: 1 } } }] }),
      [`${a}.properties[b] Required`],
    ],
    ['a default of another type', inSpec({ ...text, default: 5 }), [`${a}.default Invalid`]],
    [
      'a default with unknown fields',
      inSpec({ ...object, properties: { b: text }, default: { c: 1 } }),
      [`${a}.default Invalid`],
    ],
  ])('refused: %s', (_name, changes, expected) => {
    expect(brief(kind.createErrors(widgets(changes)))).toEqual(expected);
  });

  test.each<[string, Changes]>([
    [
      'either of both types',
      inSpec({ 'x-orch-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] }),
    ],
    ['either with a type besides', inSpec({ ...text, 'x-orch-int-or-string': true })],
    [
      'either with a pattern',
      inSpec({
        'x-orch-int-or-string': true,
        allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, { pattern: '^x' }],
      }),
    ],
    ['free members', inSpec({ ...object, 'x-orch-preserve-unknown-fields': true })],
    ['anything', inSpec({ 'x-orch-preserve-unknown-fields': true })],
    [
      'keys with a default',
      inSpec({ type: 'array', items: { ...object, properties: { k: { ...text, default: 'x' } } }, ...keyed }),
    ],
    [
      'alternatives that demand members',
      inSpec({
        ...object,
        properties: { b: text, c: text },
        oneOf: [{ required: ['b'] }, { required: ['c'] }],
      }),
    ],
    [
      'names of metadata',
      {
        schema: { properties: { metadata: { ...object, properties: { name: { ...text, maxLength: 5 } } } } },
      },
    ],
  ])('allowed: %s', (_name, changes) => {
    expect(brief(kind.createErrors(widgets(changes)))).toEqual([]);
  });
});

describe('v1beta1', () => {
  test('with preserved unknown fields the schema need not be structural, and has no defaults', () => {
    const free = { spec: { preserveUnknownFields: true } };
    expect(brief(beta.createErrors(widgets({ ...free, schema: { properties: { a: {} } } })))).toEqual([]);
    expect(brief(beta.createErrors(widgets({ ...free, ...inSpec({ ...text, default: 'x' }) })))).toEqual([
      `${a}.default Forbidden`,
    ]);
  });

  test('what is said for all versions reaches each, and is said once on the way back', () => {
    const schema = { openAPIV3Schema: object };
    const before = {
      version: 'v1',
      versions: [{ name: 'v1' }, { name: 'v2' }],
      validation: schema,
      additionalPrinterColumns: [{ name: 'A', type: 'string', JSONPath: '.a' }],
      conversion: {
        strategy: 'Webhook',
        webhookClientConfig: { url: 'https://x' },
        conversionReviewVersions: ['v1'],
      },
      preserveUnknownFields: false,
    };
    const stored = definitionToStorage({ spec: structuredClone(before) });
    const column = { name: 'A', type: 'string', jsonPath: '.a' };
    expect(stored['spec']).toEqual({
      versions: ['v1', 'v2'].map((name) => ({ name, schema, additionalPrinterColumns: [column] })),
      conversion: {
        strategy: 'Webhook',
        webhook: { clientConfig: { url: 'https://x' }, conversionReviewVersions: ['v1'] },
      },
    });
    expect(definitionFromStorage(stored)['spec']).toEqual(before);
  });
});

describe('updates', () => {
  const before = kind.created(widgets());
  const established = asApiObject({
    ...structuredClone(before as unknown as JsonObject),
    status: { storedVersions: ['v1'], conditions: [{ type: 'Established', status: 'True' }] },
  });

  test('names and scope are fixed, some of them once the resource is there', () => {
    const next = widgets({ spec: { scope: 'Cluster', names: { plural: 'widgets', kind: 'Gadget' } } });
    expect(brief(kind.updateErrors(before, next))).toEqual([]);
    expect(brief(kind.updateErrors(established, next))).toEqual([
      'spec.names.kind Invalid',
      'spec.scope Invalid',
    ]);
  });

  test('a version that objects may be stored in stays; a new storage version is noted', () => {
    const schema = { openAPIV3Schema: object };
    const second = { name: 'v2', served: true, storage: true, schema };
    const gone = widgets({ spec: { versions: [second] } });
    expect(brief(kind.updateErrors(established, gone))).toEqual(['status.storedVersions[0] Invalid']);
    const both = widgets({
      spec: { versions: [second, { name: 'v1', served: true, storage: false, schema }] },
    });
    expect(kind.updated(established, both)['status']).toMatchObject({ storedVersions: ['v1', 'v2'] });
  });

  test('a deletion waits for the objects', () => {
    const object = asApiObject(structuredClone(before as unknown as JsonObject));
    kind.definition.strategy.prepareForDelete?.(object, kind.context);
    expect(object.metadata.finalizers).toEqual(['customresourcecleanup.apiextensions.orch.io']);
    expect(object['status']).toMatchObject({ conditions: [{ type: 'Terminating', status: 'True' }] });
  });
});
