/**
 * What clients are told about volumes and claims that name their class by an annotation, that are cleaned to be used again, or choose
 * nodes by labels of former days (kube-apiserver; the first release of each is assumed).
 */
import { FieldPath } from '../../meta/field-path.ts';
import type { ObjectMeta } from '../meta/v1.types.ts';
import { isSince } from '../since.ts';
import type { ApiContext } from '../types.ts';
import type { Maybe } from '../validation/rules.ts';
import { termWarnings } from './node-labels.ts';
import type { PersistentVolumeSpec } from './v1.types.ts';

type Annotated = Maybe<Pick<ObjectMeta, 'annotations'>>;

/** Of a claim, or of a volume. */
export function classWarnings(metadata: Annotated, context: ApiContext): string[] {
  const key = `volume.beta.${context.naming.labelDomain}/storage-class`;
  if (!isSince(context, 29) || !Object.hasOwn(metadata?.annotations ?? {}, key)) return [];
  const at = FieldPath.of('metadata').child('annotations').key(key);
  return [`${String(at)}: deprecated since v1.8; use "storageClassName" instead`];
}

export function volumeSpecWarnings(spec: PersistentVolumeSpec, context: ApiContext): string[] {
  const at = FieldPath.of('spec');
  const terms = at.child('nodeAffinity').child('required').child('nodeSelectorTerms');
  const isCleaned = isSince(context, 29) && spec.persistentVolumeReclaimPolicy === 'Recycle';
  return [
    ...(isCleaned
      ? [
          `${String(at.child('persistentVolumeReclaimPolicy'))}: Recycle is deprecated; use dynamic provisioning`,
        ]
      : []),
    ...(isSince(context, 26) ? (spec.nodeAffinity?.required?.nodeSelectorTerms ?? []) : []).flatMap(
      (term, i) => termWarnings(term, terms.index(i), context),
    ),
  ];
}
