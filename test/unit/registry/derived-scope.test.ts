import { derivedScope } from '../../../src/registry/derived-scope.ts';
import { attributesOf } from '../../support/admission.ts';

test('what a request does beside what it asks for makes no object by updating it', async () => {
  const { scope } = attributesOf({ resource: 'pods' });
  await expect(scope.assertMayCreate()).resolves.toBeUndefined();
  await expect(derivedScope(scope, { dryRun: true }).assertMayCreate()).rejects.toThrow('makes no object');
});

test('it does not move, for the request would do again what it has stored before', () => {
  const { scope } = attributesOf({ resource: 'pods' });
  expect(derivedScope({ ...scope, growth: 'moves' }, {})).not.toHaveProperty('growth');
  expect(derivedScope({ ...scope, growth: 'stays' }, {})).toHaveProperty('growth', 'stays');
});
