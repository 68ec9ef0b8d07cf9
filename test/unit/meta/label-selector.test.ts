import fc from 'fast-check';
import { parseLabelSelector } from '../../../src/meta/label-selector.ts';
import { StatusError } from '../../../src/meta/status.ts';
import { leastShare } from '../../support/cpu-time.ts';

const labels = { app: 'web', tier: 'front', 'example.com/stage': 'prod', build: '42', empty: '' };

const holds = [
  '',
  ' ',
  'app',
  '!old',
  'app=web',
  'app==web',
  'app != db',
  'old!=x',
  'app in (web,db)',
  'app in ( db , web )',
  'tier notin (back)',
  'old notin (a,b)',
  'app=web,tier=front',
  'example.com/stage=prod',
  'build>41',
  'build<43',
  'empty=',
  'empty',
  'app=web,!old,build>1',
];
const fails = [
  'old',
  '!app',
  'app=db',
  'app!=web',
  'app in (db)',
  'app notin (web)',
  'app=web,old',
  'build>42',
  'app>1',
  'app=',
  'old=',
  'toString',
  'constructor',
];
const malformed = [
  '=',
  'app=web,',
  'app in web',
  'app in (web',
  'a b',
  '!',
  'app=we b',
  'app in (a,b))',
  '-app',
  'app=-x',
  'build>x',
  'app=a=b',
  ',',
  'a//b',
];

test.each(holds)('%p holds', (text) => {
  expect(parseLabelSelector(text).matches(labels)).toBe(true);
});

test.each(fails)('%p does not hold', (text) => {
  expect(parseLabelSelector(text).matches(labels)).toBe(false);
});

test.each(malformed)('%p is refused with 400', (text) => {
  expect(() => parseLabelSelector(text)).toThrow(StatusError);
});

test('an object without labels', () => {
  expect(parseLabelSelector('!app').matches(undefined)).toBe(true);
  expect(parseLabelSelector('app!=web').matches(undefined)).toBe(true);
  expect(parseLabelSelector('app').matches(undefined)).toBe(false);
});

test('any text is parsed or refused, never a crash', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      try {
        parseLabelSelector(text).matches(labels);
      } catch (error) {
        expect(error).toBeInstanceOf(StatusError);
      }
    }),
  );
});

test('white space behind many requirements costs no look at each of them', async () => {
  const text = `${'a,'.repeat(15_000)}a${' '.repeat(30_000)}`;
  expect(await leastShare(40, () => parseLabelSelector(text))).toBeLessThan(1);
});
