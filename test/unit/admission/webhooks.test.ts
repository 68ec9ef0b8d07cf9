/** Very many webhooks: which of them concern a write, and how they are called. */
import { createMutatingWebhooks } from '../../../src/admission/webhook/mutating-webhooks.ts';
import { createValidatingWebhooks } from '../../../src/admission/webhook/validating-webhooks.ts';
import { laterTurn } from '../../../src/base/cooperate.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { attributesOf, naming, outcomeOf } from '../../support/admission.ts';
import { collection, hook, mutatingCollection, Webhooks } from '../../support/admission-webhooks.ts';
import { realCatalogue } from '../../support/catalogue.ts';
import { cpuBudget, cpuMsOf, leastOfThree, threadCpuMs } from '../../support/cpu-time.ts';
import { longestTurn } from '../../support/storage.ts';

const write = { resource: 'configmaps', object: { data: { a: 'b' } } };

test('ten thousand webhooks about a write hold no turn, and are called some at a time', async () => {
  const webhooks = new Webhooks();
  const plugin = createValidatingWebhooks(webhooks.parts);
  for (let i = 0; i < 100; i += 1)
    webhooks.configure(
      `c${String(i)}`,
      Array.from({ length: 100 }, (_, j) => hook(`h${String(i)}-${String(j)}`)),
    );
  const object = { data: Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${String(i)}`, 'v'])) };
  const attributes = attributesOf({ ...write, object });
  const longest = await leastOfThree(() => {
    webhooks.called.length = 0;
    return longestTurn(laterTurn().then(() => plugin.validate?.(attributes)));
  });
  expect(longest).toBeLessThan(cpuBudget(30));
  expect(webhooks.called.length).toBe(10_000);
  expect(webhooks.mostAtOnce).toBeLessThanOrEqual(64);
}, 60_000);

test('each of twenty thousand webhooks that may change a write costs as much as each of two thousand', async () => {
  const msOfEach = async (count: number): Promise<number> => {
    const webhooks = new Webhooks();
    const plugin = createMutatingWebhooks(webhooks.parts);
    const hooks = Array.from({ length: count }, (_, i) => hook(`h${String(i)}`));
    webhooks.configure('c', hooks, mutatingCollection);
    const attributes = attributesOf(write);
    const started = threadCpuMs();
    expect(await outcomeOf(plugin, attributes)).toBe('');
    const spent = threadCpuMs() - started;
    expect(webhooks.called.length).toBe(count);
    return spent / count;
  };
  const few = await leastOfThree(() => msOfEach(2_000));
  expect((await leastOfThree(() => msOfEach(20_000))) / few).toBeLessThan(2.5);
}, 60_000);

test('ten thousand webhooks about other resources cost a write nothing', async () => {
  const webhooks = new Webhooks();
  const plugins = [createValidatingWebhooks(webhooks.parts), createMutatingWebhooks(webhooks.parts)];
  const rules = (i: number): JsonObject[] => [
    { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: [`r${String(i)}`, 'r/status'] },
  ];
  for (const id of [collection, mutatingCollection])
    for (let i = 0; i < 10_000; i += 1)
      webhooks.configure(`c${String(i)}`, [hook(`h${String(i)}`, { rules: rules(i) })], id);
  const attributes = attributesOf(write);
  for (const plugin of plugins) expect(await outcomeOf(plugin, attributes)).toBe('');
  const rounds = 1_000;
  let concerned = 0;
  const each = cpuMsOf(() => {
    for (let i = 0; i < rounds; i += 1) {
      if (plugins[0]?.validate?.(attributes) !== undefined) concerned += 1;
      for (const { callsWebhooks } of plugins) if (callsWebhooks?.(attributes.scope)) concerned += 1;
    }
  });
  expect(concerned).toBe(0);
  expect(each / rounds).toBeLessThan(cpuBudget(0.05));
});

test('a change of a configuration counts for the very next write', async () => {
  const webhooks = new Webhooks();
  const plugin = createValidatingWebhooks(webhooks.parts);
  const attributes = attributesOf(write);
  expect(plugin.callsWebhooks?.(attributes.scope)).toBe(false);
  webhooks.configure('a', [hook('first')]);
  expect(plugin.callsWebhooks?.(attributes.scope)).toBe(true);
  expect(await outcomeOf(plugin, attributes)).toBe('');
  webhooks.configure('b', [hook('second')]);
  webhooks.refuses = new Set(['second']);
  expect(await outcomeOf(plugin, attributes)).toMatch(/^4\d\d .*second\.example\.com/);
  webhooks.configure('b', []);
  expect(await outcomeOf(plugin, attributes)).toBe('');
  expect(webhooks.called).toEqual(['first', 'first', 'second', 'first']);
});

test('webhooks for all resources and for one are called in the order of their configurations', async () => {
  const webhooks = new Webhooks();
  const plugin = createMutatingWebhooks(webhooks.parts);
  const all = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }];
  webhooks.configure('b', [hook('third', { rules: all }), hook('fourth')], mutatingCollection);
  webhooks.configure('a', [hook('first'), hook('second', { rules: all })], mutatingCollection);
  expect(await outcomeOf(plugin, attributesOf(write))).toBe('');
  expect(webhooks.called).toEqual(['first', 'second', 'third', 'fourth']);
});

test('the catalogue is read once for all webhooks that do not match at once, and again after it changed', async () => {
  const { catalogue } = realCatalogue(naming);
  let reads = 0;
  const counted = (): ReturnType<typeof catalogue.groups> =>
    catalogue.groups().map(({ group, versions }) => ({
      group,
      get versions() {
        reads += 1;
        return versions;
      },
    }));
  let groups = counted();
  const webhooks = new Webhooks({ ...catalogue, groups: () => groups });
  const plugin = createValidatingWebhooks(webhooks.parts);
  const rules = [{ operations: ['*'], apiGroups: ['none'], apiVersions: ['v1'], resources: ['configmaps'] }];
  webhooks.configure(
    'a',
    Array.from({ length: 1_000 }, (_, i) => hook(`h${String(i)}`, { rules, matchPolicy: 'Equivalent' })),
  );
  for (let i = 0; i < 3; i += 1) expect(await outcomeOf(plugin, attributesOf(write))).toBe('');
  expect(reads).toBe(groups.length);
  groups = counted();
  expect(await outcomeOf(plugin, attributesOf(write))).toBe('');
  expect(reads).toBe(2 * groups.length);
  const events = attributesOf({ resource: 'events.orch.io/v1/events', object: {} });
  const older = [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['events'] }];
  webhooks.configure('a', [hook('equivalent', { rules: older, matchPolicy: 'Equivalent' })]);
  expect(await outcomeOf(plugin, events)).toBe('');
  expect(webhooks.called).toEqual(['equivalent']);
  expect(reads).toBe(2 * groups.length);
});

const round = { isReinvocation: false, requestReinvocation: (): void => undefined };

/** A few hundred bytes that make megabytes of objects. */
const doubling = [
  { op: 'add', path: '/data', value: { a: 'x' } },
  ...Array.from({ length: 40 }, (_, i) => ({ op: 'copy', from: '/data', path: `/data/k${String(i)}` })),
];

test.each([
  ['moves', 'admission made the write a large one'],
  [undefined, 'the patch copies more than is allowed'],
] as const)(
  'a patch of a webhook that doubles an object again and again holds no turn where a write %s',
  async (growth, problem) => {
    const webhooks = new Webhooks();
    webhooks.configure('c', [hook('h')], mutatingCollection);
    webhooks.patch = Buffer.from(JSON.stringify(doubling)).toString('base64');
    const plugin = createMutatingWebhooks(webhooks.parts);
    const attributes = attributesOf(write);
    const scope = { ...attributes.scope, ...(growth && { growth }) };
    const admitted = async (): Promise<void> => plugin.admit?.({ ...attributes, scope }, round);
    await expect(admitted()).rejects.toThrow(problem);
    const longest = await leastOfThree(() => longestTurn(admitted().catch(() => undefined)));
    expect(longest).toBeLessThan(cpuBudget(15));
  },
);

test.each(['!!!W10=', 'W10', 'W1-_', 'W10=W10='])(
  'a patch that is no base64 fails the call: %s',
  async (patch) => {
    const webhooks = new Webhooks();
    webhooks.configure('c', [hook('h', { failurePolicy: 'Fail' })], mutatingCollection);
    webhooks.patch = patch;
    const plugin = createMutatingWebhooks(webhooks.parts);
    const admitted = async (): Promise<void> => plugin.admit?.(attributesOf(write), round);
    await expect(admitted()).rejects.toThrow(
      'failed calling webhook "h.example.com": response.patch is not in base64',
    );
  },
);

test.each([
  { allowed: 'true' },
  { uid: 1 },
  { patchType: ['JSONPatch'] },
  { status: 'Failure' },
  { warnings: 'old habits' },
  { warnings: ['old', 1] },
  { auditAnnotations: { why: 1 } },
] satisfies JsonObject[])('an answer of another type fails the call: %j', async (more) => {
  const webhooks = new Webhooks();
  webhooks.configure('c', [hook('h', { failurePolicy: 'Fail' })]);
  webhooks.more = more;
  const validated = async (): Promise<void> =>
    createValidatingWebhooks(webhooks.parts).validate?.(attributesOf(write));
  const [name = ''] = Object.keys(more);
  await expect(validated()).rejects.toThrow(
    `failed calling webhook "h.example.com": response.${name} has a wrong type`,
  );
});

test('null stands for what an answer leaves out', async () => {
  const webhooks = new Webhooks();
  webhooks.configure('c', [hook('h', { failurePolicy: 'Fail' })]);
  webhooks.more = { status: null, patch: null, patchType: null, warnings: null, auditAnnotations: null };
  await createValidatingWebhooks(webhooks.parts).validate?.(attributesOf(write));
  expect(webhooks.called).toEqual(['h']);
});
