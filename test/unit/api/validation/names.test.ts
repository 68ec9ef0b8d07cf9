import {
  cIdentifierName,
  configMapKey,
  dns1035Label,
  dns1123Label,
  dns1123Subdomain,
  envVarName,
  httpHeaderName,
  ianaPortName,
  nameIsDns1123Subdomain,
  nameIsPathSegment,
  pathSegment,
  qualifiedName,
  wildcardDns1123Subdomain,
} from '../../../../src/api/validation/name-rules.ts';

const long = 'a'.repeat(64);

test.each<[string, (value: string) => string[], string[], string[]]>([
  ['DNS 1123 label', dns1123Label, ['a', '1a', 'a-b'], ['', 'A', 'a.b', '-a', 'a-', long]],
  ['DNS 1123 subdomain', dns1123Subdomain, ['a.b', '1.2'], ['', 'a..b', '.a', 'a_b', 'a'.repeat(254)]],
  ['DNS 1035 label', dns1035Label, ['a', 'a-1'], ['', '1a', 'a.b', long]],
  ['wildcard subdomain', wildcardDns1123Subdomain, ['*.a.b'], ['*', 'a.b', '*.A']],
  ['path segment', pathSegment, ['a:b', 'A_b'], ['.', '..', 'a/b', 'a%b']],
  [
    'qualified name',
    qualifiedName,
    ['a', 'A.b-c_d', 'x.io/Name'],
    ['', 'a/', '/a', 'a/b/c', 'X.io/a', 'a b', long],
  ],
  ['environment variable', envVarName, ['A', 'a.b-c', '_x'], ['', '1A', 'a=b', '.', '..', '..x']],
  ['C identifier', cIdentifierName, ['a', '_1'], ['', '1', 'a-b']],
  ['config key', configMapKey, ['a', '.dockercfg', 'A_b.c'], ['', 'a/b', '.', '..', '..a', 'a'.repeat(254)]],
  ['HTTP header', httpHeaderName, ['X-Name', 'a'], ['', 'a b', 'a_b']],
  ['port name', ianaPortName, ['http', 'a-1'], ['', '1', 'A', '-a', 'a--b', 'a'.repeat(16)]],
])('%s', (_name, check, good, bad) => {
  expect(good.filter((value) => check(value).length > 0)).toEqual([]);
  expect(bad.filter((value) => check(value).length === 0)).toEqual([]);
});

test('a generateName may end in a dash', () => {
  expect(nameIsDns1123Subdomain('web-', true)).toEqual([]);
  expect(nameIsDns1123Subdomain('web-', false)).toHaveLength(1);
  expect(nameIsPathSegment('..', true)).toEqual([]);
  expect(nameIsPathSegment('a/', true)).toHaveLength(1);
});
