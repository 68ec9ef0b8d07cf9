/** DeviceTaintRule: taints devices, so that they are not used. */
import { FieldPath } from '../../meta/field-path.ts';
import { ageOf } from '../columns/human-duration.ts';
import { ageColumn, column, nameColumn } from '../columns/columns.ts';
import { defineResource, dropStatus, keepStatus, type Stored } from '../define.ts';
import { conditionsSubresource } from '../status-conditions.ts';
import { formatSeconds } from '../../meta/time.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { ApiContext } from '../types.ts';
import { nameIsDns1123Subdomain, qualifiedName } from '../validation/name-rules.ts';
import { need, obeys, same } from '../validation/rules.ts';
import type { DeviceTaintRule as RuleFields } from './v1alpha3.types.ts';

type DeviceTaintRule = Stored<RuleFields>;

const taint = FieldPath.of('spec').child('taint');

/** A taint without a time begins now. */
function applyDefaults(object: ApiObject, { now }: ApiContext): void {
  const { spec } = object as DeviceTaintRule;
  if (spec?.taint) spec.taint.timeAdded ??= formatSeconds(now());
}

export const deviceTaintRules = defineResource<DeviceTaintRule>({
  kind: 'DeviceTaintRule',
  plural: 'devicetaintrules',
  namespaced: false,
  versions: [
    { version: 'v1alpha3', introducedIn: '1.33', deprecatedIn: '1.36', removedIn: '1.39', applyDefaults },
    { version: 'v1beta2', introducedIn: '1.36', deprecatedIn: '1.39', removedIn: '1.42', applyDefaults },
  ],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    bumpsGeneration: (next, current) => !same(next.spec, current.spec),
    prepareForCreate: dropStatus,
    prepareForUpdate: keepStatus,
    validate: ({ spec }) => [
      ...need(spec?.taint?.key, taint.child('key'), obeys(qualifiedName)),
      ...need(spec?.taint?.effect, taint.child('effect')),
    ],
  },
  subresources: [conditionsSubresource<DeviceTaintRule>()],
  columns: [
    nameColumn,
    column<DeviceTaintRule>('Key', ({ spec }) => spec?.taint?.key, { description: 'Key of the taint.' }),
    column<DeviceTaintRule>('Value', ({ spec }) => spec?.taint?.value, {
      description: 'Value of the taint.',
    }),
    column<DeviceTaintRule>('Effect', ({ spec }) => spec?.taint?.effect, {
      description: 'Effect of the taint.',
    }),
    column<DeviceTaintRule>('TimeAdded', ({ spec }) => ageOf(spec?.taint?.timeAdded), {
      description: 'Time since the taint was added.',
    }),
    ageColumn,
  ],
});
