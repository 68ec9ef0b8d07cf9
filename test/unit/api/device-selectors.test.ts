/** Expressions that choose devices are compiled when they are written: types, costs, `cel.bind`; what was stored stays. */
import type { JsonObject } from '../../../src/base/json.ts';
import { newestRelease } from '../../../src/observe/release.ts';
import { brief, contextWith, Kind, withValue } from '../../support/kind.ts';

const kindOf = (name: string, minor = newestRelease.minor): Kind => {
  const release = { major: 1, minor };
  return new Kind(`${name}.resource`, contextWith({ release }), release);
};
const selectors = (...expressions: string[]): JsonObject[] =>
  expressions.map((expression) => ({ cel: { expression } }));
const classOf = (...expressions: string[]): JsonObject => ({
  metadata: { name: 'a' },
  spec: { selectors: selectors(...expressions) },
});
const claimOf = (request: JsonObject): JsonObject => ({
  devices: { requests: [{ name: 'one', ...request }] },
});
const wanted = (expression: string): JsonObject => ({
  deviceClassName: 'a',
  selectors: selectors(expression),
  allocationMode: 'ExactCount',
  count: 1,
});
const metadata = { name: 'a', namespace: 'x' };
const at = 'spec.selectors[0].cel.expression';

test.each([
  ["device.driver == 'gpu.example.com'"],
  ["device.attributes['gpu.example.com'].model == 'a' && device.attributes['gpu.example.com'].cores > 3"],
  ["device.capacity['gpu.example.com'].memory.compareTo(quantity('10Gi')) >= 0"],
  ["cel.bind(gpu, device.attributes['gpu.example.com'], gpu.fast && gpu.model == 'a')"],
  ["semver(device.attributes['gpu.example.com'].version).isGreaterThan(semver('1.2.3'))"],
  ['device.allowMultipleAllocations'],
])('%s is taken', (expression) => {
  expect(brief(kindOf('deviceclasses').createErrors(classOf(expression)))).toEqual([]);
});

test.each([
  ['device.', `${at} Invalid`],
  ['device.color == 1', `${at} Invalid`],
  ['device.driver', `${at} Invalid`],
  ['object.spec', `${at} Invalid`],
  ['cel.bind(1, 2, true)', `${at} Invalid`],
  [
    'device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, device.attributes.all(d, a + b + c + d != ""))))',
    `${at} Forbidden`,
  ],
])('%s is not', (expression, error) => {
  expect(brief(kindOf('deviceclasses').createErrors(classOf(expression)))).toEqual([error]);
});

test('one may have as many characters as the field', () => {
  const errors = (length: number): string[] =>
    brief(kindOf('deviceclasses').createErrors(classOf("device.driver == ''".padEnd(length))));
  expect(errors(10_240)).toEqual([]);
  expect(errors(10_241)).toContain(`${at} TooLong`);
});

test('sharing is known since 1.34', () => {
  const errors = (minor: number) =>
    kindOf('deviceclasses', minor).createErrors(classOf('device.allowMultipleAllocations')).length;
  expect([33, 34].map(errors)).toEqual([1, 0]);
});

test('an update brings no error of an expression that was there', () => {
  const kind = kindOf('deviceclasses');
  const before = kind.created(classOf('device.color == 1'));
  expect(brief(kind.updateErrors(before, classOf('device.color == 1', 'device.driver == "a"')))).toEqual([]);
  expect(brief(kind.updateErrors(before, classOf('device.color == 2')))).toEqual([`${at} Invalid`]);
});

test('requests of claims and of templates', () => {
  const requests = [
    { exactly: wanted('device.color') },
    { firstAvailable: [{ name: 'b', ...wanted('device.color') }] },
  ];
  const paths = ['exactly', 'firstAvailable[0]'];
  for (const [i, request] of requests.entries()) {
    const claim = { metadata, spec: claimOf(request) };
    const field = `devices.requests[0].${paths[i] ?? ''}.selectors[0].cel.expression Invalid`;
    expect(brief(kindOf('resourceclaims').createErrors(claim))).toEqual([`spec.${field}`]);
    const template = { metadata, spec: { spec: claimOf(request) } };
    expect(brief(kindOf('resourceclaimtemplates').createErrors(template))).toEqual([`spec.spec.${field}`]);
  }
});

test('expressions of one object are bounded together', () => {
  const long = `device.driver == '${'a'.repeat(8_000)}'`;
  const many = Array.from({ length: 7 }, (_, i) => `${long} || ${String(i)} == 0`);
  const sent = withValue(classOf(), 'spec.selectors', selectors(...many));
  expect(brief(kindOf('deviceclasses').createErrors(sent))).toEqual(
    [6].map((i) => `spec.selectors[${String(i)}].cel.expression Forbidden`),
  );
});
