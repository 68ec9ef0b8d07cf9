/** Integers in the query, as ParseInt of 64 bits reads them. */
import { parseInteger } from '../../../src/http/options/read-options.ts';
import { Query } from '../../../src/http/query.ts';

const limitOf = (text: string): number | undefined =>
  parseInteger(new Query(`limit=${encodeURIComponent(text)}`), 'limit');

test.each(['0', '7', '+5', '-5', '1000000000000000000', '9223372036854775807', '-9223372036854775808'])(
  '%s is an integer',
  (text) => {
    expect(limitOf(text)).toBe(Number(text));
  },
);

test.each(['9223372036854775808', '-9223372036854775809', '99999999999999999999', '1e3', '0x10', '1.0', '+'])(
  '%s is none of 64 bits',
  (text) => {
    expect(() => limitOf(text)).toThrow(expect.objectContaining({ code: 400 }) as Error);
  },
);

test('nothing is no integer', () => {
  expect(limitOf('')).toBeUndefined();
});
