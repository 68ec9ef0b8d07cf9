import { bearerTokenOf } from '../../../src/authn/bearer-token.ts';

const cases: [string | undefined, string][] = [
  [undefined, ''],
  ['', ''],
  ['Bearer abc', 'abc'],
  ['bearer   abc ', 'abc'],
  ['BEARER a.b.c', 'a.b.c'],
  ['Bearer', ''],
  ['Bearer ', ''],
  ['Basic YTpi', ''],
  ['Bearerabc', ''],
];

test.each(cases)('reads %p as %p', (header, token) => {
  expect(bearerTokenOf(header)).toBe(token);
});
