/** A controller that is wrong, found by faults under many seeds, then right; and its hour, which passes at once. */
import { CoreV1Api, KubeConfig, makeInformer, type V1Namespace } from '@kubernetes/client-node';
import { setTimeout as pause } from 'node:timers/promises';
import { explore, startControlPlane, type ControlPlane, type ExploredTest } from 'orch-apiserver/testing';

const hourMs = 3_600_000;

/** Every namespace gets a ConfigMap `welcome`, for an hour. */
class Welcome {
  readonly #config = new KubeConfig();
  readonly #now: () => Date;

  constructor(kubeconfig: string, now: () => Date) {
    this.#config.loadFromString(kubeconfig);
    this.#now = now;
  }

  /** Until the signal. @param heals an error does not end it */
  async run(signal: AbortSignal, heals: boolean): Promise<void> {
    const api = this.#config.makeApiClient(CoreV1Api);
    const informer = makeInformer(this.#config, '/api/v1/namespaces', () => api.listNamespace());
    // An informer of this client ends with its first error, and has to be started again.
    const start = (): void => {
      if (!signal.aborted) informer.start().catch(later);
    };
    const later = (): void => {
      if (heals) setTimeout(start, 10);
    };
    informer.on('error', later);
    signal.addEventListener('abort', () => void informer.stop());
    start();
    while (!signal.aborted) {
      for (const namespace of informer.list()) await this.#tried(api, namespace, heals);
      await pause(10);
    }
  }

  async #tried(api: CoreV1Api, namespace: V1Namespace, heals: boolean): Promise<void> {
    try {
      await this.#reconcile(api, namespace);
    } catch (error) {
      if (!heals) throw error;
    }
  }

  async #reconcile(api: CoreV1Api, { metadata }: V1Namespace): Promise<void> {
    const { name: namespace = '', creationTimestamp = 0 } = metadata ?? {};
    // A Date in lists of this client, a text in its watches.
    const isNew = this.#now().getTime() - new Date(creationTimestamp).getTime() < hourMs;
    const { items } = await api.listNamespacedConfigMap({
      namespace,
      fieldSelector: 'metadata.name=welcome',
    });
    const body = { metadata: { name: 'welcome' }, data: { text: `Hello ${namespace}` } };
    if (isNew && items.length === 0) await api.createNamespacedConfigMap({ namespace, body });
    if (!isNew && items.length > 0) await api.deleteNamespacedConfigMap({ namespace, name: 'welcome' });
  }
}

let controlPlane: ControlPlane;

beforeAll(async () => {
  controlPlane = await startControlPlane({
    clock: 'virtual',
    users: [{ name: 'controller', groups: ['system:masters'] }],
  });
});

afterAll(async () => {
  await controlPlane.stop();
});

const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };
const welcome = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'welcome', namespace: 'shop' } };

function welcomes(heals: boolean): ExploredTest {
  return async ({ plan, signal, defer }) => {
    const patience = { timeoutMs: heals || plan.length === 0 ? 60_000 : 3_000 };
    const controller = new Welcome(controlPlane.kubeconfigText('controller'), () => controlPlane.now());
    const running = controller.run(signal, heals).catch(() => undefined);
    defer(() => running);
    await controlPlane.admin.create(namespace);
    await controlPlane.until(welcome, (found) => found !== undefined, patience);
    await controlPlane.advance('1h');
    await controlPlane.until(welcome, (found) => found === undefined, patience);
  };
}

const options = {
  scope: { user: 'controller' },
  faults: ['refuse', 'closeWatches'] as const,
  timeoutMs: 180_000,
};

test('without healing, some fault stops it for good', async () => {
  const exploring = explore(welcomes(false), { ...options, controlPlane, seeds: 50, shrinkRuns: 1 });
  await expect(exploring).rejects.toThrow(/the test fails under seed \d+[^]*Faults that are enough/);
}, 300_000);

test('with healing it passes under every seed', async () => {
  const { runs } = await explore(welcomes(true), { ...options, controlPlane, seeds: 10 });
  expect(runs).toBe(11);
}, 300_000);
