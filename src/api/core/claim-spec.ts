/** The spec of a claim; also used by ephemeral volumes of pods. */
import type { FieldError } from '../../meta/field-error.ts';
import { forbidden, invalid, notSupported, required } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import { validateLabelSelector } from '../validation/validate-label-selector.ts';
import { dns1123Subdomain } from '../validation/name-rules.ts';
import { positiveQuantity } from '../validation/quantities.ts';
import { given, need, obeys } from '../validation/rules.ts';
import type { ApiContext } from '../types.ts';
import type { PersistentVolumeClaimSpec } from './v1.types.ts';

/** An access mode, and the feature gate that brought it (KEP-2485). */
const onePod = 'ReadWriteOncePod';
const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce'];

export function validateAccessModes(
  modes: readonly string[] | null | undefined,
  path: FieldPath,
  { isFeatureEnabled }: Pick<ApiContext, 'isFeatureEnabled'>,
): FieldError[] {
  if ((modes ?? []).length === 0) return [required(path, 'at least 1 access mode is required')];
  const isForOnePod = (modes ?? []).includes(onePod);
  return [
    ...(isForOnePod && !isFeatureEnabled(onePod) ? [notSupported(path, onePod, accessModes)] : []),
    ...(isForOnePod && (modes ?? []).length > 1
      ? [forbidden(path, 'may not use ReadWriteOncePod with other access modes')]
      : []),
  ];
}

export function validateClaimSpec(
  spec: PersistentVolumeClaimSpec,
  path: FieldPath,
  context: Pick<ApiContext, 'isFeatureEnabled'> = { isFeatureEnabled: () => true },
): FieldError[] {
  const storage = path.child('resources').key('storage');
  return [
    ...validateAccessModes(spec.accessModes, path.child('accessModes'), context),
    ...validateLabelSelector(spec.selector, path.child('selector')),
    ...need(spec.resources?.requests?.['storage'], storage, positiveQuantity),
    ...given(spec.storageClassName || undefined, path.child('storageClassName'), obeys(dns1123Subdomain)),
    ...given(spec.dataSourceRef, path.child('dataSourceRef'), (source, at) => [
      ...need(source.name, at.child('name')),
      ...need(source.kind, at.child('kind')),
    ]),
    ...given(
      spec.volumeAttributesClassName || undefined,
      path.child('volumeAttributesClassName'),
      obeys(dns1123Subdomain),
    ),
    ...given(spec.dataSource, path.child('dataSource'), (source, at) => [
      ...need(source.name, at.child('name')),
      ...need(source.kind, at.child('kind')),
      ...(!source.apiGroup && source.kind && source.kind !== 'PersistentVolumeClaim'
        ? [invalid(at, source.kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup")]
        : []),
    ]),
  ];
}
