import fc from 'fast-check';
import type { JsonObject } from '../../../src/base/json.ts';
import { DecodeError } from '../../../src/codec/decode-error.ts';
import type { DecodeJsonOptions } from '../../../src/codec/decode-json.ts';
import { decodeJson } from '../../../src/codec/decode-json.ts';
import { shortPath } from '../../../src/base/short-text.ts';
import { scanJson } from '../../../src/codec/json-scanner.ts';

function decode(text: string, options?: DecodeJsonOptions): unknown {
  return decodeJson(Buffer.from(text), options).value;
}

function nested(open: string, close: string, levels: number): string {
  return open.repeat(levels) + '1' + close.repeat(levels);
}

describe('values', () => {
  test('any JSON decodes to what JSON.parse gives', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.boolean(), (value, detectDuplicates) => {
        const text = JSON.stringify(value);
        expect(JSON.stringify(decode(text, { detectDuplicates }))).toBe(text);
      }),
    );
  });

  test.each([
    '9007199254740993',
    '-9223372036854775808',
    '9223372036854775807',
    '18446744073709551615',
    '[1,12345678901234567,{"a":9007199254740993}]',
  ])('%s keeps its exact text', (text) => {
    expect(JSON.stringify(decode(text))).toBe(text);
  });

  test.each([
    ['18446744073709551616', '18446744073709552000'],
    ['100000000000000000000000000000', '1e+29'],
    ['0.12345678901234567890', '0.12345678901234568'],
    ['1e3', '1000'],
    ['9007199254740991', '9007199254740991'],
  ])('%s is the number %s', (text, printed) => {
    expect(JSON.stringify(decode(text))).toBe(printed);
  });

  test('digits inside strings are left alone', () => {
    expect(decode('{"a":"12345678901234567890"}')).toEqual({ a: '12345678901234567890' });
  });

  test.each(['1e400', '[-1e999]', '1'.repeat(400)])('a number beyond all floats is refused: %s', (text) => {
    expect(() => decode(text)).toThrow(/number out of range/);
  });

  test('__proto__ is a plain key, and nothing else changes', () => {
    const value = decode('{"__proto__":{"polluted":9007199254740993},"constructor":1}') as JsonObject;
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.hasOwn({}, 'polluted')).toBe(false);
  });

  test.each([
    ['"\\ud800"', '\ufffd'],
    ['"\\udc00\\ud83d\\ude00"', '\ufffd\u{1f600}'],
    ['"\\\\ud800"', '\\ud800'],
    ['{"\\uDfff":1}', { '\ufffd': 1 }],
  ])('broken surrogates in %s are replaced', (text, value) => {
    expect(decode(text)).toEqual(value);
  });
});

describe('refusals', () => {
  test.each([
    ['{"a":1,}', /unexpected character "}" looking for a key, at position 7/],
    ['{"a" 1}', /unexpected character "1" after a key, at position 5/],
    ['{"a":1} x', /unexpected character "x" after the end of the value, at position 8/],
    ['[1 2]', /unexpected character "2" after a list item, at position 3/],
    ['{"a":1 "b"}', /after an object member, at position 7/],
    ['{"a":tru}', /unexpected character "t" looking for a value, at position 5/],
    ['[01]', /unexpected character "1" after a list item, at position 2/],
    ['["\u0001"]', /looking for a value, at position 1/],
    ['\ufeff{}', /unexpected byte order mark looking for a value, at position 0/],
    ['{"a":[', /unexpected end of input/],
    ['', /unexpected end of input/],
    ['[1e5,]', /unexpected character "]" looking for a value, at position 5/],
  ])('%j', (text, message) => {
    expect(() => decode(text)).toThrow(DecodeError);
    expect(() => decode(text)).toThrow(message);
  });

  test('invalid UTF-8', () => {
    expect(() => decodeJson(Buffer.from([0x22, 0xff, 0x22]))).toThrow('not valid UTF-8');
  });

  test.each([
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"a":', '}]'],
  ])('more than 10,000 levels of %s', (open, close) => {
    expect(() => decode(nested(open, close, 10_001))).toThrow(/nested deeper than/);
    expect(() => decode(open.repeat(1_000_000))).toThrow(/nested deeper than/);
  });

  test('the limit itself passes, also where numbers need care', () => {
    const text = `[12345678901234567,${nested('[', ']', 999)}]`;
    expect(JSON.stringify(decode(text))).toBe(text);
  });

  test('any bytes give a value or a DecodeError', () => {
    const noise = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.string({ unit: fc.constantFrom(...Array.from('[]{}",:\\u1e.-tn ')) }).map((s) => Buffer.from(s)),
    );
    fc.assert(
      fc.property(noise, (bytes) => {
        try {
          decodeJson(Buffer.from(bytes), { detectDuplicates: true });
        } catch (error) {
          expect(error).toBeInstanceOf(DecodeError);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('duplicate keys', () => {
  test('are told with their paths, once each; the last value wins', () => {
    const text = '{"a":1,"spec":{"list":[{"x":1},{"x":1,"x":2,"x":3}],"b":1,"b":{}},"a":2,"\\u0061":3}';
    const { value, duplicates } = decodeJson(Buffer.from(text), { detectDuplicates: true });
    expect(duplicates).toEqual(['spec.list[1].x', 'spec.b', 'a']);
    expect(value).toEqual({ a: 3, spec: { list: [{ x: 1 }, { x: 3 }], b: {} } });
  });

  test('are not looked for unless asked', () => {
    expect(decodeJson(Buffer.from('{"a":1,"a":2}')).duplicates).toEqual([]);
  });

  test('same keys in different objects are none', () => {
    expect(scanJson('[{"a":{"a":1}},{"a":[{"a":1}]},[],{}, {"b":{}}]')).toEqual([]);
  });

  test('the scanner accepts what JSON.parse accepts, and only that', () => {
    const near = fc.string({
      unit: fc.constantFrom('[', ']', '{', '}', '"a"', ':', ',', '1', ' ', 'null', '-', '0'),
      maxLength: 12,
    });
    fc.assert(
      fc.property(near, (text) => {
        const accepts = (parse: () => unknown): boolean => {
          try {
            parse();
            return true;
          } catch {
            return false;
          }
        };
        expect(accepts(() => scanJson(text))).toBe(accepts(() => JSON.parse(text) as unknown));
      }),
      { numRuns: 3000 },
    );
  });

  test('need no paths of what lies deep and is not repeated', () => {
    const deep = nested('{"abc":', '}', 990);
    const members = Array.from({ length: 6 }, (_, i) => `"k${String(i)}":${deep}`).join();
    const text = `{"a":1,"a":2,${members}}`;
    const stringify = jest.spyOn(JSON, 'stringify');
    const found = scanJson(text);
    // A text is cut by way of JSON: the path of each level was put together from that of the one around it, and cut.
    const cuts = stringify.mock.calls.length;
    stringify.mockRestore();
    expect({ found, cuts }).toEqual({ found: ['a'], cuts: 0 });
  });

  test('below each other are named by the way to them', () => {
    const text = `${'{"abc":'.repeat(400)}{"x":1,"x":2}${'}'.repeat(400)}`;
    expect(scanJson(text)).toEqual([shortPath(`${'abc.'.repeat(400)}x`)]);
    expect(scanJson('[0,{"a":[{"b":1,"b":2}]}]')).toEqual(['[1].a[0].b']);
  });
});
