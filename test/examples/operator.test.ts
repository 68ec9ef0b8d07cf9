/** An operator with its own definition: a Website gets a Deployment, which goes with it. */
import { join } from 'node:path';
import {
  AppsV1Api,
  CustomObjectsApi,
  KubeConfig,
  makeInformer,
  type KubernetesObject,
} from '@kubernetes/client-node';
import { startControlPlane, type ControlPlane } from 'orch-apiserver/testing';

interface Website extends KubernetesObject {
  readonly spec: { readonly image: string; readonly replicas: number };
  readonly status?: { readonly deployment?: string };
}

const websites = { group: 'shop.test', version: 'v1', namespace: 'default', plural: 'websites' };

function startOperator(kubeconfig: string): { stop(): Promise<void> } {
  const config = new KubeConfig();
  config.loadFromString(kubeconfig);
  const apps = config.makeApiClient(AppsV1Api);
  const custom = config.makeApiClient(CustomObjectsApi);
  const reconcile = async ({ apiVersion = '', kind = '', metadata = {}, spec }: Website): Promise<void> => {
    const { name = '', uid = '' } = metadata;
    const labels = { website: name };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: spec.image }] } };
    const ownerReferences = [{ apiVersion, kind, name, uid, controller: true }];
    const body = {
      metadata: { name, ownerReferences },
      spec: { replicas: spec.replicas, selector: { matchLabels: labels }, template },
    };
    await apps.createNamespacedDeployment({ namespace: 'default', body });
    await custom.patchNamespacedCustomObjectStatus({
      ...{ ...websites, name },
      body: [{ op: 'add', path: '/status', value: { deployment: name } }],
    });
  };
  const list = async (): Promise<{ items: Website[] }> =>
    (await custom.listNamespacedCustomObject(websites)) as { items: Website[] };
  const informer = makeInformer<Website>(config, '/apis/shop.test/v1/namespaces/default/websites', list);
  informer.on('add', (website) => void reconcile(website));
  void informer.start();
  return { stop: () => informer.stop() };
}

let controlPlane: ControlPlane;
let operator: { stop(): Promise<void> };

beforeAll(async () => {
  controlPlane = await startControlPlane({ crds: [join(import.meta.dirname, 'website.yaml')] });
  operator = startOperator(controlPlane.kubeconfigText());
});

afterAll(async () => {
  await operator.stop();
  await controlPlane.stop();
});

const blue = {
  apiVersion: 'shop.test/v1',
  kind: 'Website',
  metadata: { name: 'blue' },
  spec: { image: 'nginx', replicas: 2 },
};
const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'blue' } };

test('a Website gets a Deployment, says so, and takes it along', async () => {
  await controlPlane.admin.create(blue);
  await controlPlane.until<Website>(blue, (found) => found?.status?.deployment === 'blue');
  expect(await controlPlane.admin.get(deployment)).toMatchObject({ spec: { replicas: 2 } });

  await controlPlane.admin.delete(blue);
  await controlPlane.until(deployment, (found) => found === undefined);
});

test('what the definition forbids is refused', async () => {
  const wrong = { ...blue, spec: { image: 'nginx', replicas: -1 } };
  await expect(controlPlane.admin.create(wrong)).rejects.toThrow(
    /spec\.replicas.*greater than or equal to 0/,
  );
});
