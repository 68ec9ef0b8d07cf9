/** PriorityLevelConfiguration: how many requests of a level run at once, and how the others wait. */
import type { FieldError } from '../../meta/field-error.ts';
import { forbidden, invalid, required } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { ageColumn, column, nameColumn } from '../columns/columns.ts';
import type { Stored } from '../define.ts';
import { defineResource, dropStatus, keepStatus } from '../define.ts';
import { nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { given, need, positive, same } from '../validation/rules.ts';
import { conditionsSubresource } from './status-conditions.ts';
import { exempt, mandatoryErrors, mandatoryLevels } from './mandatory.ts';
import type {
  LimitedPriorityLevelConfiguration,
  LimitResponse,
  PriorityLevelConfiguration as LevelFields,
  QueuingConfiguration,
} from './v1beta1.types.ts';

type PriorityLevelConfiguration = Stored<LevelFields>;

const path = FieldPath.of('spec');
const maxQueues = 10_000_000;
/** Hands of queues are dealt with this many random bits. */
const maxEntropyBits = 60;

function validate({ metadata, spec = {} }: PriorityLevelConfiguration): FieldError[] {
  const name = metadata.name ?? '';
  const isExempt = spec.type === 'Exempt';
  const limited = path.child('limited');
  return [
    ...need(spec.type, path.child('type')),
    ...(isExempt !== (name === exempt)
      ? [
          invalid(
            path.child('type'),
            spec.type ?? '',
            "type must be 'Exempt' if and only if name is 'exempt'",
          ),
        ]
      : []),
    ...(isExempt && spec.limited != null
      ? [forbidden(limited, 'must be nil if the type is not Limited')]
      : []),
    ...(spec.type === 'Limited' && spec.limited == null
      ? [required(limited, 'must not be empty when type is Limited')]
      : []),
    ...(isExempt ? [] : given(spec.limited, limited, validateLimited)),
    ...mandatoryErrors(mandatoryLevels, name, spec),
  ];
}

function validateLimited(limited: LimitedPriorityLevelConfiguration, at: FieldPath): FieldError[] {
  return [
    ...positive(limited.assuredConcurrencyShares ?? 0, at.child('assuredConcurrencyShares')),
    ...validateResponse(limited.limitResponse ?? {}, at.child('limitResponse')),
  ];
}

function validateResponse({ type, queuing }: LimitResponse, at: FieldPath): FieldError[] {
  const queue = at.child('queuing');
  if (type === 'Reject')
    return queuing == null
      ? []
      : [forbidden(queue, 'must be nil if limited.limitResponse.type is not Queue')];
  if (type === 'Queue')
    return queuing == null
      ? [required(queue, 'must not be empty if limited.limitResponse.type is Queue')]
      : validateQueuing(queuing, queue);
  return need(type, at.child('type'));
}

function validateQueuing(
  { queues = 0, handSize = 0, queueLengthLimit = 0 }: QueuingConfiguration,
  at: FieldPath,
): FieldError[] {
  const hand = at.child('handSize');
  return [
    ...positive(queueLengthLimit, at.child('queueLengthLimit')),
    ...positive(queues, at.child('queues')),
    ...(queues > maxQueues
      ? [invalid(at.child('queues'), queues, `must not be greater than ${String(maxQueues)}`)]
      : []),
    ...positive(handSize, hand),
    ...(handSize > queues ? [invalid(hand, handSize, 'should not be greater than queues')] : []),
    ...(handSize <= queues && entropyBits(queues, handSize) > maxEntropyBits
      ? [
          invalid(
            hand,
            handSize,
            `needs more than ${String(maxEntropyBits)} bits of entropy with this number of queues`,
          ),
        ]
      : []),
  ];
}

/** Bits of entropy that dealing a hand takes (shuffle sharding). */
function entropyBits(queues: number, handSize: number): number {
  let bits = 0;
  for (let dealt = 0; dealt < handSize && bits <= maxEntropyBits; dealt++) bits += Math.log2(queues - dealt);
  return Math.ceil(bits);
}

function queuingCell(
  field: keyof QueuingConfiguration,
): (level: PriorityLevelConfiguration) => number | '<none>' {
  return ({ spec }) => spec?.limited?.limitResponse?.queuing?.[field] ?? '<none>';
}

export const priorityLevelConfigurations = defineResource<PriorityLevelConfiguration>({
  kind: 'PriorityLevelConfiguration',
  plural: 'prioritylevelconfigurations',
  namespaced: false,
  versions: [
    { version: 'v1beta1', deprecatedIn: '1.23', removedIn: '1.26' },
    {
      version: 'v1alpha1',
      deprecatedIn: '1.20',
      removedIn: '1.21',
      replacement: 'flowcontrol.apiserver.{api}/v1beta1 PriorityLevelConfiguration',
    },
  ],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    bumpsGeneration: (next, current) => !same(next.spec, current.spec),
    prepareForCreate: dropStatus,
    prepareForUpdate: keepStatus,
    validate,
  },
  subresources: [conditionsSubresource<PriorityLevelConfiguration>()],
  columns: [
    nameColumn,
    column<PriorityLevelConfiguration>('Type', ({ spec }) => spec?.type, {
      description: 'Exempt or Limited.',
    }),
    column<PriorityLevelConfiguration>(
      'AssuredConcurrencyShares',
      ({ spec }) => spec?.limited?.assuredConcurrencyShares ?? '<none>',
      { description: 'Its part of what runs at once.' },
    ),
    column<PriorityLevelConfiguration>('Queues', queuingCell('queues'), {
      description: 'Queues of the waiting.',
    }),
    column<PriorityLevelConfiguration>('HandSize', queuingCell('handSize'), {
      description: 'Queues that a flow may choose from.',
    }),
    column<PriorityLevelConfiguration>('QueueLengthLimit', queuingCell('queueLengthLimit'), {
      description: 'Most that wait in a queue.',
    }),
    ageColumn,
  ],
});
