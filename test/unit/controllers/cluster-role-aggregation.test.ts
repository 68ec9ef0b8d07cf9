/** Aggregated ClusterRoles over an API in memory. */
import { systemEnvironment } from '../../../src/base/environment.ts';
import { createClusterRoleAggregation } from '../../../src/controllers/cluster-role-aggregation/cluster-role-aggregation-controller.ts';
import {
  gatheredRules,
  hasSameRules,
  knownRole,
  type KnownRole,
} from '../../../src/controllers/cluster-role-aggregation/gather-rules.ts';
import { Slice } from '../../../src/base/cooperate.ts';
import { resultOf } from '../../../src/base/sliced-work.ts';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { parseLabelSelector } from '../../../src/meta/label-selector.ts';
import type { ApiObject } from '../../../src/meta/object.ts';
import { noControllerMetrics } from '../../support/controller-metrics.ts';
import { cpuBudget, leastOfThree, leastShareOf } from '../../support/cpu-time.ts';
import { FakeApiClient, resourceRef } from '../../support/fake-api-client.ts';
import { ruleOf } from '../../support/policy.ts';
import { longestTurn } from '../../support/storage.ts';
import { turnsOf } from '../../support/turns.ts';
import { waitFor } from '../../support/wait-for.ts';

const clusterRoles = resourceRef('ClusterRole', { group: 'rbac', namespaced: false });

let api: FakeApiClient;
let stop: AbortController;
let running: Promise<void>;

beforeEach(() => {
  api = new FakeApiClient([clusterRoles]);
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await running;
});

function start(): void {
  const ignore = (): void => undefined;
  const log = { info: ignore, warn: ignore, error: ignore };
  running = createClusterRoleAggregation({
    ...systemEnvironment,
    ...{ client: api, clusterRoles, log },
    metrics: noControllerMetrics,
  }).run(stop.signal);
}

async function put(name: string, labels: Record<string, string>, body: JsonObject): Promise<void> {
  const before = api.object(clusterRoles, '', name);
  const object = {
    apiVersion: 'rbac/v1',
    kind: 'ClusterRole',
    metadata: { name, uid: name, labels },
    ...body,
  };
  if (!before) await api.create(clusterRoles, '', object);
  else {
    await api.update({ resource: clusterRoles, namespace: '', name }, object);
    api.updates.pop();
  }
}

function gathering(...selectors: JsonObject[]): JsonObject {
  return { aggregationRule: { clusterRoleSelectors: selectors }, rules: null };
}

const rulesOf = (name: string): unknown => api.object(clusterRoles, '', name)?.['rules'];
const hasRules = (name: string, ...rules: JsonObject[]): Promise<unknown> =>
  waitFor(`the rules of ${name}`, () => JSON.stringify(rulesOf(name)) === JSON.stringify(rules), {
    details: () => JSON.stringify(rulesOf(name)),
  });

const [pods, nodes, jobs] = [ruleOf('get', 'pods'), ruleOf('get', 'nodes'), ruleOf('get', 'jobs', 'batch')];

test('the rules of all that are selected, in order of selectors and names, each once, through several stages', async () => {
  await put('admin', {}, gathering({ matchLabels: { to: 'admin' } }));
  await put(
    'edit',
    { to: 'admin' },
    gathering({ matchLabels: { to: 'edit' } }, { matchExpressions: [{ key: 'also', operator: 'Exists' }] }),
  );
  await put('z', { also: 'edit' }, { rules: [pods, nodes] });
  await put('b', { to: 'edit' }, { rules: [jobs] });
  await put('a', { to: 'edit' }, { rules: [pods] });
  await put('other', { to: 'nobody' }, { rules: [ruleOf('*', '*')] });
  start();
  await hasRules('edit', pods, jobs, nodes);
  await hasRules('admin', pods, jobs, nodes);
});

test('what changes, comes, goes or is labelled otherwise is followed', async () => {
  await put('view', {}, gathering({ matchLabels: { to: 'view' } }));
  await put('a', { to: 'view' }, { rules: [pods] });
  start();
  await hasRules('view', pods);
  await put('a', { to: 'view' }, { rules: [pods, nodes] });
  await hasRules('view', pods, nodes);
  await put('b', { to: 'view' }, { rules: [jobs] });
  await hasRules('view', pods, nodes, jobs);
  await put('a', { to: 'other' }, { rules: [pods, nodes] });
  await hasRules('view', jobs);
  api.remove(clusterRoles, '', 'b');
  await hasRules('view');
});

test('what somebody else wrote into the rules is put right', async () => {
  await put('view', {}, gathering({ matchLabels: { to: 'view' } }));
  await put('a', { to: 'view' }, { rules: [pods] });
  start();
  await hasRules('view', pods);
  await put('view', {}, { ...gathering({ matchLabels: { to: 'view' } }), rules: [jobs] });
  await hasRules('view', pods);
});

test('roles that gather each other in a circle have the rules of all in it, and settle', async () => {
  const circle = ['c1', 'c2', 'c3'];
  for (const [i, name] of circle.entries()) {
    const next = circle[(i + 1) % 3]!;
    const body = gathering({ matchLabels: { is: next } }, { matchLabels: { to: name } });
    // Each begins with what the others have not.
    await put(name, { is: name }, { ...body, rules: [ruleOf('get', name)] });
    await put(`of-${name}`, { to: name }, { rules: [ruleOf('list', name)] });
  }
  start();
  const of = (...names: string[]): JsonObject[] => names.map((name) => ruleOf('list', name));
  const [first, second, third] = [of('c3', 'c2', 'c1'), of('c1', 'c3', 'c2'), of('c2', 'c1', 'c3')];
  await hasRules('c1', ...first);
  await hasRules('c2', ...second);
  await hasRules('c3', ...third);
  const written = api.updates.length;
  expect(written).toBeLessThan(10);
  // What one of them had does not go round.
  api.remove(clusterRoles, '', 'of-c2');
  await hasRules('c1', ...of('c3', 'c1'));
  await hasRules('c2', ...of('c1', 'c3'));
  await hasRules('c3', ...of('c1', 'c3'));
  expect(api.updates.length).toBeLessThan(written + 10);
});

test('a new leader writes nothing before it knows all roles: no rule goes for a while', async () => {
  await put('view', {}, { ...gathering({ matchLabels: { to: 'view' } }), rules: [pods, nodes, jobs] });
  await put('a', { to: 'view' }, { rules: [pods] });
  await put('b', { to: 'view' }, { rules: [nodes] });
  await put('c', { to: 'view' }, { rules: [jobs] });
  start();
  await waitFor('the watch', () => api.isWatched(clusterRoles));
  await put('d', { to: 'view' }, { rules: [ruleOf('get', 'late')] });
  await hasRules('view', pods, nodes, jobs, ruleOf('get', 'late'));
  const written = api.updates.map((role: ApiObject) => (role['rules'] as JsonObject[]).length);
  expect(written).toEqual([4]);
});

test('thousands of selectors over a thousand roles are gone through in short turns', async () => {
  const selectors = Array.from({ length: 3_000 }, (_, i) =>
    parseLabelSelector(`to=team-${String(i)},tier in (a,b)`),
  );
  const role = (name: string): KnownRole => ({
    name,
    labels: { to: name, tier: 'a' },
    rules: Array.from({ length: 30 }, (_, i) => ruleOf('get', `${name}-${String(i)}`)),
    selectors: undefined,
  });
  const all = Array.from({ length: 1_000 }, (_, i) => role(`team-${String(i)}`));
  const gathering = { ...role('all'), selectors };
  let rules: readonly JsonValue[] = [];
  const longest = await leastOfThree(() =>
    longestTurn(
      (async () => {
        rules = await gatheredRules(gathering, all, new Slice());
        expect(await hasSameRules(rules, [...rules], new Slice())).toBe(true);
      })(),
    ),
  );
  expect(rules).toHaveLength(30_000);
  expect(longest).toBeLessThan(cpuBudget(30));
});

test('a role with 20,000 selectors is read in short turns', async () => {
  let round = 0;
  const longest = await leastShareOf(15, async () => {
    round += 1;
    const clusterRoleSelectors = Array.from({ length: 20_000 }, (_, i) => ({
      matchLabels: { [`to-${String(round)}-${String(i)}`]: 'true' },
    }));
    await put('large', {}, { aggregationRule: { clusterRoleSelectors } });
    const object = api.object(clusterRoles, '', 'large')!;
    const slice = new Slice();
    const [turn = 0] = await turnsOf(async () => {
      const { selectors } = await resultOf(knownRole(object), () => slice.breathe());
      expect(selectors).toHaveLength(20_000);
    });
    return turn;
  });
  expect(longest).toBeLessThan(1);
});
