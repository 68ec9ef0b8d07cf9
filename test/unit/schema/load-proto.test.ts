import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadCatalogueSchemas } from '../../../src/api/schemas.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { newestRelease } from '../../../src/observe/release.ts';
import { loadSchemas } from '../../../src/schema/load-proto.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { schemas } from './catalogue.ts';

test('a struct has its fields with number, type, list and patch rules', () => {
  const ports = schemas.get('core/v1.Container').fields.get('ports');
  expect(ports).toMatchObject({
    protoNumber: 6,
    protoType: 'repeated core/v1.ContainerPort',
    patchStrategies: ['merge'],
    patchMergeKey: 'containerPort',
    schema: { type: 'list', listType: 'map', listMapKeys: ['containerPort', 'protocol'] },
  });
});

test('types with a JSON form of their own are scalars, free values or lists', () => {
  expect(schemas.find('resource.Quantity')).toMatchObject({ type: 'string', format: 'quantity' });
  expect(schemas.find('meta/v1.MicroTime')).toMatchObject({ type: 'string', format: 'micro-time' });
  expect(schemas.find('runtime.RawExtension')).toMatchObject({ type: 'any', name: 'runtime.RawExtension' });
  expect(schemas.find('authentication/v1.ExtraValue')).toMatchObject({ type: 'list' });
});

test('embedded structs are flattened and remember their own message', () => {
  const volume = schemas.get('core/v1.Volume');
  expect(volume.fields.has('emptyDir')).toBe(true);
  expect(volume.embedded).toMatchObject([{ protoNumber: 2, schema: { name: 'core/v1.VolumeSource' } }]);
  const source = schemas.get('core/v1.VolumeSource');
  expect(volume.fields.get('emptyDir')).toBe(source.fields.get('emptyDir'));
});

test('kinds begin with kind and apiVersion, which are not on the wire', () => {
  const [kind, apiVersion] = schemas.get('core/v1.Pod').fields.values();
  expect(kind).toMatchObject({ name: 'kind', protoNumber: 0 });
  expect(apiVersion).toMatchObject({ name: 'apiVersion', protoNumber: 0 });
});

test('a list without a list type merges as its patch rule says', () => {
  const podSpec = schemas.get('core/v1.PodSpec').fields;
  expect(podSpec.get('containers')?.schema).toMatchObject({ listType: 'map', listMapKeys: ['name'] });
  expect(podSpec.get('tolerations')?.schema).toMatchObject({ listType: 'atomic' });
  expect(schemas.get('meta/v1.ObjectMeta').fields.get('finalizers')?.schema).toMatchObject({
    listType: 'set',
  });
});

test('each naming profile has its own words', () => {
  const orch = schemas.get('apiextensions/v1.JSONSchemaProps').fields;
  expect(orch.has('x-orch-list-type')).toBe(true);
  const kubernetes = loadCatalogueSchemas(namingProfiles.kubernetes);
  expect(kubernetes.get('apiextensions/v1.JSONSchemaProps').fields.has('x-kubernetes-list-type')).toBe(true);
  expect(kubernetes.get('rbac/v1.RoleRef').fields.get('apiGroup')?.defaultValue).toBe(
    'rbac.authorization.k8s.io',
  );
});

test('every type and field is documented, in every release', () => {
  const newest = loadCatalogueSchemas(namingProfiles.orch, newestRelease.minor);
  const silent = newest.names().flatMap((name) => {
    const schema = newest.find(name);
    const fields = schema?.type === 'struct' ? [...schema.fields.values()] : [];
    const fieldNames = fields.filter((field) => field.doc === '').map((field) => `${name}.${field.name}`);
    return schema?.doc === '' ? [name, ...fieldNames] : fieldNames;
  });
  expect(silent).toEqual([]);
});

test('a name that is no struct is a defect told at once', () => {
  expect(() => schemas.get('core/v1.Nothing')).toThrow('no struct core/v1.Nothing');
  expect(schemas.find('core/v1.Nothing')).toBeUndefined();
});

test.each([
  ['optional Missing a = 1;', 'there is no type x/v1.Missing'],
  ['optional int32 a = 1 [(defaults) = "one"];', 'a: the default one is not JSON'],
  ['optional string a = 1 [(patch) = "mix"];', 'patch strategy mix is unknown'],
  ['optional string a = 1; optional string b = 2 [(json) = "a"];', 'two fields are called a'],
  ['optional string a = 1 [(embedded) = true];', 'a: string is no struct'],
  ['optional string a', 'v1.proto'],
])('a defect is told with its place: %s', async (field, message) => {
  const folder = await makeTempFolder('proto');
  try {
    const file = join(folder.path, 'v1.proto');
    writeFileSync(file, `syntax = "proto2"; package x.v1; message A { ${field} }`);
    expect(() => loadSchemas([file], namingProfiles.orch)).toThrow(message);
  } finally {
    await folder.remove();
  }
});
