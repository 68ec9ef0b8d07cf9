/** Evictions and the disruption budgets that they must honour. */
import { createAdmissionChain } from '../../../src/admission/admission-chain.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { decodeEntry, entryObject } from '../../../src/registry/written-entry.ts';
import type { AdmissionAttributes, ResourceVerbs } from '../../../src/registry/types.ts';
import { scope, startRegistry, statusOf, verbsOver, type TestRegistry } from '../../support/registry.ts';

let registry: TestRegistry;
let verbs: ResourceVerbs;
let namespace = '';
let count = 0;

beforeAll(async () => {
  registry = await startRegistry();
  verbs = registry.verbs;
});
afterAll(() => registry.close());
beforeEach(async () => {
  namespace = `evict-${String(++count)}`;
  await verbs.create(scope('namespaces'), '', { metadata: { name: namespace } });
});

const pods = (options: object = {}): ReturnType<typeof scope> => scope('pods', { namespace, ...options });
const budgets = (options: object = {}): ReturnType<typeof scope> =>
  scope('poddisruptionbudgets', { group: 'policy', namespace, ...options });

async function pod(name: string, status: JsonObject = {}): Promise<void> {
  const spec = { containers: [{ name: 'c', image: 'i' }] };
  await verbs.create(pods(), '', { metadata: { name, labels: { app: 'x' } }, spec });
  const running = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }], ...status };
  await verbs.patch(pods({ subresource: 'status' }), name, (c) => ({ ...c, status: running }));
}

async function budget(
  status: JsonObject,
  selector: JsonObject = { matchLabels: { app: 'x' } },
): Promise<void> {
  await verbs.create(budgets(), '', { metadata: { name: 'b' }, spec: { minAvailable: 1, selector } });
  const all = { observedGeneration: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2, ...status };
  await verbs.patch(budgets({ subresource: 'status' }), 'b', (c) => ({ ...c, status: all }));
}

const evict = (name: string, body: JsonObject = {}, dryRun = false): Promise<unknown> =>
  verbs.act(pods({ subresource: 'eviction', dryRun }), name, 'create', body);

async function exists(name: string): Promise<boolean> {
  return verbs.get(pods(), name, { resourceVersion: '' }).then(
    () => true,
    () => false,
  );
}

async function statusOfBudget(): Promise<JsonObject> {
  return decodeEntry(await verbs.get(budgets(), 'b', { resourceVersion: '' }))['status'] as JsonObject;
}

test('without a budget the pod goes', async () => {
  await pod('p');
  expect(await evict('p')).toMatchObject({ kind: 'Status', status: 'Success' });
  expect(await exists('p')).toBe(false);
  expect((await statusOf(evict('p'))).code).toBe(404);
});

test('a budget is spent, one pod at a time', async () => {
  await pod('p');
  await pod('q');
  await budget({ disruptionsAllowed: 1 });
  await evict('p');
  expect(await exists('p')).toBe(false);
  expect(await statusOfBudget()).toMatchObject({
    disruptionsAllowed: 0,
    disruptedPods: { p: expect.any(String) as string },
  });
  const refused = await statusOf(evict('q'));
  expect(refused.status).toMatchObject({
    code: 429,
    reason: 'TooManyRequests',
    details: {
      causes: [
        {
          reason: 'DisruptionBudget',
          message: 'The disruption budget b needs 1 healthy pods and has 2 currently',
        },
      ],
    },
  });
  expect(await exists('q')).toBe(true);
});

test('the service updates the budget, not the evicting user', async () => {
  await pod('p');
  await budget({ disruptionsAllowed: 1 });
  const told: string[][] = [];
  const note = ({ scope: { resource, user, fieldManager } }: AdmissionAttributes): Promise<void> => {
    told.push([resource.gvr.resource, user.name, fieldManager]);
    return Promise.resolve();
  };
  const admission = createAdmissionChain([{ name: 'Note', validate: note }]);
  const noting = verbsOver(registry.storage, undefined, { admission });
  await noting.act(pods({ subresource: 'eviction' }), 'p', 'create', {});
  expect(told).toEqual([
    ['pods', 'tester', 'test'],
    ['poddisruptionbudgets', 'system:apiserver', 'apiserver'],
  ]);
});

test('many at once spend no more than there is', async () => {
  const names = Array.from({ length: 10 }, (_, i) => `p${String(i)}`);
  await Promise.all(names.map((name) => pod(name)));
  await budget({ disruptionsAllowed: 4 });
  const codes = await Promise.all(
    names.map((name) =>
      evict(name).then(
        () => 201,
        (error: unknown) => (error as { code: number }).code,
      ),
    ),
  );
  expect(codes.filter((c) => c === 201)).toHaveLength(4);
  expect(codes.filter((c) => c === 429)).toHaveLength(6);
  const left = await Promise.all(names.map(exists));
  expect(left.filter(Boolean)).toHaveLength(6);
});

const refusals: { name: string; status: JsonObject; code: number; text: string }[] = [
  { name: 'not looked at yet', status: { observedGeneration: 0 }, code: 429, text: 'disruption budget' },
  {
    ...{ name: 'with too many pods on their way', status: { disruptionsAllowed: 1, disruptedPods: many() } },
    ...{ code: 403, text: 'too many evictions' },
  },
];

function many(): JsonObject {
  const time = '2021-01-01T00:00:00Z';
  return Object.fromEntries(Array.from({ length: 2001 }, (_, i) => [`p${String(i)}`, time]));
}

test.each(refusals)('a budget $name refuses', async ({ status, code, text }) => {
  await pod('p');
  await budget(status);
  const refused = await statusOf(evict('p'));
  expect([refused.code, refused.message]).toEqual([code, expect.stringContaining(text)]);
  expect(await exists('p')).toBe(true);
});

test('two budgets for one pod are not supported', async () => {
  await pod('p');
  await budget({ disruptionsAllowed: 1 });
  const second = { metadata: { name: 'b2' }, spec: { minAvailable: 1, selector: {} } };
  await verbs.create(budgets(), '', second);
  const refused = await statusOf(evict('p'));
  expect([refused.code, refused.message]).toEqual([500, expect.stringContaining('more than one')]);
});

test.each(['Pending', 'Succeeded', 'Failed'])('a pod that is %s needs no budget', async (phase) => {
  await pod('p', { phase });
  await budget({ disruptionsAllowed: 0 });
  await evict('p');
  expect(await exists('p')).toBe(false);
  expect(await statusOfBudget()).toMatchObject({ disruptionsAllowed: 0 });
});

test('a pod that is not ready costs nothing while the others are enough', async () => {
  await pod('p', { conditions: [{ type: 'Ready', status: 'False' }] });
  await budget({ disruptionsAllowed: 0 });
  await evict('p');
  expect(await exists('p')).toBe(false);
});

test('a selector of other pods does not count', async () => {
  await pod('p');
  await budget({ disruptionsAllowed: 0 }, { matchLabels: { app: 'y' } });
  await evict('p');
  expect(await exists('p')).toBe(false);
});

test.each([
  ['in the query', {}, true],
  ['in the body', { deleteOptions: { dryRun: ['All'] } }, false],
])('a dry run %s changes neither', async (_where, body, dryRun) => {
  await pod('p');
  await budget({ disruptionsAllowed: 1 });
  await evict('p', body, dryRun);
  expect(await exists('p')).toBe(true);
  expect(await statusOfBudget()).toMatchObject({ disruptionsAllowed: 1 });
});

test.each([
  ['uid', { uid: 'another' }],
  ['resourceVersion', { resourceVersion: '1' }],
])('a precondition on %s that fails spends nothing', async (_what, preconditions) => {
  await pod('p');
  await budget({ disruptionsAllowed: 1 });
  const refused = await statusOf(evict('p', { deleteOptions: { preconditions } }));
  expect([refused.code, refused.message]).toEqual([409, expect.stringContaining('Precondition failed')]);
  expect(await exists('p')).toBe(true);
  const after = await statusOfBudget();
  expect([after['disruptionsAllowed'], after['disruptedPods']]).toEqual([1, undefined]);
});

test('preconditions that hold are no hindrance', async () => {
  await pod('p');
  await budget({ disruptionsAllowed: 1 });
  const { metadata } = entryObject(await verbs.get(pods(), 'p', { resourceVersion: '' }));
  const { uid = '', resourceVersion = '' } = metadata;
  await evict('p', { deleteOptions: { preconditions: { uid, resourceVersion } } });
  expect(await exists('p')).toBe(false);
  expect(await statusOfBudget()).toMatchObject({ disruptionsAllowed: 0 });
});

test.each([
  [{ metadata: { name: 'other' } }, 400],
  [{ kind: 'Pod' }, 400],
  [{ deleteOptions: { gracePeriodSeconds: 'x' } }, 400],
  [{ deleteOptions: { propagationPolicy: 'Never' } }, 422],
  [{ deleteOptions: { propagationPolicy: 'Orphan', orphanDependents: true } }, 422],
  [{ deleteOptions: { dryRun: ['Some'] } }, 422],
  [{ deleteOptions: { dryRun: [''] } }, 422],
  [{ deleteOptions: { preconditions: { uid: 'other' } } }, 409],
])('%j is a %d', async (body, code) => {
  await pod('p');
  expect((await statusOf(evict('p', body))).code).toBe(code);
  expect(await exists('p')).toBe(true);
});
