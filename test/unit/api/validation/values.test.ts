import { validateLabelSelector } from '../../../../src/api/validation/validate-label-selector.ts';
import { cidr, cidrFamily, ipAddress, ipFamily, reachableIp } from '../../../../src/api/validation/net.ts';
import { fileMode, relativeDescendingPath, volumeFilePath } from '../../../../src/api/validation/paths.ts';
import {
  isWhole,
  positiveQuantity,
  quantity,
  roundUpQuantities,
} from '../../../../src/api/validation/quantities.ts';
import type { Rule } from '../../../../src/api/validation/rules.ts';
import { between, nonNegative, positive } from '../../../../src/api/validation/rules.ts';
import { FieldPath } from '../../../../src/meta/field-path.ts';
import { brief } from '../../../support/kind.ts';

const path = FieldPath.of('x');
const big = JSON.rawJSON('9223372036854775807') as unknown as number;

function split<T>(rule: Rule<T>, values: readonly T[]): T[] {
  return values.filter((value) => rule(value, path).length === 0);
}

test('numbers, also those that only text can hold', () => {
  expect(split(nonNegative, [-1, 0, big])).toEqual([0, big]);
  expect(split(positive, [-1, 0, 1])).toEqual([1]);
  expect(split(between(1, 5), [0, 1, 5, 6, big])).toEqual([1, 5]);
});

test('quantities', () => {
  expect(split(quantity, ['0', '1Gi', '-1', 'x', '1e999999'])).toEqual(['0', '1Gi']);
  expect(split(positiveQuantity, ['0', '1m', '-1', 'x'])).toEqual(['1m']);
  expect(['1', '500m', '1.5k', '0.5'].filter(isWhole)).toEqual(['1', '1.5k']);
  const list = { cpu: '100u', memory: '1Gi' };
  roundUpQuantities(list);
  expect(list).toEqual({ cpu: '1m', memory: '1Gi' });
});

test('addresses', () => {
  expect(['1.2.3.4', '::1', '01.2.3.4', 'fe80::1%eth0', '1.2.3'].map(ipFamily)).toEqual([
    4,
    6,
    4,
    undefined,
    undefined,
  ]);
  expect(['1.2.3.0/24', 'fd00::/8', '1.2.3.0/33', '1.2.3.0', '1.2.3.0/024'].map(cidrFamily)).toEqual([
    4,
    6,
    undefined,
    undefined,
    4,
  ]);
  expect(split(ipAddress, ['1.2.3.4', 'x'])).toEqual(['1.2.3.4']);
  expect(split(cidr, ['1.2.3.0/24', 'x'])).toEqual(['1.2.3.0/24']);
  const special = ['0.0.0.0', '127.1.2.3', '169.254.1.1', '224.0.0.1', '::', '::1', 'fe80::1', 'ff02::1'];
  expect(split(reachableIp, [...special, '10.0.0.1', 'fd00::1'])).toEqual(['10.0.0.1', 'fd00::1']);
});

test('paths', () => {
  expect(split(relativeDescendingPath, ['a/b', '/a', 'a/../b', '..a'])).toEqual(['a/b', '..a']);
  expect(split(volumeFilePath, ['', 'a', '..a', '../a', '/a'])).toEqual(['a']);
  expect(split(fileMode, [-1, 0, 0o777, 0o1000])).toEqual([0, 0o777]);
});

test('label selectors', () => {
  const selector = {
    matchLabels: { 'a b': 'c' },
    matchExpressions: [
      { key: 'a', operator: 'In' },
      { key: 'a', operator: 'Exists', values: ['x'] },
      { key: 'a', operator: 'Like', values: ['x'] },
      { key: '', operator: 'NotIn', values: ['-'] },
    ],
  };
  expect(brief(validateLabelSelector(selector, path))).toEqual([
    'x.matchExpressions[0].values Required',
    'x.matchExpressions[1].values Forbidden',
    'x.matchExpressions[2].operator Invalid',
    'x.matchExpressions[3].key Invalid',
    'x.matchExpressions[3].values[0] Invalid',
    'x.matchLabels Invalid',
  ]);
});
