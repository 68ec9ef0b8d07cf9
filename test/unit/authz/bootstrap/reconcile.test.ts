/** What a start changes in a policy that is there already. */
import { reconcileRbacObject } from '../../../../src/authz/bootstrap/reconcile-rbac-object.ts';
import type { JsonObject } from '../../../../src/base/json.ts';
import { bindingOf, policyObject, ruleOf } from '../../../support/policy.ts';

const annotation = 'rbac.authorization.orch.io/autoupdate';

function annotated(object: JsonObject, value: string, more: JsonObject = {}): JsonObject {
  const metadata = { ...(object['metadata'] as JsonObject), annotations: { [annotation]: value, ...more } };
  return { ...object, metadata: { ...metadata, labels: { a: 'b' } } };
}

const wanted = annotated(
  policyObject('clusterroles', 'r', { rules: [ruleOf('get,list', 'pods,nodes')] }),
  'true',
);

test('what is complete stays, also with more than there was at the beginning', async () => {
  expect(await reconcileRbacObject(wanted, wanted, annotation)).toEqual({ action: 'none' });
  const more = annotated(
    policyObject('clusterroles', 'r', { rules: [ruleOf('*', 'pods,secrets'), ruleOf('get,list', 'nodes')] }),
    'true',
    { mine: 'x' },
  );
  expect(await reconcileRbacObject(more, wanted, annotation)).toEqual({ action: 'none' });
});

test('missing permissions are added behind what is there, missing labels and annotations too', async () => {
  const existing = policyObject('clusterroles', 'r', { rules: [ruleOf('get', 'pods,secrets')] });
  expect(await reconcileRbacObject(existing, wanted, annotation)).toEqual({
    action: 'update',
    object: annotated(
      policyObject('clusterroles', 'r', {
        rules: [ruleOf('get', 'pods,secrets'), ruleOf('list', 'pods'), ruleOf('get,list', 'nodes')],
      }),
      'true',
    ),
  });
});

test('what its owner has taken over stays as it is', async () => {
  const taken = annotated(policyObject('clusterroles', 'r', { rules: [] }), 'false');
  expect(await reconcileRbacObject(taken, wanted, annotation)).toEqual({ action: 'none' });
});

test('an aggregated role keeps its rules, its selectors are completed', async () => {
  const selector = (value: string): JsonObject => ({ matchLabels: { to: value } });
  const aggregated = (rules: JsonObject[], ...values: string[]): JsonObject =>
    annotated(
      policyObject('clusterroles', 'r', {
        aggregationRule: { clusterRoleSelectors: values.map(selector) },
        rules,
      }),
      'true',
    );
  const gathered = [ruleOf('get', 'pods')];
  const own = aggregated([], 'view');
  expect(await reconcileRbacObject(aggregated(gathered, 'view', 'x'), own, annotation)).toEqual({
    action: 'none',
  });
  expect(await reconcileRbacObject(aggregated(gathered, 'x'), own, annotation)).toEqual({
    action: 'update',
    object: aggregated(gathered, 'x', 'view'),
  });
});

test('a binding gets its subjects back; one to another role is replaced', async () => {
  const bound = (role: string, ...subjects: string[]): JsonObject =>
    annotated(policyObject('clusterrolebindings', 'b', bindingOf(role, ...subjects)), 'true');
  const own = bound('ClusterRole r', 'User ann', 'Group devs');
  expect(
    await reconcileRbacObject(bound('ClusterRole r', 'Group devs', 'User bob'), own, annotation),
  ).toEqual({
    action: 'update',
    object: bound('ClusterRole r', 'Group devs', 'User bob', 'User ann'),
  });
  expect(await reconcileRbacObject(bound('ClusterRole other', 'User ann'), own, annotation)).toEqual({
    action: 'replace',
  });
  const nobody = annotated(
    policyObject('clusterrolebindings', 'b', { roleRef: bindingOf('ClusterRole r')['roleRef']! }),
    'true',
  );
  expect(await reconcileRbacObject(bound('ClusterRole r', 'User ann'), nobody, annotation)).toEqual({
    action: 'none',
  });
});
