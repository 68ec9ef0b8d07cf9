/** Counts of ResourceQuotas where discovery is incomplete, and of many quotas and objects. */
import { systemEnvironment } from '../../../src/base/environment.ts';
import { createResourceQuotaController } from '../../../src/controllers/resource-quota-controller.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { noControllerMetrics } from '../../support/controller-metrics.ts';
import { FakeApiClient, resourceRef } from '../../support/fake-api-client.ts';
import { turnsOf } from '../../support/turns.ts';
import { cpuBudget } from '../../support/cpu-time.ts';
import { waitFor } from '../../support/wait-for.ts';

const quotas = { ...resourceRef('ResourceQuota'), resource: 'resourcequotas' };
const maps = resourceRef('ConfigMap');
const pods = resourceRef('Pod');
const things = resourceRef('Thing', { group: 'far.example.com' });
const ignore = (): void => undefined;

let api: FakeApiClient;
let stop: AbortController;
let running: Promise<void>;

beforeEach(() => {
  api = new FakeApiClient([quotas, pods, maps, things]);
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await running;
});

function start(): void {
  const controller = createResourceQuotaController({
    ...systemEnvironment,
    ...{ client: api, naming: namingProfiles.kubernetes },
    log: { info: ignore, warn: ignore, error: ignore },
    metrics: noControllerMetrics,
  });
  running = controller.run(stop.signal);
}

function quota(name: string, spec: object): Promise<unknown> {
  const metadata = { name, namespace: 'n', uid: name };
  return api.create(quotas, 'n', { apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec });
}

function usedOf(name: string): unknown {
  return (api.object(quotas, 'n', name) as { status?: { used?: unknown } } | undefined)?.status?.used;
}

test('a server that cannot be asked leaves counts of its own resources as they are, and those alone', async () => {
  api.put(maps, 'n', 'one');
  api.put(things, 'n', 'thing');
  api.unknownGroups = ['far.example.com'];
  await quota('near', { hard: { 'count/configmaps': '5' } });
  await quota('far', { hard: { 'count/things.far.example.com': '5' } });
  start();
  await waitFor('the near count', () => usedOf('near'));
  expect(usedOf('near')).toEqual({ 'count/configmaps': '1' });
  expect(usedOf('far')).toBeUndefined();
  api.unknownGroups = [];
  await waitFor('the far count', () => usedOf('far'));
  expect(usedOf('far')).toEqual({ 'count/things.far.example.com': '1' });
});

/** As many pods, of which every other one ends by itself. */
async function putPods(count: number): Promise<void> {
  const containers = [
    { name: 'a', resources: { requests: { cpu: '10m' }, limits: { cpu: '20m', memory: '1Mi' } } },
  ];
  for (let i = 0; i < count; i += 1) {
    const metadata = { name: `p${String(i)}`, namespace: 'n', uid: `p${String(i)}` };
    const spec = { containers, ...(i % 2 === 0 && { activeDeadlineSeconds: 9 }) };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec };
    await api.create(pods, 'n', pod);
  }
}

test('scopes, names and kinds of quotas that are counted together do not mix', async () => {
  await putPods(5);
  api.put(maps, 'n', 'one');
  await quota('all', {
    hard: { pods: '9', 'requests.cpu': '1', 'count/configmaps': '9', 'count/secrets': '9' },
  });
  await quota('ending', { hard: { pods: '9', 'limits.memory': '1Gi' }, scopes: ['Terminating'] });
  await quota('staying', { hard: { 'limits.cpu': '1' }, scopes: ['NotTerminating'] });
  start();
  await waitFor('the counts', () => usedOf('all') && usedOf('ending') && usedOf('staying'));
  expect(usedOf('all')).toEqual({
    pods: '5',
    'requests.cpu': '50m',
    'count/configmaps': '1',
    'count/secrets': '0',
  });
  expect(usedOf('ending')).toEqual({ pods: '3', 'limits.memory': '3Mi' });
  expect(usedOf('staying')).toEqual({ 'limits.cpu': '40m' });
});

test('10,000 pods are counted in slices', async () => {
  await putPods(10_000);
  await quota('all', { hard: { pods: '90000', 'requests.cpu': '100' } });
  const [longest = 0] = await turnsOf(async () => {
    start();
    await waitFor('the count', () => usedOf('all'), { timeout: 30_000 });
  });
  expect(usedOf('all')).toEqual({ pods: '10k', 'requests.cpu': '100' });
  expect(longest).toBeLessThan(cpuBudget(40));
});

test('one look at the objects counts all quotas of a namespace, and a change of one quota counts that one alone', async () => {
  await putPods(3);
  for (let i = 0; i < 200; i += 1) await quota(`q${String(i)}`, { hard: { pods: '900' } });
  const looks = api.walked;
  start();
  await waitFor('the counts', () => api.updates.length === 200);
  // Counts that were written come back as changes, in one bundle or two.
  await waitFor('the last look', () => looks.length >= 4);
  expect(looks.filter((resource) => resource === 'pods').length).toBeLessThan(10);
  await waitFor('quiet', async () => {
    const before = looks.length;
    await new Promise((resolve) => setTimeout(resolve, 700));
    return looks.length === before;
  });
  looks.length = 0;
  const one = api.object(quotas, 'n', 'q7');
  if (one) await api.update({ resource: quotas, namespace: 'n', name: 'q7' }, one);
  await waitFor('a look', () => looks.length > 0);
  expect(looks).toEqual(['pods']);
});

test('objects that count as one each, whatever they say, are not read, and are in no scope', async () => {
  for (let i = 0; i < 7; i += 1) {
    api.put(maps, 'n', `m${String(i)}`);
    api.put(things, 'n', `t${String(i)}`);
  }
  const hard = { configmaps: '9', 'count/configmaps': '9', 'count/things.far.example.com': '9' };
  await quota('all', { hard });
  await quota('scoped', { hard, scopes: ['BestEffort'] });
  start();
  await waitFor('the counts', () => usedOf('all') && usedOf('scoped'));
  expect(usedOf('all')).toEqual({
    configmaps: '7',
    'count/configmaps': '7',
    'count/things.far.example.com': '7',
  });
  expect(usedOf('scoped')).toEqual({
    configmaps: '0',
    'count/configmaps': '0',
    'count/things.far.example.com': '0',
  });
  expect(api.walked.filter((resource) => resource !== 'resourcequotas')).toEqual([]);
});

test('objects are listed only to count them: of their changes each is told, and of what a watch missed all is counted again', async () => {
  await putPods(3);
  await quota('all', { hard: { pods: '900' } });
  start();
  await waitFor('the count', () => (usedOf('all') as { pods?: string } | undefined)?.pods === '3');
  expect(api.listed).toEqual(['resourcequotas']);
  await waitFor('the watch', () => api.isWatched(pods));
  api.loseHistory();
  api.remove(pods, 'n', 'p1');
  await waitFor('the next count', () => (usedOf('all') as { pods?: string } | undefined)?.pods === '2');
});
