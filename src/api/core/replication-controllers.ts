/** ReplicationController: keeps a number of pods of one template running. */
import type { FieldError } from '../../meta/field-error.ts';
import { forbidden, invalid, notSupported, required } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import type { ApiObject } from '../../meta/object.ts';
import { ageColumn, column, labelsText, nameColumn, wideColumn } from '../columns/columns.ts';
import type { Stored } from '../define.ts';
import { defineResource, dropStatus, keepStatus, statusSubresource } from '../define.ts';
import { scaleSubresource } from '../scale-subresource.ts';
import { selectorText } from '../selector-text.ts';
import { nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { given, nonNegative, same } from '../validation/rules.ts';
import { applyPodSpecDefaults } from './pod/pod-defaults.ts';
import { dropDisabledFields } from './pod/gates.ts';
import type { ApiContext } from '../types.ts';
import { validatePodTemplate } from './pod/pod-spec.ts';
import type { PodRights } from './pod/privileged.ts';
import { containerImages, containerNames } from './pod/template-columns.ts';
import type { PodTemplateSpec, ReplicationController as ControllerFields } from './v1.types.ts';

type ReplicationController = Stored<ControllerFields>;

const path = FieldPath.of('spec');

/** Labels of the template serve as selector and as labels of the controller where those are missing. */
function applyDefaults(object: ApiObject, context: ApiContext): void {
  const { metadata, spec } = object as ReplicationController;
  if (spec?.template?.spec) applyPodSpecDefaults(spec.template.spec, context);
  const labels = spec?.template?.metadata?.labels;
  if (!spec || !labels) return;
  if (Object.keys(spec.selector ?? {}).length === 0) spec.selector = { ...labels };
  if (Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels };
}

function validate({ spec }: ReplicationController, rights: PodRights): FieldError[] {
  const selector = spec?.selector ?? {};
  return [
    ...given(spec?.replicas, path.child('replicas'), nonNegative),
    ...given(spec?.minReadySeconds, path.child('minReadySeconds'), nonNegative),
    ...(Object.keys(selector).length === 0 ? [required(path.child('selector'))] : []),
    ...(spec?.template == null
      ? [required(path.child('template'))]
      : validateTemplate(spec.template, selector, path.child('template'), rights)),
  ];
}

function validateTemplate(
  template: PodTemplateSpec,
  selector: Readonly<Record<string, string>>,
  at: FieldPath,
  rights: PodRights,
): FieldError[] {
  const labels = template.metadata?.labels ?? {};
  const policy = template.spec?.restartPolicy ?? '';
  const isSelected = Object.entries(selector).every(([key, value]) => labels[key] === value);
  return [
    ...(isSelected
      ? []
      : [
          invalid(
            at.child('metadata').child('labels'),
            labels,
            '`selector` does not match template `labels`',
          ),
        ]),
    ...validatePodTemplate(template, at, rights),
    ...(policy === 'Always'
      ? []
      : [notSupported(at.child('spec').child('restartPolicy'), policy, ['Always'])]),
    ...(template.spec?.activeDeadlineSeconds == null
      ? []
      : [
          forbidden(
            at.child('spec').child('activeDeadlineSeconds'),
            'activeDeadlineSeconds in ReplicaSet is not Supported',
          ),
        ]),
  ];
}

const counts = ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'] as const;

/** No part is larger than the whole. */
function validateStatus({ status }: ReplicationController): FieldError[] {
  const at = FieldPath.of('status');
  const total = status?.replicas ?? 0;
  return [
    ...counts.flatMap((field) => given(status?.[field], at.child(field), nonNegative)),
    ...given(status?.observedGeneration, at.child('observedGeneration'), nonNegative),
    ...counts
      .filter((field) => (status?.[field] ?? 0) > total)
      .map((field) => invalid(at.child(field), status?.[field], 'cannot be greater than status.replicas')),
    ...((status?.availableReplicas ?? 0) > (status?.readyReplicas ?? 0)
      ? [
          invalid(
            at.child('availableReplicas'),
            status?.availableReplicas,
            'cannot be greater than readyReplicas',
          ),
        ]
      : []),
  ];
}

export const replicationControllers = defineResource<ReplicationController>({
  kind: 'ReplicationController',
  plural: 'replicationcontrollers',
  shortNames: ['rc'],
  categories: ['all'],
  namespaced: true,
  versions: [{ version: 'v1', applyDefaults }],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    defaultPropagation: 'Orphan',
    bumpsGeneration: (next, current) => !same(next.spec, current.spec),
    prepareForCreate: (controller, context) => {
      dropStatus(controller);
      if (controller.spec?.template?.spec)
        dropDisabledFields(controller.spec.template.spec, undefined, context);
    },
    prepareForUpdate: (next, current, context) => {
      keepStatus(next, current);
      if (next.spec?.template?.spec) {
        dropDisabledFields(next.spec.template.spec, current.spec?.template?.spec, context);
      }
    },
    validate,
    podOf: ({ spec }) => ({ ...spec?.template, path: path.child('template') }),
  },
  subresources: [
    scaleSubresource<ReplicationController>(({ spec }) => selectorText({ matchLabels: spec?.selector })),
    statusSubresource<ReplicationController>({ validateUpdate: validateStatus }),
  ],
  columns: [
    nameColumn,
    column<ReplicationController>('Desired', ({ spec }) => spec?.replicas, {
      type: 'integer',
      description: 'Pods that there should be.',
    }),
    column<ReplicationController>('Current', ({ status }) => status?.replicas, {
      type: 'integer',
      description: 'Pods that there are.',
    }),
    column<ReplicationController>('Ready', ({ status }) => status?.readyReplicas, {
      type: 'integer',
      description: 'Pods that are ready.',
    }),
    ageColumn,
    wideColumn<ReplicationController>(
      'Containers',
      ({ spec }) => containerNames(spec?.template),
      'Containers of a pod.',
    ),
    wideColumn<ReplicationController>(
      'Images',
      ({ spec }) => containerImages(spec?.template),
      'Images of the containers.',
    ),
    wideColumn<ReplicationController>(
      'Selector',
      ({ spec }) => labelsText(spec?.selector),
      'Labels of its pods.',
    ),
  ],
  selectableFields: { 'status.replicas': ({ status }) => String(status?.replicas ?? 0) },
});
