/** Parts of custom resources without a server: names, versions, the merged catalogue, descriptions. */
import type { CustomResourceDefinition } from '../../../src/api/apiextensions/custom-resource-definitions.ts';
import { builtInGroups } from '../../../src/api/index.ts';
import { loadCatalogueSchemas } from '../../../src/api/schemas.ts';
import { systemEnvironment } from '../../../src/base/environment.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { systemRandom } from '../../../src/base/random.ts';
import { createCustomResource } from '../../../src/extension/custom-resources/custom-resource.ts';
import { mergeCatalogue, MergedCatalogue } from '../../../src/extension/custom-resources/merged-catalogue.ts';
import { assignNames, Assignments } from '../../../src/extension/custom-resources/name-assignment.ts';
import { byPreference } from '../../../src/extension/custom-resources/version-order.ts';
import { EntryCache } from '../../../src/registry/entry-cache.ts';
import { NumberSeries } from '../../../src/observe/metric-series.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { createExtensionMetrics } from '../../../src/observe/extension-metrics.ts';
import { Metrics } from '../../../src/observe/metrics.ts';
import { buildCatalogue } from '../../../src/registry/catalogue/catalogue.ts';
import type { ServedResource } from '../../../src/registry/types.ts';
import { cpuBudget, cpuMsOf } from '../../support/cpu-time.ts';
import { shown } from '../../support/kind.ts';
import { definition } from '../../support/custom-resources.ts';

const naming = namingProfiles.orch;
const schemas = loadCatalogueSchemas(naming);
const builtIn = buildCatalogue({ naming, groups: builtInGroups, schemas, isEnabled: () => true });

interface Made {
  readonly plural?: string;
  readonly kind?: string;
  readonly spec?: JsonObject;
  readonly second?: number;
  readonly status?: JsonObject;
  readonly generation?: number;
}

/** A stored definition, created in that second. */
function made({ plural = 'widgets', kind = 'Widget', spec = {}, ...more }: Made): CustomResourceDefinition {
  const object = definition(plural, kind, { names: { plural, singular: kind.toLowerCase(), kind }, ...spec });
  const { second = 0, generation = 1, status = {} } = more;
  const { name } = object['metadata'] as { name: string };
  const creationTimestamp = `2021-01-01T00:00:${String(second).padStart(2, '0')}Z`;
  return {
    ...object,
    metadata: { name, uid: name, creationTimestamp, generation },
    status,
  } as unknown as CustomResourceDefinition;
}

const { conversionDuration: duration } = createExtensionMetrics(new Metrics());
const calls = {
  ...systemEnvironment,
  sendReview: () => Promise.reject(new Error('nobody')),
  signal: AbortSignal.any([]),
  duration,
};
const cells = { made: new NumberSeries(), evicted: new NumberSeries(), size: new NumberSeries() };
const conversions = { kept: new EntryCache(1_000_000, cells, systemRandom), calls };

function resourceOf(parts: Made): ServedResource[] {
  return [...createCustomResource({ definition: made(parts), naming, schemas, conversions }).served];
}

/** The OpenAPI description of the objects of a resource. */
async function descriptionOf(
  resource: ServedResource | undefined,
  version: 2 | 3,
): Promise<JsonObject | undefined> {
  const reference = (type: string): JsonObject => ({ $ref: type });
  const types = await resource?.description?.define(version, reference, () => undefined);
  return types?.[resource?.description?.object ?? ''];
}

test('the schema of a version that did not change is not read again', () => {
  const parts = { naming, schemas, conversions };
  const first = createCustomResource({ ...parts, definition: made({ second: 1 }) });
  const again = createCustomResource({ ...parts, definition: made({ second: 1 }), known: first.versions });
  expect(again.versions.size).toBeGreaterThan(0);
  for (const [digest, version] of again.versions) expect(first.versions.get(digest)).toBe(version);
  const other = made({ second: 1 });
  const [version] = other.spec?.versions ?? [];
  const changed = { ...other, spec: { ...other.spec, versions: [{ ...version, name: 'v9' }] } };
  const read = createCustomResource({
    ...parts,
    definition: changed,
    known: first.versions,
  });
  for (const digest of read.versions.keys()) expect(first.versions.has(digest)).toBe(false);
});

describe('names', () => {
  function conflicts(definitions: CustomResourceDefinition[]): Record<string, string> {
    const reasons: Record<string, string> = {};
    for (const [name, { conflict }] of assignNames(definitions, naming))
      reasons[name.split('.')[0] ?? ''] = conflict?.reason ?? '';
    return reasons;
  }

  test('belong to the older definition', () => {
    const [first, second] = [made({ second: 1 }), made({ plural: 'gadgets', second: 2 })];
    expect(conflicts([second, first])).toEqual({ widgets: '', gadgets: 'SingularConflict' });
  });

  test('that were accepted are kept, even if another definition is older', () => {
    const owner = made({
      second: 2,
      status: { acceptedNames: { kind: 'Widget', singular: 'widget', plural: 'widgets' } },
    });
    expect(conflicts([made({ plural: 'gadgets', second: 1 }), owner])).toEqual({
      widgets: '',
      gadgets: 'SingularConflict',
    });
  });

  test('are free in another group, and taken by what is built in', () => {
    const elsewhere = made({ plural: 'pods', kind: 'Pod' });
    expect(conflicts([elsewhere])).toEqual({ pods: '' });
    expect(conflicts([made({ plural: 'deployments', kind: 'Deployment', spec: { group: 'apps' } })])).toEqual(
      {
        deployments: 'PluralConflict',
      },
    );
  });

  test('that are taken leave those that were accepted before', () => {
    const accepted = { plural: 'gadgets', kind: 'Gadget', shortNames: ['g'] };
    const changed = made({ plural: 'gadgets', second: 2, status: { acceptedNames: accepted } });
    const assignment = assignNames([made({ second: 1 }), changed], naming).get('gadgets.example.com');
    expect(assignment?.accepted).toMatchObject({ plural: 'gadgets', kind: 'Gadget' });
  });
});

describe('assignments of many definitions', () => {
  const many = Array.from({ length: 1_000 }, (_, i) =>
    made({ plural: `things${String(i)}`, kind: `Thing${String(i)}`, second: i % 60 }),
  );

  test('what says the same as before stays the same object after another definition changed', () => {
    const assignments = new Assignments(naming);
    const before = assignments.of('example.com', many);
    const names = many.map(({ metadata }) => metadata.name ?? '');
    const others = [...many.slice(1), made({ plural: 'others', kind: 'Other' })];
    const after = assignments.of('example.com', others);
    expect(after.get(names[0] ?? '')).toBeUndefined();
    expect(after.get('others.example.com')?.accepted.kind).toBe('Other');
    expect(assignments.of('example.com', others)).toBe(after);
    for (const name of names.slice(1)) expect(after.get(name)).toBe(before.get(name));
  });
});

test('versions: the most stable first, then the newest', () => {
  const versions = [
    'v1alpha1',
    'foo1',
    'v10',
    'v2',
    'v1beta2',
    'v11beta2',
    'v3beta1',
    'v12alpha1',
    'foo10',
    'v1',
  ];
  expect(versions.sort(byPreference)).toEqual([
    'v10',
    'v2',
    'v1',
    'v11beta2',
    'v3beta1',
    'v1beta2',
    'v12alpha1',
    'v1alpha1',
    'foo1',
    'foo10',
  ]);
});

describe('the catalogue', () => {
  test('has both, and its groups in order', () => {
    const merged = mergeCatalogue(builtIn, resourceOf({}));
    expect(merged.resource('example.com', 'v1', 'widgets')?.gvk.kind).toBe('Widget');
    expect(merged.kind('example.com', 'v1', 'Widget')?.gvr.resource).toBe('widgets');
    expect(merged.resource('', 'v1', 'pods')).toBe(builtIn.resource('', 'v1', 'pods'));
    expect(merged.groups().map(({ group }) => group)).toEqual([
      ...builtIn.groups().map(({ group }) => group),
      'example.com',
    ]);
  });

  test('of a change has new groups only where something changed; one that was given stays as it is', () => {
    const merged = new MergedCatalogue(builtIn);
    const [widgets, gadgets] = [
      resourceOf({ spec: { group: 'a.example' } }),
      resourceOf({ spec: { group: 'b.example' } }),
    ];
    const before = merged.changed(
      new Map([
        ['a.example', widgets],
        ['b.example', gadgets],
      ]),
    );
    const groups = before.groups();
    const after = merged.changed(new Map([['a.example', []]]));
    expect(after.groups()).toEqual(groups.filter(({ group }) => group !== 'a.example'));
    expect(after.groups().every((group) => groups.includes(group))).toBe(true);
    expect(after.resource('a.example', 'v1', 'widgets')).toBeUndefined();
    expect(after.resource('b.example', 'v1', 'widgets')).toBe(gadgets[0]);
    expect(before.resource('a.example', 'v1', 'widgets')).toBe(widgets[0]);
    expect(merged.changed(new Map([['b.example', []]])).groups()).toEqual(builtIn.groups());
  });

  test('cannot replace what is built in', () => {
    const spec = { group: 'apps' };
    const merged = mergeCatalogue(builtIn, resourceOf({ plural: 'deployments', kind: 'Deployment', spec }));
    expect(merged.resource('apps', 'v1', 'deployments')).toBe(builtIn.resource('apps', 'v1', 'deployments'));
  });
});

describe('a resource', () => {
  const second = {
    ...(definition('widgets', 'Widget')['spec'] as { versions: JsonObject[] }).versions[0],
    name: 'v2',
  };
  const [first = {}] = (definition('widgets', 'Widget')['spec'] as { versions: JsonObject[] }).versions;
  const versions = [first, { ...second, storage: false }];

  test('is shown as it is stored only while its definition has never changed', () => {
    const entry = { collection: '', key: 'a', modRevision: 1, bytes: Buffer.from('{}'), memo: undefined };
    const isKnown = (resource?: ServedResource): boolean | undefined =>
      resource?.conversion.stored && resource.conversion.stored.known(entry) === entry;
    expect(resourceOf({ spec: { versions: [first] } }).map(isKnown)).toEqual([undefined]);
    expect(resourceOf({ spec: { versions } }).map(isKnown)).toEqual([true, false]);
    expect(resourceOf({ spec: { versions }, generation: 2 }).map(isKnown)).toEqual([false, false]);
  });

  test('that a webhook converts is served in all its versions', () => {
    const conversion = { strategy: 'Webhook' };
    expect(resourceOf({ spec: { versions, conversion } }).map(({ gvk }) => gvk.version)).toEqual([
      'v1',
      'v2',
    ]);
  });

  test('without columns shows its age', () => {
    const { additionalPrinterColumns: _columns, ...plain } = first;
    const [resource] = resourceOf({ spec: { versions: [plain] } });
    expect(resource?.definition.columns.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'Name string',
      'Age date',
    ]);
  });

  test('column cells follow the type of the column', () => {
    const columns = ['integer', 'number', 'boolean', 'string', 'date'].map((type) => ({
      name: type,
      type,
      jsonPath: '.x',
    }));
    const [resource] = resourceOf({ spec: { versions: [{ ...first, additionalPrinterColumns: columns }] } });
    const now = new Date('2021-01-01T00:01:00Z');
    const cells = (x: unknown): unknown[] =>
      (resource?.definition.columns ?? [])
        .slice(1)
        .map((c) => shown(c.cell({ metadata: {}, x } as never, naming), now));
    expect(cells(1.5)).toEqual([1, 1.5, null, '1.5', null]);
    expect(cells(true)).toEqual([null, null, true, 'true', null]);
    expect(cells('2021-01-01T00:00:00Z')).toEqual([null, null, null, '2021-01-01T00:00:00Z', '60s']);
    expect(cells({ a: 1 })).toEqual([null, null, null, '{"a":1}', null]);
    expect(cells(undefined)).toEqual([null, null, null, null, null]);
    expect(cells('soon')[4]).toBe('<invalid>');
  });
});

describe('objects inside of others (x-orch-embedded-resource)', () => {
  const embedded = { type: 'object', 'x-orch-embedded-resource': true };
  const properties = {
    described: { ...embedded, required: ['spec', 'kind'], properties: { spec: { type: 'object' } } },
    free: { ...embedded, 'x-orch-preserve-unknown-fields': true },
    each: { type: 'array', items: { ...embedded, properties: { spec: { type: 'object' } } } },
    plain: { type: 'object', properties: { spec: { type: 'object' } } },
  };
  const openAPIV3Schema = { type: 'object', properties };
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }];

  async function described(version: 2 | 3): Promise<Record<string, JsonObject>> {
    const [resource] = resourceOf({ spec: { versions } });
    return (await descriptionOf(resource, version))?.['properties'] as Record<string, JsonObject>;
  }

  const text = expect.objectContaining({ type: 'string' }) as unknown;
  const metadata = expect.objectContaining({ $ref: 'meta/v1.ObjectMeta' }) as unknown;
  const own = { apiVersion: text, kind: text, metadata };

  test.each([2, 3] as const)('are described with what every object has in version %d', async (version) => {
    const { described: one, each, plain } = await described(version);
    expect(one).toMatchObject({
      required: ['spec', 'kind', 'apiVersion'],
      properties: { spec: { type: 'object' }, ...own },
    });
    expect(each?.['items']).toMatchObject({ required: ['kind', 'apiVersion'], properties: own });
    expect(plain?.['properties']).toEqual({ spec: { type: 'object' } });
  });

  test('that preserve unknown fields are undescribed in version 2', async () => {
    expect((await described(2))['free']).not.toHaveProperty('properties');
    expect((await described(3))['free']).toMatchObject({ required: ['kind', 'apiVersion'], properties: own });
  });
});

describe('OpenAPI version 2, by which old clients validate', () => {
  /** The description of objects of such a schema. */
  async function described(
    schema: JsonObject | undefined,
    spec: JsonObject = {},
    version: 2 | 3 = 2,
  ): Promise<JsonObject> {
    const own = schema && { schema: { openAPIV3Schema: schema } };
    const versions = [{ name: 'v1', served: true, storage: true, ...own }];
    const [resource] = resourceOf({ spec: { versions, ...spec } });
    return (await descriptionOf(resource, version)) ?? {};
  }

  const free = { 'x-orch-preserve-unknown-fields': true };
  const marked = { ...free, 'x-kubernetes-preserve-unknown-fields': true };
  const kept = { preserveUnknownFields: true };
  const spec = { type: 'object', properties: { spec: { type: 'object' } } };

  test.each<[string, JsonObject | undefined, JsonObject]>([
    ['no schema', undefined, kept],
    ['a definition that preserves unknown fields', spec, kept],
    ['a root that does', { ...spec, ...free, description: 'd' }, {}],
    ['a schema that is not structural', { properties: { spec: {} } }, kept],
  ])('only that they are objects: %s', async (_case, schema, more) => {
    expect(await described(schema, more)).toEqual({ type: 'object' });
  });

  test('version 3 describes all but those without a structural schema', async () => {
    expect(await described({ ...spec, ...free }, {}, 3)).toHaveProperty('properties.spec');
    expect(await described({ properties: { spec: {} } }, kept, 3)).not.toHaveProperty('properties');
  });

  test('types that such clients would take too strictly are left out', async () => {
    const { properties } = await described({
      type: 'object',
      properties: {
        object: { type: 'object', description: 'd', properties: { a: { type: 'string' } }, ...free },
        list: { type: 'array', items: { type: 'string' }, nullable: true },
        either: { 'x-orch-int-or-string': true },
        some: {
          type: 'object',
          required: ['a', 'b'],
          properties: { a: { type: 'string', nullable: true }, b: { type: 'string' } },
        },
      },
    });
    expect(properties).toMatchObject({ some: { required: ['b'] } });
    const { object, list, either } = properties as Record<string, JsonObject>;
    expect(object).toEqual({ description: 'd', ...marked });
    expect(list).toEqual({});
    expect(either).not.toHaveProperty('type');
  });

  test('what every object has begins as clients look for it', async () => {
    expect((await described(spec))['properties']).toMatchObject({
      apiVersion: { description: expect.stringMatching(/^APIVersion defines /) as unknown },
      kind: { description: expect.stringMatching(/^Kind is /) as unknown },
      metadata: { description: expect.stringMatching(/^Standard object's metadata/) as unknown },
    });
  });
});

test('thousands of versions, each of which knows the others', () => {
  const versions = Array.from({ length: 3_000 }, (_, i) => ({
    name: `v${String(i + 1)}`,
    ...{ served: true, storage: i === 0, deprecated: i > 0 },
    schema: { openAPIV3Schema: { type: 'object' } },
  }));
  let served: ServedResource[] = [];
  expect(cpuMsOf(() => (served = resourceOf({ spec: { versions } })))).toBeLessThan(cpuBudget(1_500));
  const known = served[0]?.definition.versions ?? [];
  expect(known.at(-1)?.deprecationWarning).toBe(
    'example.com/v3000 Widget is deprecated; use example.com/v1 Widget',
  );
});

test.each([true, false])('feature gate CustomResourceFieldSelectors %s: fields select, or not', (isOn) => {
  const field = { selectableFields: [{ jsonPath: '.spec.size' }] };
  const whole = made({});
  const versions = (whole.spec?.versions ?? []).map((version) => ({ ...version, ...field }));
  const { served } = createCustomResource({
    ...{ definition: { ...whole, spec: { ...whole.spec, versions } }, naming, schemas, conversions },
    ...{ release: { major: 1, minor: 31 }, isFeatureEnabled: () => isOn },
  });
  expect(Object.keys(served[0]?.definition.selectableFields ?? {})).toEqual(isOn ? ['spec.size'] : []);
});
