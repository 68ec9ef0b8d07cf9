import type { AuthenticationResult, Authenticator } from '../../../src/authn/types.ts';
import { createRequestAuthenticator } from '../../../src/authn/union-authenticator.ts';
import { requestWith } from '../../support/authn-requests.ts';

const ann = { name: 'ann', uid: '1', groups: ['devs'], extra: {} };
const accepts: Authenticator = answering({ outcome: 'authenticated', user: ann, authenticator: 'a' });
const rejects: Authenticator = answering({ outcome: 'rejected', authenticator: 'r', reason: 'wrong' });
const ignores: Authenticator = answering(undefined);
const breaks: Authenticator = { authenticate: () => Promise.reject(new Error('away')) };

function answering(result: AuthenticationResult | undefined): Authenticator {
  return { authenticate: () => Promise.resolve(result) };
}

const withToken = requestWith({ headers: { authorization: 'Bearer x' }, bearerToken: 'x' });
const without = requestWith({});

const cases = [
  { name: 'the first success counts', members: [ignores, accepts, rejects], request: withToken, want: 'ann' },
  {
    name: 'a rejection does not stop the next',
    members: [rejects, accepts],
    request: withToken,
    want: 'ann',
  },
  {
    name: 'a broken one does not stop the next',
    members: [breaks, accepts],
    request: withToken,
    want: 'ann',
  },
  {
    name: 'rejected by one, unknown to others',
    members: [ignores, rejects],
    request: withToken,
    want: 'rejected',
  },
  { name: 'only a broken one', members: [breaks], request: withToken, want: 'rejected' },
  { name: 'credentials that nobody knows', members: [ignores], request: withToken, want: 'rejected' },
  {
    name: 'a scheme that nobody reads',
    members: [],
    request: requestWith({ headers: { authorization: 'Basic YQ==' } }),
    want: 'rejected',
  },
  { name: 'no credentials', members: [ignores], request: without, want: 'system:anonymous' },
];

test.each(cases)('$name: $want', async ({ members, request, want }) => {
  const result = await createRequestAuthenticator({
    authenticators: members,
    allowsAnonymous: () => true,
  }).authenticate(request);
  expect(result?.outcome === 'authenticated' ? result.user.name : result?.outcome).toBe(want);
});

test('what could not decide is heard, and no other rejection', async () => {
  const heard: string[] = [];
  const authenticator = createRequestAuthenticator({
    authenticators: [rejects, breaks, ignores, accepts],
    allowsAnonymous: () => true,
    onUndecided: (reason) => heard.push(reason),
  });
  expect(await authenticator.authenticate(withToken)).toMatchObject({ outcome: 'authenticated' });
  expect(heard).toEqual(['away']);
});

test('an authenticated user is in the group of all of them, once', async () => {
  const authenticator = createRequestAuthenticator({
    authenticators: [accepts],
    allowsAnonymous: () => true,
  });
  const first = await authenticator.authenticate(withToken);
  expect(first).toMatchObject({ user: { groups: ['devs', 'system:authenticated'] } });
  const second = await authenticator.authenticate(withToken);
  expect(second).toEqual(first);
});

test('an anonymous request is in the group of the unauthenticated only', async () => {
  const result = await createRequestAuthenticator({
    authenticators: [],
    allowsAnonymous: () => true,
  }).authenticate(without);
  expect(result).toMatchObject({ user: { groups: ['system:unauthenticated'] }, authenticator: 'anonymous' });
});

test('where anonymous requests are off, no credentials are no user', async () => {
  const result = await createRequestAuthenticator({
    authenticators: [ignores],
    allowsAnonymous: () => false,
  }).authenticate(without);
  expect(result).toBeUndefined();
});

test('an unknown token that came in no header is no anonymous request', async () => {
  const authenticator = createRequestAuthenticator({
    authenticators: [ignores],
    allowsAnonymous: () => true,
  });
  const result = await authenticator.authenticate(requestWith({ bearerToken: 'x' }));
  expect(result?.outcome).toBe('rejected');
});

describe('audiences', () => {
  const ask = (member: Authenticator, audiences?: readonly string[]): unknown =>
    createRequestAuthenticator({
      authenticators: [member],
      allowsAnonymous: () => true,
      audiences: ['api', 'api2'],
    }).authenticate({ ...withToken, ...(audiences && { audiences }) });

  test('what says nothing of audiences is meant for the service itself', async () => {
    expect(await ask(accepts, ['x', 'api'])).toMatchObject({ audiences: ['api'] });
    expect(await ask(accepts, ['x'])).toMatchObject({ outcome: 'rejected' });
    expect(await ask(accepts)).not.toHaveProperty('audiences');
  });

  test('what says it is believed', async () => {
    const told = answering({
      ...{ outcome: 'authenticated', user: ann, authenticator: 'a' },
      audiences: ['x'],
    });
    expect(await ask(told, ['x', 'api'])).toMatchObject({ audiences: ['x'] });
  });
});
