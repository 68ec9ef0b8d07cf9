/** VolumeAttributesClass: attributes of volumes that can change during their life. */
import type { FieldError } from '../../meta/field-error.ts';
import { forbidden, invalid, tooLong } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { ageColumn, column, nameColumn } from '../columns/columns.ts';
import { defineResource, type Stored } from '../define.ts';
import { nameIsDns1123Subdomain, qualifiedName } from '../validation/name-rules.ts';
import { invalidEach, need, same } from '../validation/rules.ts';
import type { VolumeAttributesClass as ClassFields } from './v1.types.ts';

type VolumeAttributesClass = Stored<ClassFields>;

const maxParameters = 512;
const parametersMaxBytes = 256 * 1024;
const replacement = 'storage.{api}/v1 VolumeAttributesClass';

function validate({ driverName, parameters }: VolumeAttributesClass): FieldError[] {
  const path = FieldPath.of('parameters');
  const entries = Object.entries(parameters ?? {});
  const bytes = entries.reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
  const count = `${String(entries.length)} parameters`;
  return [
    ...need(driverName, FieldPath.of('driverName'), (name, at) =>
      invalidEach(name, at, qualifiedName(name.toLowerCase())),
    ),
    ...(entries.length === 0 ? [invalid(path, count, 'must have at least one entry')] : []),
    ...(entries.length > maxParameters
      ? [invalid(path, count, `must have at most ${String(maxParameters)} entries`)]
      : []),
    ...(Object.hasOwn(parameters ?? {}, '') ? [invalid(path, '', 'field can not be empty')] : []),
    ...(bytes > parametersMaxBytes ? [tooLong(path, parametersMaxBytes)] : []),
  ];
}

function validateUpdate(next: VolumeAttributesClass, current: VolumeAttributesClass): FieldError[] {
  return (['driverName', 'parameters'] as const)
    .filter((field) => !same(next[field], current[field]))
    .map((field) => forbidden(FieldPath.of(field), `updates to ${field} are forbidden.`));
}

export const volumeAttributesClasses = defineResource<VolumeAttributesClass>({
  kind: 'VolumeAttributesClass',
  plural: 'volumeattributesclasses',
  shortNames: ['vac'],
  namespaced: false,
  versions: [
    { version: 'v1', introducedIn: '1.34' },
    { version: 'v1beta1', introducedIn: '1.31', deprecatedIn: '1.34', removedIn: '1.37', replacement },
    { version: 'v1alpha1', introducedIn: '1.29', deprecatedIn: '1.32', removedIn: '1.35', replacement },
  ],
  validateName: nameIsDns1123Subdomain,
  strategy: { validate, validateUpdate },
  columns: [
    nameColumn,
    column<VolumeAttributesClass>('DriverName', ({ driverName }) => driverName, {
      description: 'Name of the driver.',
    }),
    ageColumn,
  ],
});
