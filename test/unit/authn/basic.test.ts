import { packAccounts } from '../../../src/authn/packed-accounts.ts';
import { BasicAuthenticator, parsePasswordFile } from '../../../src/authn/basic.ts';
import { FileError } from '../../../src/base/file-error.ts';
import { requestWith } from '../../support/authn-requests.ts';
import { cpuBudget, leastOfThree } from '../../support/cpu-time.ts';
import { turnsOf } from '../../support/turns.ts';

const file = 'p:ss,ann,7,"devs,ops"\nžluťoučký,bob,\n';

function ask(authorization: string): unknown {
  const result = new BasicAuthenticator(packAccounts(parsePasswordFile(file))).authenticate(
    requestWith({ headers: { authorization } }),
  );
  return result?.outcome === 'authenticated' ? result.user : result?.reason;
}

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

test('a name and its password give the user', () => {
  const ann = { name: 'ann', uid: '7', groups: ['devs', 'ops'], extra: {} };
  expect(ask(basic('ann:p:ss'))).toEqual(ann);
  expect(ask(basic('ann:p:ss').replace('Basic', 'BASIC'))).toEqual(ann);
  expect(ask(basic('bob:žluťoučký'))).toMatchObject({ name: 'bob', uid: '', groups: [] });
});

test.each(['ann:wrong', 'ann:', 'nobody:p:ss', ':p:ss', ':', 'ann :p:ss', '__proto__:x'])(
  '%s is refused in the same words',
  (text) => {
    expect(ask(basic(text))).toBe('unknown user or wrong password');
  },
);

test.each(['', 'Bearer abc', 'Basic', 'Basic !!!', `Basic ${Buffer.from('ann').toString('base64')}`])(
  '%j is not its matter',
  (header) => {
    expect(ask(header)).toBeUndefined();
  },
);

test('all errors in a file are reported together, with lines and without passwords', () => {
  const text =
    'secret1,ann\nsecret2,,9\n,eve,1\nsecret4,dan,1,a,b\nsecret5,dan,1\nsecret6,a:b,1\nsecret7,"y\n';
  const read = (): unknown => parsePasswordFile(text);
  expect(read).toThrow(FileError);
  expect(read).toThrow(
    [
      'line 1: needs at least three columns: password, user name, user uid',
      'line 2: the user name is empty',
      'line 3: the password is empty',
      'line 4: has more than four columns; put several groups in quotes: "a,b"',
      'line 5: the user of line 4 again',
      'line 6: the user name has a colon, which basic authentication cannot carry',
      'line 7: the closing quote is missing',
    ].join('; '),
  );
});

test('thousands of passwords that replace others are read in slices, and known when all are', async () => {
  const known = new BasicAuthenticator(packAccounts(parsePasswordFile(file)));
  const lines = Array.from({ length: 50_000 }, (_, i) => `secret-${i},user-${i},${i},"a,b"`);
  const many = packAccounts(parsePasswordFile(lines.join('\n')));
  const longest = await leastOfThree(async () => {
    await known.use(packAccounts(parsePasswordFile(file)));
    return (await turnsOf(() => known.use(many)))[0] ?? Infinity;
  });
  expect(longest).toBeLessThan(cpuBudget(30));
  const isKnown = (text: string): boolean =>
    known.authenticate(requestWith({ headers: { authorization: basic(text) } }))?.outcome === 'authenticated';
  expect(['user-49999:secret-49999', 'user-0:secret-1', 'ann:p:ss'].map(isKnown)).toEqual([
    true,
    false,
    false,
  ]);
});
