/** CBOR → values: the examples of RFC 8949 (appendix A), and what the reference refuses. */
import type { JsonValue } from '../../../../src/base/json.ts';
import { decodeCbor } from '../../../../src/codec/cbor/decode-cbor.ts';
import { DecodeError } from '../../../../src/codec/decode-error.ts';
import { smallBodyBytes } from '../../../../src/codec/limits.ts';
import { cpuMsOf, leastShare } from '../../../support/cpu-time.ts';

function decoded(hex: string): JsonValue {
  return decodeCbor(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
}

const text = (value: string): string => Buffer.from(value).toString('hex');

describe('values', () => {
  test.each<[string, JsonValue]>([
    ['00', 0],
    ['17', 23],
    ['1818', 24],
    ['1903e8', 1000],
    ['1a000f4240', 1_000_000],
    ['1b000000e8d4a51000', 1_000_000_000_000],
    ['20', -1],
    ['3903e7', -1000],
    ['f90000', 0],
    ['f93c00', 1],
    ['f93e00', 1.5],
    ['f97bff', 65504],
    ['f90001', 5.960464477539063e-8],
    ['f90400', 0.00006103515625],
    ['f9c400', -4],
    ['fa47c35000', 100_000],
    ['fb3ff199999999999a', 1.1],
    ['fb7e37e43c8800759c', 1e300],
    ['f4', false],
    ['f5', true],
    ['f6', null],
    ['40', ''],
    ['4401020304', '\x01\x02\x03\x04'],
    ['6449455446', 'IETF'],
    ['62c3bc', 'ü'],
    ['64f0908591', '𐅑'],
    ['80', []],
    ['83010203', [1, 2, 3]],
    ['8301820203820405', [1, [2, 3], [4, 5]]],
    ['a0', {}],
    ['a26161016162820203', { a: 1, b: [2, 3] }],
    ['a24161014162820203', { a: 1, b: [2, 3] }],
    ['5f42010243030405ff', '\x01\x02\x03\x04\x05'],
    ['7f657374726561646d696e67ff', 'streaming'],
    ['9fff', []],
    ['9f018202039f0405ffff', [1, [2, 3], [4, 5]]],
    ['bf61610161629f0203ffff', { a: 1, b: [2, 3] }],
    ['d9d9f7a0', {}],
  ])('%s', (hex, value) => {
    expect(decoded(hex)).toEqual(value);
  });

  test('integers of 64 bits keep every digit', () => {
    expect(JSON.stringify(decoded('1b7fffffffffffffff'))).toBe('9223372036854775807');
    expect(JSON.stringify(decoded('3b7fffffffffffffff'))).toBe('-9223372036854775808');
    expect(JSON.stringify(decoded('3b001fffffffffffff'))).toBe('-9007199254740992');
    expect(decoded('3b001ffffffffffffe')).toBe(-9007199254740991);
  });

  test('byte strings that are to be text later are encoded, also inside of what is tagged', () => {
    expect(decoded(`d6 43${text('abc')}`)).toBe('YWJj');
    expect(decoded('d5 42fbff')).toBe('-_8');
    expect(decoded('d7 42fbff')).toBe('fbff');
    expect(decoded('d6 82 42fbff d5 42fbff')).toEqual(['+/8=', '-_8']);
    expect(decoded(`d6 63${text('abc')}`)).toBe('abc');
  });

  test('times are texts, with their tags and without', () => {
    expect(decoded(`c0 74${text('2013-03-21T20:04:00Z')}`)).toBe('2013-03-21T20:04:00Z');
    expect(decoded('c1 1a514b67b0')).toBe('2013-03-21T20:04:00Z');
    expect(decoded('c1 fb41d452d9ec200000')).toBe('2013-03-21T20:04:00.5Z');
    expect(decoded('c1 20')).toBe('1969-12-31T23:59:59Z');
    // A tenth of a nanosecond before the next second.
    expect(decoded('c1 fb bddb7cdfd9d7bdbb')).toBe('1969-12-31T23:59:59.999999999Z');
  });

  test('__proto__ is a key', () => {
    const value = decoded(`a1 49${text('__proto__')} a0`);
    expect(Object.keys(value as object)).toEqual(['__proto__']);
    expect(({} as { polluted?: true }).polluted).toBeUndefined();
  });
});

describe('refused', () => {
  test.each([
    ['nothing', '', 'ends within'],
    ['more behind the item', '0000', 'more follows'],
    ['an integer beyond 64 bits', '1b8000000000000000', '64 bits'],
    ['a negative one', '3b8000000000000000', '64 bits'],
    ['a big number', 'c249010000000000000000', 'big numbers'],
    ['infinity', 'f97c00', 'finite'],
    ['NaN', 'fb7ff8000000000000', 'finite'],
    ['undefined', 'f7', 'simple value'],
    ['a simple value', 'f0', 'simple value'],
    ['a simple value of two bytes', 'f8ff', 'simple value'],
    ['a reserved head', '1c', 'malformed'],
    ['a break', 'ff', 'break'],
    ['an odd number of items in a map', 'bf6161ff', 'break'],
    ['a text that is not UTF-8', '61ff', 'UTF-8'],
    ['a piece of a text that is not UTF-8', '7f61c361bcff', 'UTF-8'],
    ['a piece of another type', '5f6161ff', 'piece'],
    ['pieces within pieces', '5f5f4101ffff', 'piece'],
    ['a number as key', 'a10102', 'no string'],
    ['a key given twice', 'a2616101616102', '"a"'],
    ['a key given twice, once as bytes', 'a2616101416102', '"a"'],
    ['a time that is none', `c0 63${text('now')}`, 'time'],
    ['a time that is a list', 'c080', 'time'],
    ['a time beyond the year 9999', 'c11b00ffffffffffffff', 'time'],
    ['a tagged time as a number of seconds in text', `c1 74${text('2013-03-21T20:04:00Z')}`, 'time'],
    ['a tag without anything', 'd6', 'ends within'],
    ['a length that is not there', '5a7fffffff00', 'ends within'],
    ['a list of billions', '9b7fffffffffffffff00', 'ends within'],
    ['a map of billions', 'bb00000001000000006161', 'ends within'],
    ['a map of one member more than fits', 'a2616100', 'ends within'],
    ['a list without end', '9f0000', 'ends within'],
    ['a string without end', '5f4100', 'ends within'],
  ])('%s', (_name, hex, problem) => {
    expect(() => decoded(hex)).toThrow(DecodeError);
    expect(() => decoded(hex)).toThrow(problem);
  });

  test.each([
    ['lists', '81'],
    ['lists without length', '9f'],
    ['maps', 'a16161'],
    ['tags', 'd6'],
    ['keys', 'a1'],
  ])('%s that are nested deeply', (_name, hex) => {
    const bomb = Buffer.from(hex.repeat(200_000), 'hex');
    expect(() => decodeCbor(bomb)).toThrow('nested deeper than 1000 levels');
  });

  test('nesting up to the limit is read', () => {
    const deep = Buffer.from(`${'81'.repeat(1_000)}00`, 'hex');
    expect(JSON.stringify(decodeCbor(deep))).toBe(`${'['.repeat(1_000)}0${']'.repeat(1_000)}`);
  });
});

test('tagged times are few', () => {
  const times = (count: number): Buffer => Buffer.from(`9f${'c100'.repeat(count)}ff`, 'hex');
  expect(decodeCbor(times(10_000))).toHaveLength(10_000);
  expect(() => decodeCbor(times(10_001))).toThrow('more than 10000 times');
});

describe('hostile bodies', () => {
  const size = smallBodyBytes;
  const manyKeys = (bytes: number): Buffer => {
    const members = Array.from({ length: bytes / 6 }, (_, i) => Buffer.from([0x44, ...hexOf(i), 0xf6]));
    return Buffer.concat([Buffer.from([0xbf]), ...members, Buffer.from([0xff])]);
  };
  const hexOf = (i: number): Buffer => Buffer.from(i.toString(36).padStart(4, '.'));
  const bodies: [string, (bytes: number) => Buffer][] = [
    [
      'a list of nulls',
      (n) => Buffer.concat([Buffer.from([0x9f]), Buffer.alloc(n, 0xf6), Buffer.from([0xff])]),
    ],
    [
      'a list of lists',
      (n) => Buffer.concat([Buffer.from([0x9f]), Buffer.alloc(n, 0x80), Buffer.from([0xff])]),
    ],
    [
      'empty pieces of a text',
      (n) => Buffer.concat([Buffer.from([0x7f]), Buffer.alloc(n, 0x60), Buffer.from([0xff])]),
    ],
    [
      'pieces of one byte',
      (n) => Buffer.concat([Buffer.from([0x5f]), Buffer.alloc(n, 'Aa'), Buffer.from([0xff])]),
    ],
    ['keys', manyKeys],
    [
      'empty strings without length',
      (n) =>
        Buffer.concat([Buffer.from([0x9f]), Buffer.from('5fff'.repeat(n / 2), 'hex'), Buffer.from([0xff])]),
    ],
    [
      '64-bit integers',
      (n) =>
        Buffer.concat([
          Buffer.from([0x9f]),
          Buffer.from('1b7fffffffffffffff'.repeat(n / 9), 'hex'),
          Buffer.from([0xff]),
        ]),
    ],
    [
      'tagged bytes',
      (n) =>
        Buffer.concat([Buffer.from([0x9f]), Buffer.from('d641aa'.repeat(n / 3), 'hex'), Buffer.from([0xff])]),
    ],
  ];

  test.each(bodies)(
    '%s: a small body takes a few milliseconds, a large one in proportion',
    async (_name, make) => {
      const [small, large, larger] = [make(size), make(size * 4), make(size * 16)];
      // 5 ms at most outside of Jest, as soon as the code is compiled, which a busy machine does late.
      for (let warm = 0; warm < 20; warm += 1) decodeCbor(small);
      expect(await leastShare(20, () => decodeCbor(small))).toBeLessThan(1);
      const least = (bytes: Buffer): number =>
        Math.min(...[0, 1, 2].map(() => cpuMsOf(() => void decodeCbor(bytes))));
      // The clock of processor time may go in steps of 4 ms, so that the smaller one may seem to take nothing.
      const most = (least(large) + 1) * 4 * 3;
      expect(await leastShare(10 + most, () => decodeCbor(larger))).toBeLessThan(1);
    },
  );
});
