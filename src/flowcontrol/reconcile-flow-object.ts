/**
 * What has to change in an object that every service begins with. A mandatory one is always what it is. A suggested one
 * is kept as this release has it while its annotation says so; without one, while no other writer has changed its spec.
 */
import { sameMeaning } from '../api/validation/rules.ts';
import type { ApiObject, ManagedFieldsEntry } from '../meta/object.ts';
import type { BootstrapFlowObject } from './bootstrap-configuration.ts';

type Spec = BootstrapFlowObject['spec'];

/** `true` on a suggested object: its spec stays that of the release; `false`: that of its owner. */
export const autoUpdateAnnotation = 'apf.{label}/autoupdate-spec';

/** The field manager of these objects. */
export const bootstrapManager = 'api-priority-and-fairness-config-producer';

/** The object as it has to be; undefined: it is. @param annotation the name in the naming profile */
export function reconcileFlowObject(
  existing: ApiObject,
  wanted: BootstrapFlowObject,
  annotation: string,
): ApiObject | undefined {
  const isKept = wanted.isMandatory || isAutoUpdated(existing.metadata, annotation);
  const spec = wantedSpec(existing['spec'] as Spec | undefined, wanted.spec);
  return !isKept || sameMeaning(existing['spec'], spec) ? undefined : { ...existing, spec };
}

/** The share of exempt requests is for administrators to say, from release 1.28 on. */
function wantedSpec(existing: Spec | undefined, wanted: Spec): Spec {
  if (!('exempt' in wanted) || !existing || !('exempt' in existing)) return wanted;
  return { ...wanted, exempt: { ...wanted.exempt, ...existing.exempt } };
}

function isAutoUpdated(metadata: ApiObject['metadata'], annotation: string): boolean {
  const autoUpdate = metadata.annotations?.[annotation];
  return autoUpdate === 'true' || (autoUpdate !== 'false' && isUntouched(metadata));
}

/** The spec was written once, or only by this manager. */
function isUntouched({ generation, managedFields }: ApiObject['metadata']): boolean {
  const writers = (managedFields ?? []).filter(ownsSpec);
  return (
    generation === 1 || (writers.length > 0 && writers.every(({ manager }) => manager === bootstrapManager))
  );
}

function ownsSpec({ fieldsV1 }: ManagedFieldsEntry): boolean {
  return fieldsV1?.['f:spec'] !== undefined;
}
