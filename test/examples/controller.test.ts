/** A controller, and its test: every namespace with the label `team` gets a role binding for that team. */
import {
  KubeConfig,
  CoreV1Api,
  RbacAuthorizationV1Api,
  makeInformer,
  type V1Namespace,
} from '@kubernetes/client-node';
import { startControlPlane, type ControlPlane } from 'orch-apiserver/testing';

function startController(kubeconfig: string): { stop(): Promise<void> } {
  const config = new KubeConfig();
  config.loadFromString(kubeconfig);
  const core = config.makeApiClient(CoreV1Api);
  const rbac = config.makeApiClient(RbacAuthorizationV1Api);
  const reconcile = async ({ metadata }: V1Namespace): Promise<void> => {
    const team = metadata?.labels?.['team'];
    if (team === undefined || metadata?.name === undefined) return;
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' };
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: team }];
    await rbac.createNamespacedRoleBinding({
      namespace: metadata.name,
      body: { metadata: { name: 'team' }, roleRef, subjects },
    });
  };
  const informer = makeInformer(config, '/api/v1/namespaces', () => core.listNamespace());
  informer.on('add', (namespace) => void reconcile(namespace));
  void informer.start();
  return { stop: () => informer.stop() };
}

let controlPlane: ControlPlane;
let controller: { stop(): Promise<void> };

beforeAll(async () => {
  controlPlane = await startControlPlane({ users: [{ name: 'jane', groups: ['shop'] }] });
  controller = startController(controlPlane.kubeconfigText());
});

afterAll(async () => {
  await controller.stop();
  await controlPlane.stop();
});

test('a team may edit its namespace, and no other', async () => {
  for (const [name, team] of [
    ['mine', 'shop'],
    ['yours', 'bank'],
  ] as const) {
    await controlPlane.admin.create({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, labels: { team } },
    });
    const binding = { name: 'team', namespace: name };
    await controlPlane.until(
      { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata: binding },
      (found) => found !== undefined,
    );
  }
  const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview' };
  const may = async (namespace: string): Promise<unknown> => {
    const resourceAttributes = { namespace, verb: 'create', resource: 'configmaps' };
    const asked = { ...review, spec: { resourceAttributes } };
    const { status } = await controlPlane
      .as('jane')
      .create<typeof asked & { status?: { allowed: boolean } }>(asked);
    return status?.allowed;
  };
  expect(await may('mine')).toBe(true);
  expect(await may('yours')).toBe(false);
});
