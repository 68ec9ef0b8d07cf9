/** PodDisruptionBudget: how many pods of a selection may be missing by intention. */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { invalid } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { expandNames } from '../../meta/naming.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { ageColumn, column, nameColumn } from '../columns/columns.ts';
import type { Stored } from '../define.ts';
import { defineResource, dropStatus, keepStatus, statusSubresource } from '../define.ts';
import { validateConditions } from '../validation/validate-conditions.ts';
import { atMostWhole, intOrPercent } from '../validation/int-or-percent.ts';
import { validateLabelSelector } from '../validation/validate-label-selector.ts';
import { nameIsPathSegment } from '../validation/name-rules.ts';
import { given, nonNegative, same } from '../validation/rules.ts';
import type { PodDisruptionBudget as BudgetFields } from './v1.types.ts';

type PodDisruptionBudget = Stored<BudgetFields>;

const path = FieldPath.of('spec');
const statusPath = FieldPath.of('status');
/** A label that no pod has: requiring it selects none, forbidding it all. */
const marker = 'pdb.{label}/deprecated-v1beta1-empty-selector-match';

function validate({ spec = {} }: PodDisruptionBudget): FieldError[] {
  const amounts = ['minAvailable', 'maxUnavailable'] as const;
  return [
    ...(spec.minAvailable != null && spec.maxUnavailable != null
      ? [invalid(path, '', 'minAvailable and maxUnavailable cannot be both set')]
      : []),
    ...amounts.flatMap((field) =>
      given(spec[field], path.child(field), (value, at) => [
        ...intOrPercent(value, at),
        ...atMostWhole(value, at),
      ]),
    ),
    ...validateLabelSelector(spec.selector, path.child('selector')),
  ];
}

function validateStatus({ status }: PodDisruptionBudget): FieldError[] {
  const counts = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'] as const;
  return [
    ...counts.flatMap((field) => given(status?.[field], statusPath.child(field), nonNegative)),
    ...validateConditions(status?.conditions, statusPath.child('conditions')),
  ];
}

type Selecting = (selector: JsonObject) => JsonObject;

function withSelector(object: JsonObject, change: Selecting): JsonObject {
  const spec = object['spec'];
  if (isObject(spec) && isObject(spec['selector'])) spec['selector'] = change(spec['selector']);
  return object;
}

function isEmpty(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || Object.keys(value).length === 0;
}

/**
 * An empty selector selects all in v1 and none in v1beta1, so each is written in the other version as a selector of
 * the marker; that selector read back is the empty one again.
 */
function translate(empty: 'Exists' | 'DoesNotExist', marked: 'Exists' | 'DoesNotExist') {
  return (object: JsonObject, naming: NamingProfile): JsonObject => {
    const key = expandNames(marker, naming);
    const isMarked = (expressions: JsonValue | undefined): boolean => {
      const [only, ...more] = Array.isArray(expressions) ? expressions : [];
      return isObject(only) && more.length === 0 && only['key'] === key && only['operator'] === marked;
    };
    return withSelector(object, (selector) => {
      const { matchLabels, matchExpressions } = selector;
      if (!isEmpty(matchLabels)) return selector;
      if (isEmpty(matchExpressions)) return { matchExpressions: [{ key, operator: empty }] };
      return isMarked(matchExpressions) ? {} : selector;
    });
  };
}

export const podDisruptionBudgets = defineResource<PodDisruptionBudget>({
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  shortNames: ['pdb'],
  namespaced: true,
  versions: [
    { version: 'v1' },
    {
      version: 'v1beta1',
      deprecatedIn: '1.21',
      removedIn: '1.25',
      replacement: 'policy/v1 PodDisruptionBudget',
      toStorage: translate('Exists', 'DoesNotExist'),
      fromStorage: translate('DoesNotExist', 'Exists'),
    },
  ],
  validateName: nameIsPathSegment,
  strategy: {
    unconditionalUpdate: false,
    bumpsGeneration: (next, current) => !same(next.spec, current.spec),
    prepareForCreate: dropStatus,
    prepareForUpdate: keepStatus,
    validate,
  },
  subresources: [statusSubresource<PodDisruptionBudget>({ validateUpdate: validateStatus })],
  columns: [
    nameColumn,
    column<PodDisruptionBudget>('Min Available', ({ spec }) => String(spec?.minAvailable ?? 'N/A'), {
      description: 'Fewest pods that must be there.',
    }),
    column<PodDisruptionBudget>('Max Unavailable', ({ spec }) => String(spec?.maxUnavailable ?? 'N/A'), {
      description: 'Most pods that may be missing.',
    }),
    column<PodDisruptionBudget>('Allowed Disruptions', ({ status }) => status?.disruptionsAllowed, {
      type: 'integer',
      description: 'Pods that may go now.',
    }),
    ageColumn,
  ],
});
