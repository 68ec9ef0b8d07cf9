/** IP families of services: what each gets, and what it may not ask for (release 1.21). */
import { completeFamilies } from '../../../src/api/core/service/families.ts';
import type { IpFamily } from '../../../src/base/ip-address.ts';
import type { ServiceSpec } from '../../../src/api/core/v1.types.ts';
import { FieldPath } from '../../../src/meta/field-path.ts';
import { brief } from '../../support/kind.ts';

const v4: IpFamily[] = ['IPv4'];
const v6: IpFamily[] = ['IPv6'];
const v4v6: IpFamily[] = ['IPv4', 'IPv6'];
const v6v4: IpFamily[] = ['IPv6', 'IPv4'];

function complete(spec: ServiceSpec, families: readonly IpFamily[]): ServiceSpec | string[] {
  const next = { type: 'ClusterIP', ...spec };
  const errors = completeFamilies(next, families, FieldPath.of('spec'));
  return errors.length > 0 ? brief(errors) : next;
}

const single = 'SingleStack';
const prefer = 'PreferDualStack';
const require = 'RequireDualStack';
const none = { clusterIP: 'None', clusterIPs: ['None'] };
const selector = { app: 'a' };

test.each<[string, ServiceSpec, IpFamily[], ServiceSpec]>([
  ['nothing is said', {}, v4, { ipFamilyPolicy: single, ipFamilies: v4 }],
  ['nothing is said, IPv6 first', {}, v6v4, { ipFamilyPolicy: single, ipFamilies: v6 }],
  ['a family is asked for', { ipFamilies: v6 }, v4v6, { ipFamilyPolicy: single, ipFamilies: v6 }],
  ['two are asked for', { ipFamilies: v6v4 }, v4v6, { ipFamilyPolicy: require, ipFamilies: v6v4 }],
  ['two are preferred', { ipFamilyPolicy: prefer }, v4v6, { ipFamilyPolicy: prefer, ipFamilies: v4v6 }],
  [
    'two are preferred, one is there',
    { ipFamilyPolicy: prefer },
    v4,
    { ipFamilyPolicy: prefer, ipFamilies: v4 },
  ],
  [
    'two are required, one is named',
    { ipFamilyPolicy: require, ipFamilies: v6 },
    v4v6,
    { ipFamilyPolicy: require, ipFamilies: v6v4 },
  ],
  [
    'an address is named',
    { clusterIP: 'fd00::1', clusterIPs: ['fd00::1'] },
    v4v6,
    { ipFamilyPolicy: single, ipFamilies: v6 },
  ],
  [
    'two addresses are named',
    { clusterIP: 'fd00::1', clusterIPs: ['fd00::1', '10.0.0.1'] },
    v4v6,
    { ipFamilyPolicy: require, ipFamilies: v6v4 },
  ],
  ['headless with a selector', { ...none, selector }, v4v6, { ipFamilyPolicy: single, ipFamilies: v4 }],
  ['headless without selector', none, v4, { ipFamilyPolicy: require, ipFamilies: v4v6 }],
  [
    'headless without selector, single',
    { ...none, ipFamilyPolicy: single },
    v6,
    { ipFamilyPolicy: single, ipFamilies: v6 },
  ],
])('%s', (_, spec, families, expected) => {
  expect(complete(spec, families)).toMatchObject(expected);
});

test('a name for something outside gets none', () => {
  expect(complete({ type: 'ExternalName' }, v4)).toEqual({ type: 'ExternalName' });
});

test.each<[string, ServiceSpec, IpFamily[], string]>([
  ['both on a cluster with one', { ipFamilyPolicy: require }, v4, 'spec.ipFamilyPolicy Invalid'],
  ['a family that is not there', { ipFamilies: v6 }, v4, 'spec.ipFamilies[0] Invalid'],
  [
    'an address of such a family',
    { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'] },
    v6,
    'spec.clusterIPs[0] Invalid',
  ],
  [
    'single with two families',
    { ipFamilyPolicy: single, ipFamilies: v4v6 },
    v4v6,
    'spec.ipFamilyPolicy Invalid',
  ],
  [
    'single with two addresses',
    { ipFamilyPolicy: single, clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1', 'fd00::1'] },
    v4v6,
    'spec.ipFamilyPolicy Invalid',
  ],
  [
    'headless with a selector, both on a cluster with one',
    { ...none, selector, ipFamilyPolicy: require },
    v4,
    'spec.ipFamilyPolicy Invalid',
  ],
])('refused: %s', (_, spec, families, expected) => {
  expect(complete(spec, families)).toEqual([expected]);
});

test('what was completed stays as it is', () => {
  for (const families of [v4, v6, v4v6, v6v4])
    for (const spec of [{}, none, { ipFamilyPolicy: prefer }, { ...none, selector }]) {
      const once = complete(spec, families);
      expect(complete(once as ServiceSpec, families)).toEqual(once);
    }
});
