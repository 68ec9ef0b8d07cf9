/** PriorityLevelConfiguration: how many requests of a level run at once, and how the others wait. */
import type { FieldError } from '../../meta/field-error.ts';
import { forbidden, invalid, required } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { ageColumn, column, nameColumn } from '../columns/columns.ts';
import type { Stored } from '../define.ts';
import { defineResource, dropStatus, keepStatus } from '../define.ts';
import type { ApiContext } from '../types.ts';
import { nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { between, given, need, nonNegative, positive, same } from '../validation/rules.ts';
import { conditionsSubresource } from '../status-conditions.ts';
import { exempt, mandatoryErrors, mandatoryLevels } from './mandatory.ts';
import type {
  ExemptPriorityLevelConfiguration,
  LimitedPriorityLevelConfiguration,
  LimitResponse,
  PriorityLevelConfiguration as LevelFields,
  PriorityLevelConfigurationSpec as LevelSpec,
  QueuingConfiguration,
} from './v1beta1.types.ts';
import { hasNominalShares, nominalShares } from './nominal-shares.ts';
import { versionsOf } from './versions.ts';

type PriorityLevelConfiguration = Stored<LevelFields>;

const path = FieldPath.of('spec');
const percent = between(0, 100);
const maxQueues = 10_000_000;
/** Hands of queues are dealt with this many random bits. */
const maxEntropyBits = 60;

function validate(
  { metadata, spec = {} }: PriorityLevelConfiguration,
  { version }: Pick<ApiContext, 'version'>,
): FieldError[] {
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
    ...(isExempt ? [] : given(spec.limited, limited, (part, at) => validateLimited(part, at, version))),
    ...given(spec.exempt, path.child('exempt'), (part, at) =>
      isExempt ? validateExempt(part, at) : [forbidden(at, 'must be nil if the type is not Exempt')],
    ),
    ...mandatoryErrors(mandatoryLevels, name, fixedPart(spec)),
  ];
}

/** Without the share of exempt requests, which administrators choose, and without that nothing is lent. */
function fixedPart(spec: LevelSpec): LevelSpec {
  const { exempt: _chosen, limited, ...fixed } = spec;
  if (limited?.lendablePercent !== 0) return { ...fixed, ...(limited && { limited }) };
  const { lendablePercent: _none, ...rest } = limited;
  return { ...fixed, limited: rest };
}

/** Later versions have other words for the shares, and may have none of their own. */
function validateLimited(
  limited: LimitedPriorityLevelConfiguration,
  at: FieldPath,
  version: string,
): FieldError[] {
  const isLater = hasNominalShares(version);
  const shares = at.child(isLater ? 'nominalConcurrencyShares' : 'assuredConcurrencyShares');
  return [
    ...(isLater ? nonNegative : positive)(limited.assuredConcurrencyShares ?? 0, shares),
    ...given(limited.lendablePercent, at.child('lendablePercent'), percent),
    ...given(limited.borrowingLimitPercent, at.child('borrowingLimitPercent'), nonNegative),
    ...validateResponse(limited.limitResponse ?? {}, at.child('limitResponse')),
  ];
}

function validateExempt(
  { nominalConcurrencyShares, lendablePercent }: ExemptPriorityLevelConfiguration,
  at: FieldPath,
): FieldError[] {
  return [
    ...given(nominalConcurrencyShares, at.child('nominalConcurrencyShares'), nonNegative),
    ...given(lendablePercent, at.child('lendablePercent'), percent),
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
  versions: versionsOf('PriorityLevelConfiguration', nominalShares),
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
      { description: 'Its part of what runs at once.', until: '1.26' },
    ),
    column<PriorityLevelConfiguration>(
      'NominalConcurrencyShares',
      ({ spec }) => spec?.limited?.assuredConcurrencyShares ?? '<none>',
      { description: 'Its part of what runs at once.', since: '1.26' },
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
