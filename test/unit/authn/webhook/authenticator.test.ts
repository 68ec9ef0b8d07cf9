import { createWebhookTokenAuthenticator } from '../../../../src/authn/webhook/webhook-authenticator.ts';
import type { AuthenticationResult } from '../../../../src/authn/types.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import type { JsonObject } from '../../../../src/base/json.ts';
import { requestWith } from '../../../support/authn-requests.ts';

const apiVersion = 'authentication.orch.io/v1beta1';
const ann = { username: 'ann', uid: '7', groups: ['devs', 'devs'], extra: { team: ['a', 'b'] } };
const accepted = { authenticated: true, user: ann };

/** An authenticator whose webhook answers with these statuses in turn, the last one again and again. */
function world(...statuses: (JsonObject | Error | 'never')[]) {
  const reviews: JsonObject[] = [];
  let now = 0;
  const authenticator = createWebhookTokenAuthenticator({
    sendReview: (review) => {
      const status = statuses[Math.min(reviews.length, statuses.length - 1)];
      reviews.push(review);
      if (status === 'never') return new Promise<JsonObject>(() => undefined);
      if (status instanceof Error) return Promise.reject(status);
      return Promise.resolve({ kind: 'TokenReview', apiVersion, ...(status && { status }) });
    },
    ...{ apiVersion, writesZeroTime: true, audiences: ['api'], cacheMs: 1000, clock: systemClock },
    clock: { now: () => 0, monotonic: () => now },
  });
  return {
    reviews,
    pass: (ms: number) => (now += ms),
    ask: async (token = 'tok', audiences?: string[]): Promise<AuthenticationResult | undefined> =>
      authenticator.authenticate(requestWith({ bearerToken: token, ...(audiences && { audiences }) })),
  };
}

test('a review is sent, and its user is believed', async () => {
  const { ask, reviews } = world(accepted);
  expect(await ask()).toEqual({
    outcome: 'authenticated',
    user: { name: 'ann', uid: '7', groups: ['devs'], extra: { team: ['a', 'b'] } },
    authenticator: 'webhook',
  });
  expect(reviews).toEqual([
    {
      kind: 'TokenReview',
      apiVersion,
      metadata: { creationTimestamp: null },
      spec: { token: 'tok', audiences: ['api'] },
    },
  ]);
});

test('decisions of either kind hold for a while', async () => {
  const { ask, reviews, pass } = world(accepted, { authenticated: false }, accepted);
  for (const _time of [1, 2]) expect(await ask()).toMatchObject({ outcome: 'authenticated' });
  for (const _time of [1, 2]) expect(await ask('other')).toBeUndefined();
  expect(reviews).toHaveLength(2);
  pass(1000);
  expect(await ask()).toMatchObject({ outcome: 'authenticated' });
  expect(reviews).toHaveLength(3);
});

test('a failure decides nothing and is not remembered', async () => {
  const { ask, reviews } = world(new Error('away'), {}, accepted);
  await expect(ask()).rejects.toThrow('away');
  expect(await ask()).toBeUndefined();
  expect(await ask('second')).toMatchObject({ outcome: 'authenticated' });
  expect(reviews).toHaveLength(3);
});

test('requests at once share a question', async () => {
  const { ask, reviews } = world(accepted);
  const answers = await Promise.all([ask(), ask(), ask('other'), ask('tok', ['x'])]);
  expect(answers.map((a) => a?.outcome)).toEqual(Array(4).fill('authenticated'));
  expect(reviews).toHaveLength(3);
});

test('no more than a thousand questions wait', async () => {
  const { ask } = world('never');
  for (let i = 0; i < 1000; i += 1) void ask(`t${String(i)}`);
  await expect(ask('one more')).rejects.toThrow('too many token reviews');
});

test.each([
  ['another kind', { kind: 'Status', apiVersion, status: accepted }],
  ['another version', { kind: 'TokenReview', apiVersion: 'x/v1', status: accepted }],
  ['no status', { kind: 'TokenReview', apiVersion }],
  ['no user', { kind: 'TokenReview', apiVersion, status: { authenticated: true } }],
])('an answer with %s is a failure', async (_what, answer) => {
  const authenticator = createWebhookTokenAuthenticator({
    sendReview: () => Promise.resolve(answer),
    ...{ apiVersion, writesZeroTime: true, audiences: ['api'], cacheMs: 1000, clock: systemClock },
  });
  await expect(authenticator.authenticate(requestWith({ bearerToken: 't' }))).rejects.toThrow('the answer');
});

test.each<JsonObject>([
  { ...accepted, audiences: 'other' },
  { ...accepted, audiences: [5] },
  { ...accepted, error: 5 },
  ...['true', 1, {}].map((authenticated) => ({ authenticated, user: ann })),
  { authenticated: true, user: 'ann' },
  { authenticated: true, user: { ...ann, username: 5 } },
  { authenticated: true, user: { ...ann, uid: 5 } },
  { authenticated: true, user: { ...ann, groups: 'devs' } },
  { authenticated: true, user: { ...ann, groups: ['devs', 5] } },
  { authenticated: true, user: { ...ann, extra: [] } },
  { authenticated: true, user: { ...ann, extra: { team: 'a' } } },
])('an answer of other types is none: %j', async (status) => {
  await expect(world(status).ask()).rejects.toThrow('has a wrong type');
});

test('only true accepts', async () => {
  for (const authenticated of [false, null])
    expect(await world({ authenticated, user: ann }).ask()).toBeUndefined();
});

test('audiences of the answer count', async () => {
  const { ask } = world({ ...accepted, audiences: ['x', 'y'] });
  expect(await ask('a', ['y', 'z'])).toMatchObject({ audiences: ['y'] });
  expect(await ask('b')).toMatchObject({ outcome: 'rejected' });
});

test('the error of the webhook is reported without the token', async () => {
  const { ask } = world({ authenticated: false, error: 'bad token s3cret' });
  expect(await ask('s3cret')).toMatchObject({ outcome: 'rejected', reason: 'token webhook: bad token …' });
});

test('what the webhook complains of is remembered shortly', async () => {
  const { ask } = world({ authenticated: false, error: 'x'.repeat(1_000_000) });
  const answer = await ask();
  expect(answer).toMatchObject({ outcome: 'rejected' });
  expect(JSON.stringify(answer).length).toBeLessThan(1_000);
});

test('a failure is reported without the token', async () => {
  const { ask } = world(new Error('500: bad token s3cret'));
  await expect(ask('s3cret')).rejects.toThrow('500: bad token …');
});

test('no token is not its matter', async () => {
  const { ask, reviews } = world(accepted);
  expect(await ask('')).toBeUndefined();
  expect(reviews).toEqual([]);
});

test('large users are cached as long as all together are of bounded size', async () => {
  const groups = Array.from({ length: 4_000 }, (_, i) => `${'x'.repeat(55)}-${String(i)}`);
  const { ask, reviews } = world({ authenticated: true, user: { username: 'ann', groups } });
  const tokens = Array.from({ length: 200 }, (_, i) => `token-${String(i)}`);
  for (const token of tokens) await ask(token);
  expect(reviews).toHaveLength(200);
  await ask('token-199');
  expect(reviews).toHaveLength(200);
  await ask('token-0');
  expect(reviews).toHaveLength(201);
});

describe('a user whom the webhook gives more than a user may have is not believed', () => {
  const many = (count: number): string[] => Array.from({ length: count }, (_, i) => String(i));
  const long = 'x'.repeat(300_000);

  test.each<[string, JsonObject]>([
    ['groups', { groups: many(5_001) }],
    ['keys of extra', { extra: Object.fromEntries(many(5_001).map((key) => [key, null])) }],
    ['values of extra', { extra: { team: many(2_600), unit: many(2_600) } }],
    ['a long name', { username: long }],
    ['a long group', { groups: [long] }],
    ['a long key of extra', { extra: { [long]: ['a'] } }],
  ])('%s', async (_what, more) => {
    const { ask } = world({ authenticated: true, user: { ...ann, ...more } });
    await expect(ask()).rejects.toThrow(/^the answer gives the user .{20,100}$/);
  });

  test('thousands of groups are no more than that', async () => {
    const { ask } = world({ authenticated: true, user: { ...ann, groups: many(4_900) } });
    expect(await ask()).toMatchObject({ outcome: 'authenticated', user: { groups: many(4_900) } });
  });
});

test.each([true, false])('a review says that it has no time of creation: %s', async (writesZeroTime) => {
  const reviews: JsonObject[] = [];
  const authenticator = createWebhookTokenAuthenticator({
    sendReview: (review) => {
      reviews.push(review);
      return Promise.resolve({ kind: 'TokenReview', apiVersion, status: accepted });
    },
    ...{ apiVersion, writesZeroTime, audiences: ['api'], cacheMs: 0, clock: systemClock },
  });
  await authenticator.authenticate(requestWith({ bearerToken: 't' }));
  expect(reviews[0]?.['metadata']).toEqual(writesZeroTime ? { creationTimestamp: null } : {});
});
