/**
 * Unknown and wrong credentials take the same time. Times of both are taken in turns, in random order, and compared by
 * rank: how often one of the first kind takes longer than one of the second is a half where they are alike, whatever else
 * the machine does meanwhile. With so many samples chance alone moves it by 0.02; the bound is ten times that.
 */
import { createHmac } from 'node:crypto';
import { packAccounts } from '../../../src/authn/packed-accounts.ts';
import { BasicAuthenticator, parsePasswordFile } from '../../../src/authn/basic.ts';
import { createBootstrapTokenAuthenticator } from '../../../src/authn/bootstrap-token.ts';
import { parseTokenFile, TokenFileAuthenticator } from '../../../src/authn/token-file.ts';
import type { AuthenticationResult, Authenticator } from '../../../src/authn/types.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { requestWith } from '../../support/authn-requests.ts';

const samples = 400;
const callsEach = 20;
const bound = 0.2;

type Ask = () => unknown;

/** Microseconds of some calls. */
async function timeOf(ask: Ask): Promise<number> {
  const before = performance.now();
  for (let i = 0; i < callsEach; i++) await ask();
  return performance.now() - before;
}

/** The share of pairs in which the first takes longer than the second. */
async function shareOfLonger(first: Ask, second: Ask): Promise<number> {
  const times: [number[], number[]] = [[], []];
  for (let i = 0; i < 50; i++) await Promise.all([timeOf(first), timeOf(second)]);
  for (let i = 0; i < samples; i++) {
    const turns = Math.random() < 0.5 ? ([0, 1] as const) : ([1, 0] as const);
    for (const turn of turns) times[turn].push(await timeOf(turn === 0 ? first : second));
  }
  const [ones, others] = times;
  const longer = ones.map((one) => others.filter((other) => one > other).length);
  return longer.reduce((a, b) => a + b, 0) / samples ** 2;
}

const basicOf = (name: string, word: string) => () => ({ authorization: `Basic ${btoa(`${name}:${word}`)}` });
const users = Array.from(
  { length: 200 },
  (_, i) => `password-${String(i)},user-${String(i)},${String(i)}`,
).join('\n');
const basic = new BasicAuthenticator(packAccounts(parsePasswordFile(users)));
const files = new TokenFileAuthenticator(packAccounts(parseTokenFile(users)));
const secret = {
  type: 'bootstrap.orch.io/token',
  isDeleted: false,
  data: new Map([
    ['token-id', 'abc123'],
    ['token-secret', '0123456789abcdef'],
  ]),
};
const bootstrap = createBootstrapTokenAuthenticator({
  clock: systemClock,
  naming: namingProfiles.orch,
  secrets: {
    seen: (name) => ({ secret: name === 'bootstrap-token-abc123' ? secret : undefined }),
    read: () => Promise.resolve(secret),
  },
});

function askBasic(authenticator: Authenticator, headers: () => Record<string, string>): Ask {
  return () => authenticator.authenticate(requestWith({ headers: headers() }));
}

function askToken(authenticator: Authenticator, bearerToken: string): Ask {
  return () => authenticator.authenticate(requestWith({ bearerToken }));
}

const pairs: [string, Ask, Ask][] = [
  [
    'names that are unknown and passwords that are wrong',
    askBasic(basic, basicOf('nobody-7', 'password-7')),
    askBasic(basic, basicOf('user-7', 'password-x')),
  ],
  [
    'ids of bootstrap tokens that are unknown and secrets that are wrong',
    askToken(bootstrap, 'abc124.0123456789abcdee'),
    askToken(bootstrap, 'abc123.0123456789abcdee'),
  ],
  [
    'secrets of bootstrap tokens that are wrong from the start and at the end',
    askToken(bootstrap, 'abc123.x123456789abcdef'),
    askToken(bootstrap, 'abc123.0123456789abcdee'),
  ],
  [
    'tokens that are like none and like one',
    askToken(files, 'xxxxxxxx-199'),
    askToken(files, 'password-19x'),
  ],
];

test.each(pairs)('%s', async (_what, first, second) => {
  const share = await shareOfLonger(first, second);
  expect(Math.abs(share - 0.5)).toBeLessThan(bound);
});

test('the same bound finds one that looks the name up first', async () => {
  const digest = (word: string): string => createHmac('sha256', 'k').update(word).digest('hex');
  const known = new Map([['user-7', digest('password-7')]]);
  const hasty = {
    authenticate: ({ headers }: { headers: Record<string, unknown> }): AuthenticationResult | undefined => {
      const [name = '', word = ''] = atob(String(headers['authorization']).slice(6)).split(':');
      const wanted = known.get(name);
      if (wanted === undefined || wanted !== digest(word)) return undefined;
      return { outcome: 'authenticated', user: { name, uid: '', groups: [], extra: {} }, authenticator: 'x' };
    },
  } as unknown as Authenticator;
  const share = await shareOfLonger(
    askBasic(hasty, basicOf('nobody-7', 'password-7')),
    askBasic(hasty, basicOf('user-7', 'password-x')),
  );
  expect(Math.abs(share - 0.5)).toBeGreaterThan(bound);
});
