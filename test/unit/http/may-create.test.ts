/** A PUT or apply that would create needs the verb create, and is refused where nobody can say whether its user has that. */
import type { AuthorizerDecision } from '../../../src/authz/types.ts';
import { writeScope, type ResourceRequest } from '../../../src/http/verbs/verb-request.ts';
import { StatusError } from '../../../src/meta/status.ts';

/** The requests about which the authorizer was asked. */
const asked: unknown[] = [];

function mayCreate(authorizer: object | undefined): Promise<void> {
  const info = { verb: 'update', namespace: 'web', subresource: '', resource: 'leases', isResource: true };
  const context = { user: { name: 'ann', uid: '', groups: [], extra: {} }, info, phase: { authorizer } };
  const request = { context, resource: { namespaced: true }, name: 'a' } as unknown as ResourceRequest;
  return writeScope(request, { dryRun: false, fieldManager: '' }).assertMayCreate();
}

const deciding = (decision: AuthorizerDecision['decision']): object => ({
  authorize: (attributes: unknown) => {
    asked.push(attributes);
    return Promise.resolve({ decision, reason: '' });
  },
});

test('whoever may create may', async () => {
  await expect(mayCreate(deciding('allow'))).resolves.toBeUndefined();
  expect(asked).toMatchObject([{ user: { name: 'ann' }, info: { verb: 'create', namespace: 'web' } }]);
});

test.each(['noOpinion', 'deny'] as const)('%s is 403', async (decision) => {
  const error: unknown = await mayCreate(deciding(decision)).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(StatusError);
  expect((error as StatusError).code).toBe(403);
});

test('an authorizer that fails, or is not at hand, allows nothing', async () => {
  const failing = { authorize: () => Promise.reject(new Error('away')) };
  await expect(mayCreate(failing)).rejects.toThrow('away');
  await expect(mayCreate(undefined)).rejects.toThrow();
});
