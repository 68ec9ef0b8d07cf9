/** Every kind in every version that it ever had: what lies in etcd in it is read in the stored version. */
import fc from 'fast-check';
import type { JsonObject } from '../../../src/base/json.ts';
import { builtInGroups } from '../../../src/api/index.ts';
import { loadCatalogueSchemas } from '../../../src/api/schemas.ts';
import { DecodeError } from '../../../src/codec/decode-error.ts';
import { decodeStored, encodeStored } from '../../../src/codec/stored.ts';
import { expandNames, namingProfiles } from '../../../src/meta/naming.ts';
import { createRecode } from '../../../src/registry/conversion/stored-versions.ts';
import { checkStructure } from '../../../src/schema/structure.ts';
import type { ResourceDefinition, ResourceVersionDefinition } from '../../../src/api/types.ts';
import { arbitraryObject } from '../../support/arbitrary-object.ts';

const naming = namingProfiles.orch;
const schemas = loadCatalogueSchemas(naming);
const recode = createRecode({
  ...{ naming, groups: builtInGroups, schemas },
  ...{ isFeatureEnabled: () => false, now: () => new Date(0) },
});

/** Versions that release 1.21 has types of. */
function knownVersions(folder: string, { kind, versions }: ResourceDefinition): ResourceVersionDefinition[] {
  return versions.filter(({ version }) => schemas.find(`${folder}/${version}.${kind}`));
}

const cases = builtInGroups.flatMap(({ group, folder, resources }) =>
  resources
    .filter(({ virtual }) => virtual !== true)
    .flatMap((definition) =>
      knownVersions(folder, definition).map(({ version }) => {
        const home = definition.storedIn ?? { group, folder };
        const homeGroup = expandNames(home.group, naming);
        const own = expandNames(group, naming);
        return {
          apiVersion: own === '' ? version : `${own}/${version}`,
          kind: definition.kind,
          collection: `${homeGroup === '' ? 'core' : homeGroup}/${definition.plural}`,
          storedAs: `${homeGroup === '' ? '' : `${homeGroup}/`}${definition.storageVersion}`,
          schema: schemas.get(`${folder}/${version}.${definition.kind}`),
          storedSchema: schemas.get(`${home.folder}/${definition.storageVersion}.${definition.kind}`),
        };
      }),
    ),
);

test.each(cases)('$apiVersion $kind', ({ apiVersion, kind, collection, storedAs, schema, storedSchema }) => {
  fc.assert(
    fc.property(arbitraryObject(schema, 4), (object) => {
      const value = encodeStored({ ...object, kind, apiVersion });
      const recoded = recode(collection, value, true);
      if (apiVersion === storedAs) {
        expect(recoded).toBeUndefined();
        return;
      }
      const read = decodeStored(recoded ?? value);
      expect(read).toMatchObject({ kind, apiVersion: storedAs });
      expect(checkStructure(storedSchema, read).errors).toEqual([]);
      expect(recode(collection, recoded ?? value, true)).toBeUndefined();
    }),
    { numRuns: 20 },
  );
});

test('members in another order are put in ours; what is no object of the collection is told', () => {
  const value = Buffer.from(
    '{"apiVersion":"v1","kind":"Pod","spec":{},"metadata":{"name":"a","labels":{"b":"c"}}}',
  );
  expect(recode('core/pods', value, true)?.toString()).toBe(
    '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","labels":{"b":"c"}},"spec":{}}',
  );
  for (const text of [
    '',
    '7',
    '[]',
    '{}',
    '{"kind":"Pod","apiVersion":"v2"}',
    '{"kind":"Node","apiVersion":"v1"}',
  ])
    expect(() => recode('core/pods', Buffer.from(text), true)).toThrow();
  for (const group of ['ranges', 'announced'])
    expect(recode(`${group}/things`, Buffer.from('anything'), false)).toBeUndefined();
});

/** What another program may have written under the key of an object; reads of it must not fail without its name. */
const noObjects = [
  '{}',
  '{"metadata":{"name":"a"}}',
  '{"kind":"Pod"}',
  '{"kind":"Pod","apiVersion":7,"metadata":{}}',
  '{"kind":{"a":1},"apiVersion":"v1","metadata":{}}',
  '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"},"spec":{}',
  '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"},"spec":}',
  '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}{}',
  '[]',
];

test.each(noObjects)('written by others: %s is no object, of built-in and of custom resources', (text) => {
  for (const collection of ['core/pods', 'example.com/things'])
    expect(() => recode(collection, Buffer.from(text), false)).toThrow(DecodeError);
});

test('written by others: custom objects in another order of members are put in ours', () => {
  const other = '{"apiVersion":"example.com/v1","kind":"Thing","spec":{},"metadata":{"name":"a"}}';
  const ours = '{"kind":"Thing","apiVersion":"example.com/v1","metadata":{"name":"a"},"spec":{}}';
  expect(recode('example.com/things', Buffer.from(other), false)?.toString()).toBe(ours);
  expect(recode('example.com/things', Buffer.from(ours), false)).toBeUndefined();
});

test('an unknown version is kept in our order of members, as its owner reads it; in another it is no object', () => {
  const ours = '{"kind":"Pod","apiVersion":"v9","metadata":{"name":"a"},"spec":{}}';
  const other = '{"kind":"Pod","apiVersion":"v9","spec":{},"metadata":{"name":"a"}}';
  expect(() => recode('core/pods', Buffer.from(ours), false)).not.toThrow(DecodeError);
  expect(() => recode('core/pods', Buffer.from(other), false)).toThrow(DecodeError);
});

test('what another program wrote in the form of this service is checked, not parsed', () => {
  const value = encodeStored({ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a' }, spec: { a: [1] } });
  const parse = jest.spyOn(JSON, 'parse');
  try {
    expect(recode('core/pods', value, false)).toBeUndefined();
    expect(parse).not.toHaveBeenCalled();
  } finally {
    parse.mockRestore();
  }
});

test('own values by which the service works before any request are checked whole, others by their ends', () => {
  const broken = (kind: string, apiVersion: string): Buffer =>
    Buffer.from(`{"kind":"${kind}","apiVersion":"${apiVersion}","metadata":{"name":"a","uid";"b"}}`);
  for (const [kind, collection, version] of [
    ['APIService', 'apiregistration.orch.io/apiservices', 'v1'],
    ['FlowSchema', 'flowcontrol.apiserver.orch.io/flowschemas', 'v1beta1'],
    ['PriorityLevelConfiguration', 'flowcontrol.apiserver.orch.io/prioritylevelconfigurations', 'v1beta1'],
  ] as const) {
    const [group = ''] = collection.split('/');
    const value = broken(kind, `${group}/${version}`);
    expect(() => recode(collection, value, true)).toThrow(DecodeError);
  }
  expect(recode('core/pods', broken('Pod', 'v1'), true)).toBeUndefined();
});

/**
 * What they did before: no start came to its end (an APIService, a range of addresses), the serving process ended (a
 * definition), no pod of the namespace was created, by an error that named no object (a quota, a limit).
 */
const misshapen = [
  ['APIService', 'apiregistration.orch.io/v1', 'apiservices', '"spec":{"service":{"name":"a"},"caBundle":7}'],
  [
    'CustomResourceDefinition',
    'apiextensions.orch.io/v1',
    'customresourcedefinitions',
    '"spec":{"versions":5}',
  ],
  ['ResourceQuota', 'v1', 'resourcequotas', '"spec":{"scopes":5}'],
  ['LimitRange', 'v1', 'limitranges', '"spec":{"limits":{"a":1}}'],
] as const;

test.each(misshapen)(
  'written by others: a %s of another shape cannot be read',
  (kind, version, plural, member) => {
    const collection = version === 'v1' ? `core/${plural}` : `${version.split('/')[0] ?? ''}/${plural}`;
    const object = (rest: string): Buffer =>
      Buffer.from(`{"kind":"${kind}","apiVersion":"${version}","metadata":{"name":"a"}${rest}}`);
    expect(recode(collection, object(''), false)).toBeUndefined();
    expect(() => recode(collection, object(`,${member}`), false)).toThrow(DecodeError);
    const inOtherOrder = Buffer.from(`{${member},"apiVersion":"${version}","kind":"${kind}"}`);
    expect(() => recode(collection, inOtherOrder, false)).toThrow(DecodeError);
  },
);

test('a large flow schema is checked in steps, as are large values of other programs', () => {
  const group = `flowcontrol.apiserver.${naming.apiDomain}`;
  const rules = Array.from({ length: 20_000 }, (_, i) => ({
    subjects: [{ kind: 'User', user: { name: String(i) } }],
  }));
  const flow = encodeStored({
    kind: 'FlowSchema',
    apiVersion: `${group}/v1beta1`,
    metadata: { name: 'a' },
    spec: { rules },
  });
  const data = Object.fromEntries(rules.map((_, i) => [`k${String(i)}`, 'some text']));
  const map = encodeStored({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' }, data });
  expect(stepsOf(`${group}/flowschemas`, flow, true)).toBeGreaterThan(50);
  expect(stepsOf('core/configmaps', map, false)).toBeGreaterThan(20);
  expect(stepsOf('core/configmaps', map, true)).toBe(0);
});

describe('a large definition of another program', () => {
  const group = `apiextensions.${naming.apiDomain}`;
  const collection = `${group}/customresourcedefinitions`;
  const definition = (odd: unknown): Buffer => {
    const properties = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, i) => [`p${String(i)}`, { type: i === 4_000 ? odd : 'string' }]),
    ) as JsonObject;
    const schema = { openAPIV3Schema: { type: 'object', properties } };
    const versions = [{ name: 'v1', served: true, storage: true, schema }];
    const head = { kind: 'CustomResourceDefinition', apiVersion: `${group}/v1`, metadata: { name: 'a' } };
    return encodeStored({ ...head, spec: { versions } });
  };

  test('is checked in steps: the values of its maps as well', () => {
    expect(stepsOf(collection, definition('string'), false)).toBeGreaterThan(5_000);
  });

  test('is told as before where it has another shape', () => {
    const path = 'spec.versions[0].schema.openAPIV3Schema.properties[p4000].type';
    expect(() => recode(collection, definition(7), false)).toThrow(`${path}: expected string, got number`);
  });

  test('may nest without end', () => {
    const levels = 20_000;
    const text = `${'{"not":'.repeat(levels)}{}${'}'.repeat(levels)}`;
    const whole = definition('string').toString().replace('"type":"object"', `"type":"object","not":${text}`);
    expect(() => recode(collection, Buffer.from(whole), false)).toThrow('nested deeper than 500 levels');
  });
});

function stepsOf(collection: string, value: Buffer, isOwn: boolean): number {
  const steps = recode.inSteps?.(collection, value, isOwn);
  if (!steps) throw new Error('no steps');
  let taken = 0;
  for (const _step of steps) taken += 1;
  return taken;
}
