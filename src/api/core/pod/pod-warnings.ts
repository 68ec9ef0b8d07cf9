/**
 * What clients are told about pods that do not do what they seem to say: labels, annotations and volumes of former days, values that
 * hide each other (kube-apiserver, warnings of pods and of their templates, from release 1.22 on).
 */
import type { FieldPath } from '../../../meta/field-path.ts';
import { isSince } from '../../since.ts';
import { keyWarning, labelMessage, termWarnings } from '../node-labels.ts';
import type { ApiContext } from '../../types.ts';
import type { Maybe } from '../../validation/rules.ts';
import { isWhole } from '../../validation/quantities.ts';
import type { ObjectMeta } from '../../meta/v1.types.ts';
import type { Container, PodSpec, Volume } from '../v1.types.ts';

/** A pod, or the template of one. */
export interface PodPart {
  readonly metadata?: Maybe<Pick<ObjectMeta, 'annotations'>>;
  readonly spec?: Maybe<PodSpec>;
  /** A pod itself: its updates are the work of programs, which nobody warns. */
  readonly isPod?: true;
  /** Of what has `metadata` and `spec`; that of a pod is empty. */
  readonly path: FieldPath;
}

/** In the order of the reference. */
export function podWarnings({ metadata, spec, path }: PodPart, context: ApiContext): string[] {
  if (!spec || !isSince(context, 22)) return [];
  const at = path.child('spec');
  return [
    ...labelWarnings(spec, at, context),
    ...annotationWarnings(metadata, path, context),
    ...volumeWarnings(spec.volumes, at.child('volumes'), context),
    ...repeated(spec.hostAliases, at.child('hostAliases'), 'ip'),
    ...repeated(spec.imagePullSecrets, at.child('imagePullSecrets'), 'name'),
    ...secretWarnings(spec, at.child('imagePullSecrets')),
    ...amountWarnings(spec.overhead, at.child('overhead')),
    ...containerWarnings(spec, at, context),
  ];
}

function labelWarnings(spec: PodSpec, at: FieldPath, context: ApiContext): string[] {
  const { nodeSelector, affinity, topologySpreadConstraints } = spec;
  const nodes = affinity?.nodeAffinity;
  const affinityPath = at.child('affinity').child('nodeAffinity');
  const required = affinityPath
    .child('requiredDuringSchedulingIgnoredDuringExecution')
    .child('nodeSelectorTerms');
  const preferred = affinityPath.child('preferredDuringSchedulingIgnoredDuringExecution');
  return [
    ...Object.keys(nodeSelector ?? {}).flatMap((key) => {
      const message = labelMessage(key, context);
      return message === undefined ? [] : [`${String(at.child('nodeSelector').key(key))}: ${message}`];
    }),
    ...(nodes?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []).flatMap((term, i) =>
      termWarnings(term, required.index(i), context),
    ),
    ...(nodes?.preferredDuringSchedulingIgnoredDuringExecution ?? []).flatMap(({ preference }, i) =>
      termWarnings(preference ?? {}, preferred.index(i).child('preference'), context),
    ),
    ...(topologySpreadConstraints ?? []).flatMap(({ topologyKey = '' }, i) =>
      keyWarning(topologyKey, at.child('topologySpreadConstraints').index(i).child('topologyKey'), context),
    ),
  ];
}

function annotationWarnings(metadata: PodPart['metadata'], path: FieldPath, context: ApiContext): string[] {
  const { annotations } = metadata ?? {};
  if (!annotations) return [];
  const domain = context.naming.labelDomain;
  const messages: Readonly<Record<string, string>> = {
    [`scheduler.alpha.${domain}/critical-pod`]:
      'non-functional in v1.16+; use the "priorityClassName" field instead',
    [`security.alpha.${domain}/sysctls`]: 'non-functional in v1.11+; use the "sysctls" field instead',
    [`security.alpha.${domain}/unsafe-sysctls`]: 'non-functional in v1.11+; use the "sysctls" field instead',
  };
  const at = path.child('metadata').child('annotations');
  return Object.entries(messages).flatMap(([key, message]) =>
    Object.hasOwn(annotations, key) ? [`${String(at.key(key))}: ${message}`] : [],
  );
}

/** Kinds of volumes that are no longer mounted, or soon, by the release that began to warn of them. */
const formerVolumes: readonly (readonly [field: keyof Volume, since: number, message: string])[] = [
  ['photonPersistentDisk', 22, 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 22, 'deprecated in v1.11'],
  ['scaleIO', 22, 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 22, 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 22, 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 22, 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 25, 'deprecated in v1.25, non-functional in v1.26+'],
  ['cephfs', 28, 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 28, 'deprecated in v1.28, non-functional in v1.31+'],
];

function volumeWarnings(volumes: PodSpec['volumes'], at: FieldPath, context: ApiContext): string[] {
  const isGitOff = isSince(context, 33) && !context.isFeatureEnabled('GitRepoVolumeDriver');
  return (volumes ?? []).flatMap((volume, i) =>
    formerVolumes.flatMap(([field, since, message]) => {
      if (volume[field] == null || !isSince(context, since)) return [];
      const more = field === 'gitRepo' && isGitOff ? ', and disabled by default in v1.33+' : '';
      const name = field === 'storageos' ? 'storageOS' : field;
      return [`${String(at.index(i).child(name))}: ${message}${more}`];
    }),
  );
}

/** Items whose field another has. */
function repeated<K extends string>(
  items: Maybe<readonly { readonly [field in K]?: string | undefined }[]>,
  at: FieldPath,
  field: K,
): string[] {
  if ((items ?? []).length < 2) return [];
  const seen = new Set<string>();
  return (items ?? []).flatMap((item, i) => {
    const value = item[field] ?? '';
    const isRepeated = seen.has(value);
    seen.add(value);
    return isRepeated
      ? [`${String(at.index(i).child(field))}: duplicate ${field} ${JSON.stringify(value)}`]
      : [];
  });
}

function secretWarnings({ imagePullSecrets }: PodSpec, at: FieldPath): string[] {
  return (imagePullSecrets ?? []).flatMap(({ name }, i) =>
    name ? [] : [`${String(at.index(i).child('name'))}: invalid empty name ""`],
  );
}

/** Bytes are whole. */
function amountWarnings(amounts: Maybe<Readonly<Record<string, string>>>, at: FieldPath): string[] {
  return ['memory', 'ephemeral-storage'].flatMap((name) => {
    const amount = amounts?.[name];
    return amount === undefined || isWhole(amount)
      ? []
      : [
          `${String(at.key(name))}: fractional byte value ${JSON.stringify(amount)} is invalid, must be an integer`,
        ];
  });
}

function containerWarnings(spec: PodSpec, at: FieldPath, context: ApiContext): string[] {
  return (['initContainers', 'containers'] as const).flatMap((field) =>
    (spec[field] ?? []).flatMap((container, i) => {
      const path = at.child(field).index(i);
      const resources = path.child('resources');
      return [
        ...amountWarnings(container.resources?.limits, resources.child('limits')),
        ...amountWarnings(container.resources?.requests, resources.child('requests')),
        ...variableWarnings(container, path.child('env'), context),
      ];
    }),
  );
}

/** A variable may be made of the one that it hides. */
function variableWarnings({ env }: Container, at: FieldPath, context: ApiContext): string[] {
  if ((env ?? []).length < 2) return [];
  if (!isSince(context, 28)) return repeated(env, at, 'name');
  const seen = new Set<string>();
  return (env ?? []).flatMap(({ name = '', value = '', valueFrom }, i) => {
    const reference = `$(${name})`;
    const isMadeOfIt = valueFrom == null && value.includes(reference) && value !== reference;
    const isHidden = seen.has(name) && !isMadeOfIt;
    seen.add(name);
    return isHidden
      ? [
          `${String(at.index(i))}: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
        ]
      : [];
  });
}
