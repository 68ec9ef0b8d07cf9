/** Long expressions of three hundred writes that come in one turn of the event loop do not follow each other in it. */
import type { AdmissionPlugin } from '../../../src/admission/admission-chain.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { attributesOf } from '../../support/admission.ts';
import { hook, pluginWith } from '../../support/admission-webhooks.ts';
import { judgedBy, mutatedBy, put, type Surroundings } from '../../support/admission-policies.ts';
import { countedTurns } from '../../support/counted-turns.ts';
import { apply, objects, patch } from '../../support/mutations.ts';

const size = 300;
/** Asks an authorizer of the test, for which the evaluation takes long. */
const long = "authorizer.path('/long').check('get').allowed()";
/** Longer than all evaluations may take together in a turn. */
const evaluationMs = 4;

/** Time goes by in evaluations alone, so that all that look at the time before the first of them find some left. */
const turns = countedTurns();

const decide: NonNullable<Surroundings['decide']> = () => {
  turns.step(evaluationMs);
  return { isAllowed: true, reason: '' };
};

const round = { isReinvocation: false, requestReinvocation: () => undefined };

/** The most evaluations that one turn had. */
async function mostOf({ admit, validate }: AdmissionPlugin): Promise<number> {
  const write = async (): Promise<void> => {
    const attributes = attributesOf({ resource: 'configmaps', object: { data: { a: 'b' } } });
    await admit?.(attributes, { ...round });
    await validate?.(attributes);
  };
  const outcomes = await Promise.allSettled(Array.from({ length: size }, write));
  expect(outcomes).toHaveLength(size);
  return turns.most();
}

/** One that comes, and one that waited for its turn. */
const most = 2;

const conditions = [{ name: 'c', expression: `!${long}` }];

test.each<[string, JsonObject]>([
  ['conditions', { matchConditions: conditions, validations: [{ expression: 'true' }] }],
  ['validations', { validations: [{ expression: long }] }],
  [
    'variables',
    { variables: [{ name: 'v', expression: long }], validations: [{ expression: 'variables.v' }] },
  ],
  ['annotations', { auditAnnotations: [{ key: 'a', valueExpression: `${long} ? 'a' : 'b'` }] }],
])('%s of validating policies', async (_what, policy) => {
  const { plugin, index } = judgedBy(objects, { decide });
  put(index, policy, { validationActions: ['Audit'] });
  expect(await mostOf(plugin)).toBeLessThanOrEqual(most);
});

test.each<[string, JsonObject]>([
  ['conditions', { matchConditions: conditions, mutations: [apply('Object{}')] }],
  ['configurations', { mutations: [apply(`${long} ? Object{} : Object{}`)] }],
  ['patches', { mutations: [patch(`[JSONPatch{op: 'add', path: '/data/a', value: ${long} ? 'c' : 'd'}]`)] }],
])('%s of mutating policies', async (_what, policy) => {
  const { plugin, index } = mutatedBy({ objects, decide });
  put(index, { reinvocationPolicy: 'Never', ...policy });
  expect(await mostOf(plugin)).toBeLessThanOrEqual(most);
});

test.each(['validating', 'mutating'] as const)('conditions of %s webhooks', async (kind) => {
  const plugin = pluginWith(kind, { ...hook('a'), matchConditions: conditions }, { access: { decide } });
  expect(await mostOf(plugin)).toBeLessThanOrEqual(most);
});

test('evaluations that are repeated once answers are known, which come in one turn', async () => {
  const waiting: (() => void)[] = [];
  const { plugin, index } = judgedBy(objects, {
    decide: (user, question) => {
      if (!('path' in question) || question.path === '/long') return decide(user, question);
      return new Promise((resolve) => {
        waiting.push(() => resolve({ isAllowed: true, reason: '' }));
        if (waiting.length === size) for (const answer of waiting) answer();
      });
    },
  });
  put(index, { validations: [{ expression: `authorizer.path('/late').check('get').allowed() && ${long}` }] });
  expect(await mostOf(plugin)).toBeLessThanOrEqual(most);
});
