/** Controllers under many seeds: a right one passes, wrong ones are found. */
import { KubeConfig } from '@kubernetes/client-node';
import {
  explore,
  ExploreFailure,
  startControlPlane,
  type ApiObject,
  type ControlPlane,
  type ExploredTest,
  type ExploreRun,
  type FaultKind,
  type FaultOrder,
} from '../../../src/testing/index.ts';
import { waitFor } from '../../support/wait-for.ts';
import { copyLabel, MirrorController, type Defect } from './support/mirror-controller.ts';

const maps = { apiVersion: 'v1', kind: 'ConfigMap' } as const;
const source = (name: string, level: string) => ({
  ...maps,
  metadata: { name, labels: { mirror: 'yes' } },
  data: { level },
});
const scope = { user: 'controller' };
/** Far more than a right controller needs on a busy machine; wrong ones that never come to it cost their patience. */
const patienceMs = 30_000;
const patienceWithWrongMs = 3_000;

let controlPlane: ControlPlane;

beforeAll(async () => {
  controlPlane = await startControlPlane({
    users: [{ name: 'controller' }],
    objects: [
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: 'controller' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'controller' }],
      },
    ],
  });
  const user = controlPlane.as('controller');
  await waitFor('the permissions', () => user.list(maps));
}, 300_000);

afterAll(() => controlPlane.stop());

/** Starts a controller; stopping waits for its end. */
function started(run: ExploreRun, defect: Defect | undefined): () => Promise<void> {
  const config = new KubeConfig();
  config.loadFromString(controlPlane.kubeconfigText('controller'));
  const stopping = new AbortController();
  const running = new MirrorController(config, stopping.signal, defect).run();
  const stop = async (): Promise<void> => {
    stopping.abort();
    await running;
  };
  run.defer(stop);
  return stop;
}

function textOf({ metadata, data }: ApiObject): string {
  const { level } = data as { readonly level: string };
  return `${String(metadata.labels?.[copyLabel])}=${level}`;
}

async function copies(): Promise<string[]> {
  const { items } = await controlPlane.admin.list(maps, { namespace: 'default', labelSelector: copyLabel });
  return items.map(textOf).sort();
}

async function becomes(wanted: readonly string[], timeout: number): Promise<void> {
  let seen: readonly string[] = [];
  const look = async (): Promise<boolean> => {
    seen = await copies();
    return seen.join() === wanted.join();
  };
  await waitFor(`copies ${wanted.join()}`, look, {
    timeout,
    interval: 3,
    details: () => `; there were ${seen.join()}`,
  });
}

/** Objects come, the controller is replaced, objects change and go. */
function mirrors(defect?: Defect): ExploredTest {
  return async (run) => {
    const { admin } = run.controlPlane;
    // Without faults the wrong ones are right, too.
    const isRight = defect === undefined || run.plan.length === 0;
    const timeout = isRight ? patienceMs : patienceWithWrongMs;
    const stop = started(run, defect);
    await admin.create(source('a', 'low'));
    await admin.create(source('b', 'low'));
    await becomes(['a=low', 'b=low'], timeout);
    await admin.patch(source('a', ''), { data: { level: 'middle' } });
    await becomes(['a=middle', 'b=low'], timeout);
    await stop();
    started(run, defect);
    await admin.patch(source('a', ''), { data: { level: 'high' } });
    await admin.create(source('c', 'low'));
    await admin.delete(source('b', ''));
    await becomes(['a=high', 'c=low'], timeout);
  };
}

/** Without restarts, which writes of the test itself meet, too. */
const faults: readonly FaultKind[] = [
  ...(['closeWatches', 'expireHistory', 'staleReads', 'lagReplica'] as const),
  ...(['conflicts', 'delay', 'refuse', 'loseAnswers'] as const),
];
const options = { scope, faults, timeoutMs: 3 * patienceMs + 2_000 };

test('a controller that heals passes under every seed', async () => {
  const { runs, strikes } = await explore(mirrors(), { ...options, seeds: 15, controlPlane });
  expect(runs).toBe(16);
  expect(strikes).toBeGreaterThan(16);
}, 600_000);

test.each(['ignores conflicts', 'never lists again', 'trusts its cache', 'never tries again'] as const)(
  'a controller that %s is found, with how to run it again',
  async (defect) => {
    const failure = await found(mirrors(defect), { seeds: 200 });
    expect(failure.seed).toBeGreaterThan(0);
    expect(failure.plan.length).toBeGreaterThan(0);
    expect(failure.message).toContain(`Run it again: explore(test, { seed: ${String(failure.seed)} })`);
    expect(failure.message).toContain(JSON.stringify(failure.plan[0]));
    // Whether a cache is behind in just that moment is a matter of time, too.
    if (defect !== 'trusts its cache') expect(await failsAgain(mirrors(defect), failure)).toBe(true);
  },
  600_000,
);

/** The faults repeat; how the controller and they interleave need not, so that it is tried more than once. */
async function failsAgain(test: ExploredTest, { seed, plan }: ExploreFailure): Promise<boolean> {
  for (let tries = 0; tries < 10; tries += 1) {
    const run = explore(test, { ...options, controlPlane, seed, plan, shrinkRuns: 0 });
    if (
      await run.then(
        () => false,
        (error: unknown) => error instanceof ExploreFailure,
      )
    )
      return true;
  }
  return false;
}

async function found(test: ExploredTest, asked: Parameters<typeof explore>[1]): Promise<ExploreFailure> {
  const error: unknown = await explore(test, { ...options, shrinkRuns: 1, controlPlane, ...asked }).catch(
    (thrown: unknown) => thrown,
  );
  if (error instanceof ExploreFailure) return error;
  throw new Error('it was not found', { cause: error });
}

test('a test that fails without faults says so', async () => {
  const failing: ExploredTest = () => Promise.reject(new Error('of its own'));
  await expect(explore(failing, { controlPlane })).rejects.toThrow(
    'the test fails without any fault: of its own',
  );
});

test('what does not end fails, and what it started is stopped', async () => {
  let isStopped = false;
  const endless: ExploredTest = (run) => {
    if (run.plan.length === 0) return Promise.resolve();
    run.defer(() => {
      isStopped = run.signal.aborted;
    });
    return new Promise(() => undefined);
  };
  const failure = await found(endless, { seeds: 1, timeoutMs: 20, shrinkRuns: 0 });
  expect(failure.message).toContain('under seed 1, run 2: it did not end within 20 ms');
  expect(isStopped).toBe(true);
});

test('the requests that were struck are struck again, whatever else is asked', async () => {
  const user = controlPlane.as('controller');
  const write = async (name: string): Promise<boolean> =>
    user.patch({ ...maps, metadata: { name } }, { data: { at: String(Math.random()) } }).then(
      () => true,
      () => false,
    );
  let others = 0;
  const test: ExploredTest = async ({ plan }) => {
    for (const name of ['one', 'two']) await controlPlane.admin.create({ ...maps, metadata: { name } });
    for (let n = 0; n < others; n += 1) await user.list(maps);
    const isDone = [];
    for (let n = 0; n < 12; n += 1) isDone.push(await write(n % 3 === 0 ? 'one' : 'two'));
    if (isDone.includes(false) && plan.length > 0) throw new Error(isDone.join());
  };
  const failure = await found(test, { seeds: 50, faults: ['refuse'] });
  others = 7;
  const again = await found(test, { seed: failure.seed, plan: failure.plan, shrinkRuns: 0 });
  expect((again.cause as Error).message).toBe((failure.cause as Error).message);
});

test('plans leave out what a failure does not need; a seed makes one plan', async () => {
  const plans = new Map<number, readonly FaultOrder[]>();
  const test: ExploredTest = async ({ seed, plan }) => {
    if (!plans.has(seed)) plans.set(seed, plan);
    if (plan.length > 0 && plan.some(({ kind }) => kind === 'conflicts') && seed > 3)
      throw new Error('conflicts');
  };
  const first = await found(test, { seeds: 200, shrinkRuns: 10 });
  expect(first.plan.map(({ kind }) => kind)).toEqual(['conflicts']);
  const kept = plans.get(first.seed);
  plans.clear();
  await found(test, { seed: first.seed, shrinkRuns: 0 });
  expect(plans.get(first.seed)).toEqual(kept);
  for (const { kind, scope: about } of kept ?? []) expect([kind, about?.user]).toEqual([kind, 'controller']);
});

test('each run begins with what there was at the start', async () => {
  const names: number[] = [];
  await explore(
    async ({ controlPlane: plane }) => {
      names.push((await copies()).length);
      await plane.admin.create({
        ...maps,
        metadata: { name: 'x', labels: { [copyLabel]: 'x' } },
        data: { level: '' },
      });
    },
    { controlPlane, seeds: 3 },
  );
  expect(names).toEqual([0, 0, 0, 0]);
});
