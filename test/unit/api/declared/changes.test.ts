/**
 * What changed about the fields of types between 1.21 and the newest release, and in which one (facts of these releases): every
 * release in between has the field as its types have it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadCatalogueSchemas } from '../../../../src/api/schemas.ts';
import { namingProfiles } from '../../../../src/meta/naming.ts';
import { newestRelease } from '../../../../src/observe/release.ts';
import type { SchemaSet } from '../../../../src/schema/load-proto.ts';
import type { Field } from '../../../../src/schema/types.ts';

interface FieldChange {
  readonly type: string;
  readonly field: string;
  readonly change: string;
  readonly since: number;
}

const changes = readFileSync(join(__dirname, 'changes.tsv'), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line): FieldChange => {
    const [type = '', field = '', change = '', since = ''] = line.split('\t');
    return { type, field, change, since: Number(/^1\.(\d+)/.exec(since)?.[1]) };
  });

/** `type.field change`, by its beginning, and why it is not so here. */
const exceptions: readonly (readonly [beginning: string, why: string])[] = [
  [
    'apiextensions/v1.CustomResourceDefinitionVersion.selectableFields',
    'kept of definitions in all releases',
  ],
  ['apiextensions/v1beta1.CustomResourceDefinitionSpec.selectableFields', 'as in v1'],
  ['apiextensions/v1beta1.CustomResourceDefinitionVersion.selectableFields', 'as in v1'],
  ['apiextensions/v1.JSONSchemaProps.x-orch-validations', 'kept of definitions in all releases'],
  ['apiextensions/v1beta1.JSONSchemaProps.x-orch-validations', 'as in v1'],
  ['meta/v1.ManagedFieldsEntry.subresource', 'owners of a status are kept apart in all releases'],
  ['admissionregistration/v1beta1.MutatingWebhook.rules protoType', 'the messages have the same fields'],
  ['admissionregistration/v1beta1.ValidatingWebhook.rules protoType', 'the messages have the same fields'],
  ['networking/v1.HTTPIngressPath.pathType omitempty', 'validation requires it: it is never left out'],
];

const whyNot = ({ type, field, change }: FieldChange): string | undefined =>
  exceptions.find(([beginning]) => `${type}.${field} ${change}`.startsWith(beginning))?.[1];

function valueOf(field: Field, column: string): string {
  const { schema } = field;
  switch (column) {
    case 'listType':
      return schema.type === 'list' ? schema.listType : '';
    case 'listMapKeys':
      return schema.type === 'list' ? schema.listMapKeys.join(',') : '';
    case 'mapStructType':
      return schema.type === 'map' || schema.type === 'struct' ? schema.mapType : '';
    case 'optional':
      return String(!field.required);
    case 'omitempty':
      return String(field.omitEmpty);
    case 'patchStrategy':
      return field.patchStrategies.join(',');
    case 'patchMergeKey':
      return field.patchMergeKey;
    default:
      return field.protoType;
  }
}

/** What stands for nothing: lists merge as their patch strategy says where they have no type. */
const nothing: Readonly<Record<string, string | undefined>> = {
  mapStructType: 'granular',
  patchStrategy: '',
  patchMergeKey: '',
};

/** Whether the types of a release have what a change says. */
function holds(types: SchemaSet, { type, field, change, since }: FieldChange, minor: number): boolean {
  const struct = types.find(type);
  const found = struct?.type === 'struct' ? struct.fields.get(field) : undefined;
  if (change === 'added') return (found !== undefined) === minor >= since;
  if (change === 'removed') return (found !== undefined) === minor < since;
  const [, column = '', from = '', to = ''] = /^(\w+): (.*) -> (.*)$/.exec(change) ?? [];
  const wanted = minor >= since ? to : from;
  const expected = wanted === '(none)' ? nothing[column] : wanted;
  if (found === undefined || expected === undefined) return true;
  const value = valueOf(found, column);
  return value === expected || (value === '' && column !== 'patchStrategy' && column !== 'patchMergeKey');
}

test.each(Array.from({ length: newestRelease.minor - 20 }, (_, i) => 21 + i))(
  'fields as release 1.%i has them',
  (minor) => {
    const types = loadCatalogueSchemas(namingProfiles.orch, minor);
    const differ = changes.filter((change) => !whyNot(change) && !holds(types, change, minor));
    expect(
      differ.map(({ type, field, change, since }) => `${type}.${field} ${change} since 1.${String(since)}`),
    ).toEqual([]);
  },
);

test('each exception is one', () => {
  const all = changes.map(({ type, field, change }) => `${type}.${field} ${change}`);
  expect(exceptions.filter(([beginning]) => !all.some((line) => line.startsWith(beginning)))).toEqual([]);
});
