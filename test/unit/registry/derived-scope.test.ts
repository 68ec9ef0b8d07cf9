import { derivedScope } from '../../../src/registry/derived-scope.ts';
import { attributesOf } from '../../support/admission.ts';

test('a derived update cannot create an object', async () => {
  const { scope } = attributesOf({ resource: 'pods' });
  await expect(scope.assertMayCreate()).resolves.toBeUndefined();
  await expect(derivedScope(scope, { dryRun: true }).assertMayCreate()).rejects.toThrow(
    'cannot create an object',
  );
});

test('a derived operation does not move to a write thread: the request would repeat what it has stored', () => {
  const { scope } = attributesOf({ resource: 'pods' });
  expect(derivedScope({ ...scope, growth: 'moves' }, {})).not.toHaveProperty('growth');
  expect(derivedScope({ ...scope, growth: 'stays' }, {})).toHaveProperty('growth', 'stays');
});
