/** Deployment: rolls pods of a template out and keeps their number. */
import type { JsonObject } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';
import type { FieldError } from '../../meta/field-error.ts';
import type { PodRights } from '../core/pod/privileged.ts';
import { forbidden, invalid, required } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import type { ApiObject } from '../../meta/object.ts';
import { ageColumn, column, nameColumn, wideColumn } from '../columns/columns.ts';
import type { Stored } from '../define.ts';
import { defineResource, dropStatus, keepSpec, keepStatus, statusSubresource } from '../define.ts';
import { scaleSubresource } from '../scale-subresource.ts';
import { selectorText } from '../selector-text.ts';
import type { ResourceVersionDefinition } from '../types.ts';
import type { ApiContext } from '../types.ts';
import { nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { given, nonNegative, same, unchanged } from '../validation/rules.ts';
import { toAnnotation, rollbackAnnotation, fromAnnotation } from './workload-annotations.ts';
import { amountOf, atMostWhole, intOrPercent } from '../validation/int-or-percent.ts';
import { availableErrors, collisionErrors, validateCounts, validateParts } from './replica-counts.ts';
import {
  applyLabelDefaults,
  applyTemplateDefaults,
  dropDisabledTemplateFields,
  templateColumns,
  validateSetSelector,
  validateSetTemplate,
} from './template.ts';
import type { Deployment as DeploymentFields, DeploymentSpec, DeploymentStrategy } from './v1.types.ts';

type Deployment = Stored<DeploymentFields>;

const path = FieldPath.of('spec');

function validate({ spec = {} }: Deployment, rights: PodRights): FieldError[] {
  return [
    ...given(spec.replicas, path.child('replicas'), nonNegative),
    ...validateSetSelector(spec.selector, path.child('selector'), 'deployment'),
    ...validateSetTemplate(spec.template, spec.selector, path.child('template'), rights),
    ...validateStrategy(spec.strategy ?? {}, path.child('strategy')),
    ...given(spec.minReadySeconds, path.child('minReadySeconds'), nonNegative),
    ...given(spec.revisionHistoryLimit, path.child('revisionHistoryLimit'), nonNegative),
    ...deadlineErrors(spec),
  ];
}

/** A rollout that must be ready for a while needs a deadline beyond it. */
function deadlineErrors(spec: DeploymentSpec): FieldError[] {
  const deadline = spec.progressDeadlineSeconds;
  const at = path.child('progressDeadlineSeconds');
  if (deadline == null) return [];
  return [
    ...nonNegative(deadline, at),
    ...(deadline <= (spec.minReadySeconds ?? 0)
      ? [invalid(at, deadline, 'must be greater than minReadySeconds')]
      : []),
  ];
}

function validateStrategy(strategy: DeploymentStrategy, at: FieldPath): FieldError[] {
  const rolling = at.child('rollingUpdate');
  if (strategy.type === 'Recreate') {
    return strategy.rollingUpdate == null
      ? []
      : [forbidden(rolling, "may not be specified when strategy `type` is 'Recreate'")];
  }
  if (strategy.type !== 'RollingUpdate') return strategy.type ? [] : [required(at.child('type'))];
  if (strategy.rollingUpdate == null) return [required(rolling, 'this should be defaulted and never be nil')];
  const { maxUnavailable, maxSurge } = strategy.rollingUpdate;
  const unavailable = rolling.child('maxUnavailable');
  return [
    ...given(maxUnavailable, unavailable, (value, p) => [
      ...intOrPercent(value, p),
      ...atMostWhole(value, p),
    ]),
    ...given(maxSurge, rolling.child('maxSurge'), intOrPercent),
    ...(amountOf(maxUnavailable) === 0 && amountOf(maxSurge) === 0
      ? [invalid(unavailable, maxUnavailable ?? 0, 'may not be 0 when `maxSurge` is 0')]
      : []),
  ];
}

const parts = ['updatedReplicas', 'readyReplicas', 'availableReplicas'] as const;

function validateStatus(next: Deployment, current: Deployment): FieldError[] {
  return [
    ...validateParts(next.status, parts),
    ...validateCounts(next.status, ['observedGeneration', 'unavailableReplicas', 'collisionCount']),
    ...availableErrors(next.status),
    ...collisionErrors(next.status, current.status),
  ];
}

/** The revision to go back to stands in the spec of the older versions. */
function rollbackToStorage(object: JsonObject): JsonObject {
  const spec = isObject(object['spec']) ? object['spec'] : {};
  const { rollbackTo } = spec;
  delete spec['rollbackTo'];
  if (isObject(rollbackTo)) toAnnotation(object, rollbackAnnotation, rollbackTo['revision'] ?? 0);
  return object;
}

function rollbackFromStorage(object: JsonObject): JsonObject {
  const revision = fromAnnotation(object, rollbackAnnotation);
  if (revision === undefined) return object;
  const spec = (object['spec'] ??= {}) as JsonObject;
  spec['rollbackTo'] = revision === 0 ? {} : { revision };
  return object;
}

const rollback = { toStorage: rollbackToStorage, fromStorage: rollbackFromStorage };

/** A rolling update that is described is one that is meant, whatever its type. */
function applyExtensionsDefaults(object: ApiObject, context: ApiContext): void {
  applyLabelDefaults(object, context);
  const { strategy } = (object as Deployment).spec ?? {};
  if (strategy?.rollingUpdate == null) return;
  strategy.rollingUpdate.maxUnavailable ??= 1;
  strategy.rollingUpdate.maxSurge ??= 1;
}

const gone = { removedIn: '1.16', replacement: 'apps/v1 Deployment' };

export const extensionsDeployment: ResourceVersionDefinition = {
  version: 'v1beta1',
  served: false,
  deprecatedIn: '1.8',
  ...gone,
  applyDefaults: applyExtensionsDefaults,
  ...rollback,
};

export const deployments = defineResource<Deployment>({
  kind: 'Deployment',
  plural: 'deployments',
  shortNames: ['deploy'],
  categories: ['all'],
  namespaced: true,
  versions: [
    { version: 'v1', applyDefaults: applyTemplateDefaults },
    { version: 'v1beta2', deprecatedIn: '1.9', ...gone, applyDefaults: applyTemplateDefaults },
    { version: 'v1beta1', deprecatedIn: '1.8', ...gone, applyDefaults: applyLabelDefaults, ...rollback },
  ],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    bumpsGeneration: (next, current) =>
      !same(next.spec, current.spec) || !same(next.metadata.annotations, current.metadata.annotations),
    prepareForCreate: (deployment, context) => {
      dropStatus(deployment);
      dropDisabledTemplateFields(deployment, undefined, context);
    },
    prepareForUpdate: (next, current, context) => {
      keepStatus(next, current);
      dropDisabledTemplateFields(next, current, context);
    },
    validate,
    podOf: ({ spec }) => ({ ...spec?.template, path: path.child('template') }),
    validateUpdate: (next, current) =>
      unchanged(next.spec?.selector, current.spec?.selector, path.child('selector')),
  },
  subresources: [
    scaleSubresource<Deployment>(({ spec }) => selectorText(spec?.selector)),
    statusSubresource<Deployment>({
      prepareForUpdate: (next, current) => {
        keepSpec(next, current);
        next.metadata.labels = current.metadata.labels ?? null;
      },
      validateUpdate: validateStatus,
    }),
  ],
  columns: [
    nameColumn,
    column<Deployment>(
      'Ready',
      ({ spec, status }) => `${String(status?.readyReplicas ?? 0)}/${String(spec?.replicas ?? 0)}`,
      { description: 'Pods that are ready, and pods that there should be.' },
    ),
    column<Deployment>('Up-to-date', ({ status }) => status?.updatedReplicas ?? 0, {
      description: 'Pods that follow the newest template.',
    }),
    column<Deployment>('Available', ({ status }) => status?.availableReplicas ?? 0, {
      description: 'Pods that are available.',
    }),
    ageColumn,
    ...templateColumns,
    wideColumn<Deployment>('Selector', ({ spec }) => selectorText(spec?.selector), 'Labels of its pods.'),
  ],
});
