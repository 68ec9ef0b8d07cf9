import { bootstrapPolicy } from '../../../src/authz/bootstrap/bootstrap-policy.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';

function rulesAt(role: string, minor?: number): string {
  const found = bootstrapPolicy(namingProfiles.kubernetes, minor).find(({ name }) => name === role);
  return JSON.stringify(found?.object['rules']);
}

test.each([
  ['system:basic-user', 'selfsubjectreviews', 27],
  ['edit', 'leases', 27],
  ['admin', 'resourceclaimtemplates', 34],
  ['view', 'endpointslices', 22],
])('%s may use %s from 1.%d on', (role, resource, since) => {
  expect(rulesAt(role, since)).toContain(`"${resource}"`);
  expect(rulesAt(role, since - 1)).not.toContain(`"${resource}"`);
  expect(rulesAt(role)).toBe(rulesAt(role, 21));
});
