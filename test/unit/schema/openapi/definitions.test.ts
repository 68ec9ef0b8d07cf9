import { laterFields } from '../../../../src/registry/write/reach.ts';
import { loadCatalogueSchemas } from '../../../../src/api/schemas.ts';
import type { JsonObject, JsonValue } from '../../../../src/base/json.ts';
import { isObject } from '../../../../src/base/json.ts';
import { namingProfiles } from '../../../../src/meta/naming.ts';
import { openApiDefinitions } from '../../../../src/schema/openapi/openapi-definitions.ts';
import { definitionName } from '../../../../src/schema/openapi/definition-names.ts';
import { schemas } from '../catalogue.ts';

const pod = { group: '', version: 'v1', kind: 'Pod' };
const kindsOf = (name: string) => (name === 'core/v1.Pod' ? [pod] : []);
const make = (version: 2 | 3, roots = ['core/v1.Pod']): JsonObject =>
  openApiDefinitions(schemas, { naming: namingProfiles.orch, version, roots, kindsOf });

test.each([
  ['core/v1.Pod', 'io.k8s.api.core.v1.Pod'],
  ['rbac/v1.Role', 'io.k8s.api.rbac.v1.Role'],
  ['meta/v1.ObjectMeta', 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'],
  ['resource.Quantity', 'io.k8s.apimachinery.pkg.api.resource.Quantity'],
  ['intstr.IntOrString', 'io.k8s.apimachinery.pkg.util.intstr.IntOrString'],
  ['apiregistration/v1.APIService', 'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService'],
])('%s is defined as %s for clients that know those names', (name, expected) => {
  expect(definitionName(name, namingProfiles.kubernetes)).toBe(expected);
});

test('a kind has its fields, what is required of them and the kinds that it is served as', () => {
  const definitions = make(2);
  expect(definitions['io.orch.api.core.v1.Pod']).toMatchObject({
    type: 'object',
    properties: {
      kind: { type: 'string' },
      metadata: { $ref: '#/definitions/io.orch.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
    },
    'x-orch-group-version-kind': [pod],
  });
  expect(definitions['io.orch.api.core.v1.PodSpec']).toMatchObject({
    required: ['containers'],
    properties: {
      containers: {
        type: 'array',
        items: { $ref: '#/definitions/io.orch.api.core.v1.Container' },
        'x-orch-list-type': 'map',
        'x-orch-list-map-keys': ['name'],
        'x-orch-patch-strategy': 'merge',
        'x-orch-patch-merge-key': 'name',
      },
      overhead: {
        type: 'object',
        additionalProperties: { $ref: '#/definitions/io.orch.apimachinery.pkg.api.resource.Quantity' },
      },
    },
  });
  expect(definitions['io.orch.apimachinery.pkg.apis.meta.v1.Time']).toMatchObject({
    type: 'string',
    format: 'date-time',
  });
});

test('fields of later releases are left out, and there are such fields', () => {
  const entry = 'io.orch.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry';
  const fieldsIn = (minor: number): string[] => {
    const hiddenFields = laterFields({ major: 1, minor });
    const roots = ['meta/v1.ManagedFieldsEntry'];
    const options = {
      naming: namingProfiles.orch,
      version: 2,
      roots,
      kindsOf: () => [],
      hiddenFields,
    } as const;
    const { properties } = openApiDefinitions(schemas, options)[entry] as { properties: object };
    return Object.keys(properties);
  };
  expect(fieldsIn(22)).toContain('subresource');
  expect(fieldsIn(21)).toEqual(fieldsIn(22).filter((name) => name !== 'subresource'));
});

test('version 3 adds defaults and closed values', () => {
  expect(make(3)['io.orch.api.core.v1.PodSpec']).toHaveProperty('properties.restartPolicy', {
    description: expect.any(String) as string,
    type: 'string',
    default: 'Always',
    enum: ['Always', 'Never', 'OnFailure'],
  });
});

test.each([2, 3] as const)(
  'every reference of version %s leads to a definition, for the whole catalogue',
  (version) => {
    const roots = schemas.names();
    for (const naming of Object.values(namingProfiles)) {
      const set = loadCatalogueSchemas(naming);
      const definitions = openApiDefinitions(set, { naming, version, roots, kindsOf });
      const missing = references(definitions).filter((name) => definitions[name] === undefined);
      expect(missing).toEqual([]);
      expect(Object.keys(definitions)).toHaveLength(roots.length);
    }
  },
);

function references(value: JsonValue | undefined): string[] {
  if (Array.isArray(value)) return value.flatMap(references);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === '$ref' && typeof member === 'string'
      ? [member.slice(member.lastIndexOf('/') + 1)]
      : references(member),
  );
}

test('a root that does not exist is a defect', () => {
  expect(() => make(2, ['core/v1.Nothing'])).toThrow('no type core/v1.Nothing');
});
