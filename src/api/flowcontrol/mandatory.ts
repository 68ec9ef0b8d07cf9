/** Objects that are always what they are: requests of administrators, and the last resort. */
import type { FieldError } from '../../meta/field-error.ts';
import { invalid } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { sameMeaning } from '../validation/rules.ts';
import type { FlowSchemaSpec, PriorityLevelConfigurationSpec } from './v1beta1.types.ts';

export const exempt = 'exempt';
const catchAll = 'catch-all';

function everything(groups: readonly string[]): FlowSchemaSpec['rules'] {
  return [
    {
      subjects: groups.map((name) => ({ kind: 'Group', group: { name } })),
      resourceRules: [
        { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] },
      ],
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
    },
  ];
}

export const mandatorySchemas: Readonly<Record<string, FlowSchemaSpec>> = {
  [exempt]: {
    priorityLevelConfiguration: { name: exempt },
    matchingPrecedence: 1,
    rules: everything(['system:masters']),
  },
  [catchAll]: {
    priorityLevelConfiguration: { name: catchAll },
    matchingPrecedence: 10_000,
    distinguisherMethod: { type: 'ByUser' },
    rules: everything(['system:unauthenticated', 'system:authenticated']),
  },
};

export const mandatoryLevels: Readonly<Record<string, PriorityLevelConfigurationSpec>> = {
  [exempt]: { type: 'Exempt' },
  [catchAll]: {
    type: 'Limited',
    limited: { assuredConcurrencyShares: 5, limitResponse: { type: 'Reject' } },
  },
};

/** A name that stands for a fixed spec has that spec. */
export function mandatoryErrors<T>(
  fixed: Readonly<Record<string, T>>,
  name: string,
  spec: T | undefined,
): FieldError[] {
  if (!Object.hasOwn(fixed, name) || sameMeaning(spec, fixed[name])) return [];
  return [invalid(FieldPath.of('spec'), spec, `spec of '${name}' must equal the fixed value`)];
}
