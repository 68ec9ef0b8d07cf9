import {
  createBootstrapTokenAuthenticator,
  type BootstrapSecret,
} from '../../../src/authn/bootstrap-token.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { requestWith } from '../../support/authn-requests.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const token = 'abc123.0123456789abcdef';
const good = {
  'token-id': 'abc123',
  'token-secret': '0123456789abcdef',
  'usage-bootstrap-authentication': 'true',
};

interface Case {
  readonly data?: Record<string, string>;
  readonly type?: string;
  readonly isDeleted?: boolean;
  readonly token?: string;
}

async function ask(part: Case): Promise<unknown> {
  const { data = {}, type = 'bootstrap.orch.io/token', isDeleted = false } = part;
  const secret: BootstrapSecret = { type, isDeleted, data: new Map(Object.entries({ ...good, ...data })) };
  const authenticator = createBootstrapTokenAuthenticator({
    naming: namingProfiles.orch,
    secrets: {
      seen: () => undefined,
      read: (name) => Promise.resolve(name === 'bootstrap-token-abc123' ? secret : undefined),
    },
    clock: { now: () => now, monotonic: () => 0 },
  });
  const result = await authenticator.authenticate(requestWith({ bearerToken: part.token ?? token }));
  return result?.outcome === 'authenticated' ? result.user : result?.reason.replace('bootstrap token: ', '');
}

test('a token stands for its id', async () => {
  const user = { name: 'system:bootstrap:abc123', uid: '', groups: ['system:bootstrappers'], extra: {} };
  expect(await ask({})).toEqual(user);
  expect(await ask({ data: { expiration: '2026-01-01T00:00:01Z' } })).toEqual(user);
});

test('groups may be added', async () => {
  const data = { 'auth-extra-groups': 'system:bootstrappers:nodes,system:bootstrappers:nodes' };
  expect(await ask({ data })).toMatchObject({
    groups: ['system:bootstrappers', 'system:bootstrappers:nodes'],
  });
});

test.each<[string, Case, string]>([
  ['another secret', { token: 'abc123.0123456789abcdeg' }, 'unknown'],
  ['another id', { token: 'abc124.0123456789abcdef' }, 'unknown'],
  ['a Secret of another type', { type: 'Opaque' }, 'unknown'],
  ['a Secret that is being deleted', { isDeleted: true }, 'unknown'],
  ['a Secret of another id', { data: { 'token-id': 'zzz999' } }, 'its Secret is of another id'],
  ['an expired token', { data: { expiration: '2026-01-01T00:00:00Z' } }, 'expired'],
  ['an end that cannot be read', { data: { expiration: 'soon' } }, 'expired'],
  ['an end that is only a year', { data: { expiration: '2099' } }, 'expired'],
  ['an end as people write it', { data: { expiration: 'Jan 1 2099' } }, 'expired'],
  ['an end without a zone', { data: { expiration: '2099-01-01T00:00:00' } }, 'expired'],
  ['a token for signing', { data: { 'usage-bootstrap-authentication': 'yes' } }, 'not for authentication'],
  [
    'a group of others',
    { data: { 'auth-extra-groups': 'system:masters' } },
    'groups that a token may not give',
  ],
])('%s is rejected', async (_name, part, problem) => {
  expect(await ask(part)).toBe(problem);
});

test.each(['', 'abc123', 'ABC123.0123456789abcdef', 'abc123.0123456789abcdef0', ' abc123.0123456789abcdef'])(
  '%j is not its matter',
  async (text) => {
    expect(await ask({ token: text })).toBeUndefined();
  },
);
