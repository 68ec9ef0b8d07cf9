import { derivedScope } from '../../../src/registry/derived-scope.ts';
import { attributesOf } from '../../support/admission.ts';

test('what a request does beside what it asks for makes no object by updating it', async () => {
  const { scope } = attributesOf({ resource: 'pods' });
  await expect(scope.assertMayCreate()).resolves.toBeUndefined();
  await expect(derivedScope(scope, { dryRun: true }).assertMayCreate()).rejects.toThrow('makes no object');
});
