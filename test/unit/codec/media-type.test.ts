import type { MediaTypeOffer } from '../../../src/codec/media-type.ts';
import { negotiate, parseAccept, parseMediaType } from '../../../src/codec/media-type.ts';

const json: MediaTypeOffer = { essence: 'application/json', accepts: (params) => !params.has('as') };
const table: MediaTypeOffer = {
  essence: 'application/json',
  accepts: (params) => params.get('as') === 'Table',
};
const yaml: MediaTypeOffer = { essence: 'application/yaml' };
const offers = [json, table, yaml];

describe('parseMediaType', () => {
  test.each([
    ['application/json', 'application/json', {}],
    [' Application/JSON ; Charset="utf-8"', 'application/json', { charset: 'utf-8' }],
    ['application/json;as=Table;g=a.b;v=v1', 'application/json', { as: 'Table', g: 'a.b', v: 'v1' }],
    ['text/plain;a="x\\"y,;z"', 'text/plain', { a: 'x"y,;z' }],
    ['text/plain;', 'text/plain', {}],
    ['application/apply-patch+yaml', 'application/apply-patch+yaml', {}],
  ])('%s', (text, essence, params) => {
    const parsed = parseMediaType(text);
    expect(parsed?.essence).toBe(essence);
    expect(Object.fromEntries(parsed?.params ?? [])).toEqual(params);
  });

  test.each([
    '',
    'json',
    'application/',
    '/json',
    'a/b/c',
    'a b/c',
    'a/b;c',
    'a/b;c = d',
    'a/b;c="d',
    'a/b;c=d;C=e',
    'a/b, c/d',
    'a/b\n',
    'ä/b',
  ])('malformed: %j', (text) => {
    expect(parseMediaType(text)).toBeUndefined();
  });

  test('an overlong header is malformed, not slow', () => {
    expect(parseMediaType('a/b' + ';'.repeat(100_000))).toBeUndefined();
    expect(parseAccept(','.repeat(1_000_000))).toBeUndefined();
  });
});

describe('parseAccept', () => {
  test('reads ranges with their qualities in order', () => {
    const ranges = parseAccept('text/html;q=0.5, ,*/*;q=0.125 , application/json;as=Table;q=1.000');
    expect(ranges?.map((r) => [r.essence, r.quality, [...r.params.keys()]])).toEqual([
      ['text/html', 0.5, []],
      ['*/*', 0.125, []],
      ['application/json', 1, ['as']],
    ]);
  });

  test.each(['a/b;q=2', 'a/b;q=1.5', 'a/b;q=-1', 'a/b;q=.5', 'a/b;q=0.1234', 'a/b c/d', 'nonsense'])(
    'malformed: %s',
    (text) => {
      expect(parseAccept(text)).toBeUndefined();
    },
  );
});

describe('negotiate', () => {
  test.each([
    [undefined, json],
    ['', json],
    ['*/*', json],
    ['application/yaml', yaml],
    ['application/json;as=Table, application/json', table],
    ['application/json;as=Other, application/json', json],
    ['text/html, application/yaml;q=0.5, application/json;q=0.1', yaml],
    ['application/json;q=0.1, application/yaml;q=0.2', yaml],
    ['application/json;q=0, */*', yaml],
    ['application/*', undefined],
    ['text/html', undefined],
    ['*/*;q=0', undefined],
    ['*/json', undefined],
    ['not a list', undefined],
  ])('%s', (accept, offer) => {
    expect(negotiate(accept, offers)?.offer).toBe(offer);
  });

  test('gives the parameters of the range that won', () => {
    expect(negotiate('application/json;as=Table;v=v1;q=0.9', offers)?.params.get('v')).toBe('v1');
  });
});
