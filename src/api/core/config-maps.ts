/** ConfigMap: text and binary entries, which `immutable` makes read-only. */
import type { FieldError } from '../../meta/field-error.ts';
import { errorsOf, forbidden, invalid, tooLong } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { ageColumn, column, nameColumn } from '../columns/columns.ts';
import type { Stored } from '../define.ts';
import { defineResource } from '../define.ts';
import { configMapKey, nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { invalidEach, same } from '../validation/rules.ts';
import type { ConfigMap as ConfigMapFields } from './v1.types.ts';

type ConfigMap = Stored<ConfigMapFields>;

/** All values of a ConfigMap or Secret together. */
export const dataMaxBytes = 1024 * 1024;

/** Keys of a data map are file names. */
export function validateDataKeys(
  data: Readonly<Record<string, string>> | null | undefined,
  path: FieldPath,
): FieldError[] {
  return errorsOf(Object.keys(data ?? {}), (key) => invalidEach(key, path.key(key), configMapKey(key)));
}

/** Bytes of all values, of base64 text when `encoding` says so. */
export function dataBytes(
  data: Readonly<Record<string, string>> | null | undefined,
  encoding: 'utf8' | 'base64',
): number {
  return Object.values(data ?? {}).reduce((sum, value) => sum + Buffer.byteLength(value, encoding), 0);
}

function validate(map: ConfigMap): FieldError[] {
  const data = FieldPath.of('data');
  const total = dataBytes(map.data, 'utf8') + dataBytes(map.binaryData, 'base64');
  return [
    ...validateDataKeys(map.data, data),
    ...validateDataKeys(map.binaryData, FieldPath.of('binaryData')),
    ...Object.keys(map.data ?? {})
      .filter((key) => Object.hasOwn(map.binaryData ?? {}, key))
      .map((key) => invalid(data.key(key), key, 'duplicate of key present in binaryData')),
    ...(total > dataMaxBytes ? [tooLong(data, dataMaxBytes)] : []),
  ];
}

/** What an object sealed by `immutable: true` may no longer change. */
export function immutableDataErrors<T extends { readonly immutable?: boolean | null | undefined }>(
  next: T,
  current: T,
  fields: readonly (keyof T & string)[],
): FieldError[] {
  if (current.immutable !== true) return [];
  const changed = fields.filter((field) => !same(next[field], current[field]));
  return [...(next.immutable === true ? [] : ['immutable']), ...changed].map((field) =>
    forbidden(FieldPath.of(field), 'field is immutable when `immutable` is set'),
  );
}

export const configMaps = defineResource<ConfigMap>({
  kind: 'ConfigMap',
  plural: 'configmaps',
  shortNames: ['cm'],
  namespaced: true,
  versions: [{ version: 'v1' }],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    validate,
    validateUpdate: (next, current) => immutableDataErrors(next, current, ['data', 'binaryData']),
  },
  columns: [
    nameColumn,
    column<ConfigMap>(
      'Data',
      (map) => Object.keys(map.data ?? {}).length + Object.keys(map.binaryData ?? {}).length,
      { description: 'Number of entries.' },
    ),
    ageColumn,
  ],
});
