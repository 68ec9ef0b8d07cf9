/** PriorityClass: a name for a priority of pods. */
import type { FieldError } from '../../meta/field-error.ts';
import { forbidden } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { ageColumn, column, nameColumn } from '../columns/columns.ts';
import type { Stored } from '../define.ts';
import { defineResource } from '../define.ts';
import type { ApiContext } from '../types.ts';
import { nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { same, unchanged } from '../validation/rules.ts';
import type { PriorityClass as PriorityClassFields } from './v1.types.ts';

type PriorityClass = Stored<PriorityClassFields>;

const highestOfUsers = 1_000_000_000;
const systemPrefix = 'system-';
/** The classes of the system itself, which cannot be defined differently. */
export const systemClasses: ReadonlyMap<string, number> = new Map([
  ['system-node-critical', 2 * highestOfUsers + 1000],
  ['system-cluster-critical', 2 * highestOfUsers],
]);

function validate({ metadata, value = 0, globalDefault }: PriorityClass): FieldError[] {
  const name = metadata.name ?? '';
  if (name.startsWith(systemPrefix)) {
    return systemClasses.get(name) === value && globalDefault !== true
      ? []
      : [
          forbidden(
            FieldPath.of('metadata').child('name'),
            "priority class names with 'system-' prefix are reserved for system use only",
          ),
        ];
  }
  return value > highestOfUsers
    ? [
        forbidden(
          FieldPath.of('value'),
          `maximum allowed value of a user defined priority is ${String(highestOfUsers)}`,
        ),
      ]
    : [];
}

function validateUpdate(next: PriorityClass, current: PriorityClass): FieldError[] {
  return [
    ...(same(next.value ?? 0, current.value ?? 0)
      ? []
      : [forbidden(FieldPath.of('value'), 'may not be changed in an update.')]),
    ...unchanged(next.preemptionPolicy, current.preemptionPolicy, FieldPath.of('preemptionPolicy')),
  ];
}

function dropDisabled(next: PriorityClass, current: PriorityClass | undefined, context: ApiContext): void {
  if (!context.isFeatureEnabled('NonPreemptingPriority') && current?.preemptionPolicy == null)
    delete next.preemptionPolicy;
}

export const priorityClasses = defineResource<PriorityClass>({
  kind: 'PriorityClass',
  plural: 'priorityclasses',
  shortNames: ['pc'],
  namespaced: false,
  versions: [
    { version: 'v1' },
    {
      version: 'v1beta1',
      deprecatedIn: '1.14',
      removedIn: '1.22',
      replacement: 'scheduling.{api}/v1 PriorityClass',
    },
    { version: 'v1alpha1', removedIn: '1.23' },
  ],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    // What may change of a class does not count.
    bumpsGeneration: () => false,
    prepareForCreate: (object, context) => {
      dropDisabled(object, undefined, context);
    },
    prepareForUpdate: dropDisabled,
    validate,
    validateUpdate,
  },
  columns: [
    nameColumn,
    column<PriorityClass>('Value', ({ value }) => value, { type: 'integer', description: 'The priority.' }),
    column<PriorityClass>('Global-Default', ({ globalDefault }) => globalDefault, {
      type: 'boolean',
      description: 'Whether pods without a class have this one.',
    }),
    ageColumn,
    column<PriorityClass>('PreemptionPolicy', ({ preemptionPolicy }) => preemptionPolicy, {
      description: 'Whether its pods may take the place of others.',
      since: '1.32',
    }),
  ],
});
