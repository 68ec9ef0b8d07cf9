/** ImagePolicyWebhook: what is asked, how long an answer counts, and what its absence means. */
import {
  createImagePolicyWebhook,
  type ImagePolicyConfig,
} from '../../../src/admission/image-policy-webhook.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { attributesOf, naming, outcomeOf, type Write } from '../../support/admission.ts';

const asked: JsonObject[] = [];
let answer: JsonObject | Error = {};
beforeEach(() => {
  asked.length = 0;
});

const usual = { allowedTtlMs: 60_000, deniedTtlMs: 60_000, allowsOnFailure: false };

function pluginWith(config: Partial<ImagePolicyConfig> = {}): ReturnType<typeof createImagePolicyWebhook> {
  return createImagePolicyWebhook({
    config: { ...usual, ...config },
    naming,
    sendReview: (review) => {
      asked.push(review);
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
  });
}

const write = (more: Partial<Write> = {}): Write => ({
  resource: 'pods',
  object: {
    metadata: { annotations: { 'x.image-policy.orch.io/ticket': '7', other: 'secret' } },
    spec: { containers: [{ image: 'a' }], initContainers: [{ image: 'b' }] },
  },
  ...more,
});

/** The outcome of a pod, and the audit annotations. */
async function judged(
  plugin: ReturnType<typeof pluginWith>,
  sent = write(),
): Promise<readonly [string, Record<string, string>]> {
  const attributes = attributesOf(sent);
  const notes: Record<string, string> = {};
  const annotate = (key: string, value: string): void => {
    notes[key] = value;
  };
  const scope = { ...attributes.scope, annotate };
  return [await outcomeOf(plugin, { ...attributes, scope }), notes];
}

test('the webhook hears of images and of annotations that are for it', async () => {
  answer = { status: { allowed: true, auditAnnotations: { checked: 'yes' } } };
  expect(await judged(pluginWith())).toEqual([
    '',
    { 'imagepolicywebhook.image-policy.orch.io/checked': 'yes' },
  ]);
  expect(asked).toEqual([
    {
      apiVersion: 'imagepolicy.orch.io/v1alpha1',
      kind: 'ImageReview',
      spec: {
        containers: [{ image: 'a' }, { image: 'b' }],
        annotations: { 'x.image-policy.orch.io/ticket': '7' },
        namespace: 'web',
      },
    },
  ]);
});

test.each<readonly [string, JsonObject | Error, string]>([
  [
    'a reason',
    { status: { allowed: false, reason: 'unsigned' } },
    '403 image policy webhook backend denied one or more images: unsigned',
  ],
  ['no reason', { status: {} }, '403 one or more images rejected by webhook backend'],
  ['no status', {}, '403 the image policy webhook answered without a status'],
  ['no answer', new Error('away'), '403 away'],
])('refused with %s', async (_what, given, outcome) => {
  answer = given;
  expect((await judged(pluginWith()))[0]).toBe(outcome);
});

test.each([{ kind: 'Lie' }, { apiVersion: 'imagepolicy.orch.io/v9' }, { kind: null }])(
  'an answer of another kind (%j) is none, whatever it says',
  async (head) => {
    answer = { apiVersion: 'imagepolicy.orch.io/v1alpha1', kind: 'ImageReview', status: { allowed: true } };
    expect((await judged(pluginWith()))[0]).toBe('');
    answer = { ...answer, ...head };
    const [outcome] = await judged(pluginWith());
    expect(outcome).toMatch(/^403 .* something else than an ImageReview of imagepolicy.orch.io\/v1alpha1$/);
    expect(await judged(pluginWith({ allowsOnFailure: true }))).toEqual([
      '',
      { 'imagepolicywebhook.image-policy.orch.io/failed-open': 'true' },
    ]);
  },
);

test.each<JsonObject>([
  { allowed: 'true' },
  { allowed: true, reason: [] },
  { allowed: true, auditAnnotations: 'checked' },
  { allowed: true, auditAnnotations: { checked: 5 } },
])('an answer of other types is none: %j', async (status) => {
  answer = { status };
  expect((await judged(pluginWith()))[0]).toMatch(/^403 status\.\w+ has a wrong type$/);
});

test('answers are cached as long as the configuration says, failures are not', async () => {
  const plugin = pluginWith({ deniedTtlMs: 0 });
  answer = new Error('away');
  expect((await judged(plugin))[0]).toBe('403 away');
  answer = { status: { allowed: false } };
  await judged(plugin);
  answer = { status: { allowed: true } };
  expect((await judged(plugin))[0]).toBe('');
  expect(asked).toHaveLength(3);
  answer = new Error('away');
  expect((await judged(plugin))[0]).toBe('');
  expect((await judged(plugin, write({ namespace: 'api' })))[0]).toBe('403 away');
  expect(asked).toHaveLength(4);
});

test('where the configuration says so, pods pass without an answer, and the audit log tells', async () => {
  answer = new Error('away');
  expect(await judged(pluginWith({ allowsOnFailure: true }))).toEqual([
    '',
    { 'imagepolicywebhook.image-policy.orch.io/failed-open': 'true' },
  ]);
});

test('nothing but pods is asked about', async () => {
  answer = new Error('away');
  const plugin = pluginWith();
  for (const other of [
    { resource: 'pods/status' },
    { resource: 'configmaps' },
    { operation: 'DELETE' },
  ] as const)
    expect((await judged(plugin, write(other)))[0]).toBe('');
  expect(asked).toEqual([]);
});

test('what is said at length is cut, or refused: thousands of answers are cached', async () => {
  answer = { status: { allowed: false, reason: 'x'.repeat(1_000_000) } };
  const [problem] = await judged(pluginWith());
  expect(problem).toContain('denied one or more images: xxx');
  expect(problem.length).toBeLessThan(2_200);

  const texts = Array.from({ length: 17 }, (_, i) => [`key-${String(i)}`, 'x'.repeat(1_000)]);
  answer = { status: { allowed: true, auditAnnotations: Object.fromEntries(texts) as JsonObject } };
  expect(await judged(pluginWith())).toEqual([
    expect.stringContaining(
      'the audit annotations of the image policy webhook have more than 16000 characters',
    ),
    {},
  ]);
  answer = { status: { allowed: true, auditAnnotations: Object.fromEntries(texts.slice(2)) as JsonObject } };
  const [outcome, notes] = await judged(pluginWith());
  expect(outcome).toBe('');
  expect(Object.keys(notes)).toHaveLength(15);
});
