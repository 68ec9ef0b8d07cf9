/** DeviceClass: a kind of devices that claims can name. */
import { FieldPath } from '../../meta/field-path.ts';
import { ageColumn, nameColumn } from '../columns/columns.ts';
import { defineResource, type Stored } from '../define.ts';
import { nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { each, same } from '../validation/rules.ts';
import { atMost, validateOpaque, validateSelectors } from './device-rules.ts';
import { expressionErrors, expressionsOf } from './selector-expressions.ts';
import type { DeviceClass as ClassFields } from './v1.types.ts';

type DeviceClass = Stored<ClassFields>;

const path = FieldPath.of('spec');
const selectors = path.child('selectors');
const maxConfigs = 32;
const replacement = 'resource.{api}/v1 DeviceClass';

export const deviceClasses = defineResource<DeviceClass>({
  kind: 'DeviceClass',
  plural: 'deviceclasses',
  namespaced: false,
  versions: [
    { version: 'v1', introducedIn: '1.34' },
    { version: 'v1beta2', introducedIn: '1.33', deprecatedIn: '1.36', removedIn: '1.39', replacement },
    { version: 'v1beta1', introducedIn: '1.32', deprecatedIn: '1.35', removedIn: '1.38', replacement },
    {
      version: 'v1alpha3',
      introducedIn: '1.31',
      deprecatedIn: '1.34',
      removedIn: '1.34',
      replacement: 'resource.{api}/v1beta1 DeviceClass',
    },
  ],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    bumpsGeneration: (next, current) => !same(next.spec, current.spec),
    validateCreate: ({ spec }, context) =>
      expressionErrors(expressionsOf(spec?.selectors, selectors), [], context),
    validateUpdate: (next, current, context) =>
      expressionErrors(
        expressionsOf(next.spec?.selectors, selectors),
        expressionsOf(current.spec?.selectors, selectors),
        context,
      ),
    validate: ({ spec }) => [
      ...validateSelectors(spec?.selectors, selectors),
      ...atMost(spec?.config, maxConfigs, path.child('config')),
      ...each(spec?.config, path.child('config'), ({ opaque }, at) =>
        validateOpaque(opaque, at.child('opaque')),
      ),
    ],
  },
  columns: [nameColumn, ageColumn],
});
