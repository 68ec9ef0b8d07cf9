import { packAccounts } from '../../../src/authn/packed-accounts.ts';
import { parseTokenFile, TokenFileAuthenticator } from '../../../src/authn/token-file.ts';
import { FileError } from '../../../src/base/file-error.ts';
import { requestWith } from '../../support/authn-requests.ts';
import { cpuBudget, leastOfThree } from '../../support/cpu-time.ts';
import { turnsOf } from '../../support/turns.ts';

function userOf(text: string, bearerToken: string): unknown {
  const result = new TokenFileAuthenticator(packAccounts(parseTokenFile(text))).authenticate(
    requestWith({ bearerToken }),
  );
  return result?.outcome === 'authenticated' ? result.user : result;
}

function errorsOf(text: string): readonly string[] {
  try {
    parseTokenFile(text);
  } catch (error) {
    if (error instanceof FileError) return error.errors;
    throw error;
  }
  return [];
}

const file = 't0ken,ann,7\nother,bob,8,"devs,ops, devs"\nthird,cyd,,solo\n';

test('a token gives its user', () => {
  expect(userOf(file, 't0ken')).toEqual({ name: 'ann', uid: '7', groups: [], extra: {} });
});

test('several groups are quoted, a single one need not be', () => {
  expect(userOf(file, 'other')).toMatchObject({ name: 'bob', groups: ['devs', 'ops'] });
  expect(userOf(file, 'third')).toMatchObject({ name: 'cyd', uid: '', groups: ['solo'] });
});

test('an unknown token and no token are left to others', () => {
  expect(userOf(file, 't0ke')).toBeUndefined();
  expect(userOf(file, '')).toBeUndefined();
});

test('all errors in a file are reported together, with lines and without tokens', () => {
  const errors = errorsOf(
    'secret1,ann\nsecret2,,9\n,eve,1\nsecret4,dan,1,a,b\nsecret4,dan,1\nse cret,x,1\nsecret5,"y\n',
  );
  expect(errors).toEqual([
    'line 1: needs at least three columns: token, user name, user uid',
    'line 2: the user name is empty',
    'line 3: the token is empty',
    'line 4: has more than four columns; put several groups in quotes: "a,b"',
    'line 5: the token of line 4 again',
    'line 6: the token has characters that a header cannot carry',
    'line 7: the closing quote is missing',
  ]);
  expect(errors.join()).not.toMatch(/secret/);
});

describe('a file that is replaced', () => {
  const many = (count: number): string =>
    packAccounts(
      parseTokenFile(Array.from({ length: count }, (_, i) => `token-${i},user-${i},${i},"a,b"`).join('\n')),
    );
  const isKnown = (known: TokenFileAuthenticator, bearerToken: string): boolean =>
    known.authenticate(requestWith({ bearerToken })) !== undefined;

  test('few tokens count at once, and those before no longer', () => {
    const known = new TokenFileAuthenticator(many(3));
    void known.use(packAccounts(parseTokenFile(file)));
    expect([isKnown(known, 'other'), isKnown(known, 'token-1')]).toEqual([true, false]);
  });

  test('thousands are read in slices, and known when all are', async () => {
    const known = new TokenFileAuthenticator('');
    const tokens = many(50_000);
    const longest = await leastOfThree(async () => (await turnsOf(() => known.use(tokens)))[0] ?? Infinity);
    expect(longest).toBeLessThan(cpuBudget(30));
    expect([isKnown(known, 'token-0'), isKnown(known, 'token-49999')]).toEqual([true, true]);
  });

  test('of two that are read at the same time the later counts', async () => {
    const known = new TokenFileAuthenticator('');
    await Promise.all([known.use(many(50_000)), known.use(many(2))]);
    expect([isKnown(known, 'token-1'), isKnown(known, 'token-2')]).toEqual([true, false]);
  });
});

test('a file of millions of lines that are none is not read to its end', () => {
  for (const line of ['no token\n', 'no "token\n']) {
    const { length } = errorsOf(line.repeat(300_000));
    expect(length).toBeGreaterThanOrEqual(100_000);
    expect(length).toBeLessThan(100_010);
  }
});
