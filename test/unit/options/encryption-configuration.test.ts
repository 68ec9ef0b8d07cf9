/** The file of --encryption-provider-config: what it means, and each error by its line, without secrets. */
import { namingProfiles } from '../../../src/meta/naming.ts';
import { configFromFlags } from '../../../src/options/config-from-flags.ts';
import { readEncryptionRules } from '../../../src/options/encryption/encryption-configuration.ts';
import { YamlFile } from '../../../src/options/yaml-file.ts';

const secret = Buffer.alloc(32, 'k').toString('base64');

function read(text: string, naming: 'orch' | 'kubernetes' = 'kubernetes') {
  const file = new YamlFile(text);
  return { rules: readEncryptionRules(file, namingProfiles[naming]), errors: file.errors };
}

const head = 'apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\n';

function withProvider(provider: string): string {
  return `${head}resources:\n- resources: [secrets]\n  providers:\n  - ${provider}\n`;
}

test('resources with their providers, in order', () => {
  const { rules, errors } = read(`${head}resources:
- resources: [secrets, configmaps, widgets.example.com]
  providers:
  - aescbc:
      keys:
      - {name: key1, secret: ${secret}}
  - secretbox: {keys: [{name: key2, secret: ${secret}}]}
  - identity: {}
- resources: ['*.apps', '*.*', '*.']
  providers:
  - aesgcm: {keys: [{name: key3, secret: ${Buffer.alloc(16).toString('base64')}}]}
`);
  expect(errors).toEqual([]);
  expect(rules).toEqual([
    {
      resources: ['secrets', 'configmaps', 'widgets.example.com'],
      providers: [
        { kind: 'aescbc', keys: [{ name: 'key1', secret }] },
        { kind: 'secretbox', keys: [{ name: 'key2', secret }] },
        { kind: 'identity' },
      ],
    },
    {
      resources: ['*.apps', '*.*', '*.'],
      providers: [{ kind: 'aesgcm', keys: [{ name: 'key3', secret: 'AAAAAAAAAAAAAAAAAAAAAA==' }] }],
    },
  ]);
});

test('KMS plugins of both versions, with their defaults', () => {
  const { rules, errors } = read(`${head}resources:
- resources: [secrets]
  providers:
  - kms: {name: a, endpoint: 'unix:///run/a.sock'}
  - kms: {apiVersion: v1, name: b, endpoint: 'unix:///run/b.sock', cachesize: -1, timeout: 500ms}
  - kms: {apiVersion: v2, name: c, endpoint: 'unix:///run/c.sock', timeout: 5s}
`);
  expect(errors).toEqual([]);
  const kms = { kind: 'kms', apiVersion: 'v1', timeoutMs: 3_000, cacheSize: 1_000 };
  expect(rules[0]?.providers).toEqual([
    { ...kms, name: 'a', endpoint: 'unix:///run/a.sock' },
    { ...kms, name: 'b', endpoint: 'unix:///run/b.sock', cacheSize: -1, timeoutMs: 500 },
    {
      ...kms,
      ...{ apiVersion: 'v2', name: 'c', endpoint: 'unix:///run/c.sock' },
      ...{ timeoutMs: 5_000, cacheSize: 10_000 },
    },
  ]);
});

test('the group of the file is that of the naming profile', () => {
  const text = withProvider('identity: {}');
  expect(read(text).errors).toEqual([]);
  expect(read(text.replace('k8s.io', 'orch.io'), 'orch').errors).toEqual([]);
  expect(read(text, 'orch').errors).toEqual([
    'line 1: apiVersion must be one of apiserver.config.orch.io/v1',
  ]);
});

test.each([
  ['no resources', head, 'at least one resource is required'],
  ['no providers', `${head}resources:\n- resources: [secrets]\n`, 'line 4: at least one provider'],
  [
    'no names',
    `${head}resources:\n- resources: []\n  providers: [{identity: {}}]\n`,
    'at least one resource',
  ],
  ['a wrong name', withProvider('identity: {}').replace('secrets', "'*'"), '"*" is no resource'],
  [
    'two in one',
    withProvider(`{identity: {}, aesgcm: {}}`),
    'line 6: an element of providers must have exactly one',
  ],
  ['none in one', withProvider('{}'), 'must have exactly one'],
  ['an unknown provider', withProvider('rot13: {}'), 'unknown field "rot13"'],
  ['an unknown field', withProvider('identity: {key: a}'), 'unknown field "key"'],
  ['no keys', withProvider('aescbc: {keys: []}'), 'at least one key is required'],
  ['no object', withProvider('aescbc: 1'), 'aescbc must be an object'],
  ['no name', withProvider(`aescbc: {keys: [{secret: ${secret}}]}`), 'name must be given'],
  ['a colon', withProvider(`aescbc: {keys: [{name: 'a:b', secret: ${secret}}]}`), 'without a colon'],
  ['no secret', withProvider('aescbc: {keys: [{name: a}]}'), 'secret must be base64'],
  [
    'a KMS plugin over TCP',
    withProvider("kms: {name: a, endpoint: 'tcp://a:1'}"),
    'must be the path of a socket',
  ],
  [
    'an abstract socket',
    withProvider("kms: {name: a, endpoint: 'unix:///@a'}"),
    'must be the path of a socket',
  ],
  ['a KMS plugin without a name', withProvider("kms: {endpoint: 'unix:///a'}"), 'name must be given'],
  [
    'an unknown version',
    withProvider("kms: {apiVersion: v3, name: a, endpoint: 'unix:///a'}"),
    'one of v1, v2',
  ],
  ['no timeout', withProvider("kms: {name: a, endpoint: 'unix:///a', timeout: 0s}"), 'timeout must be'],
  ['no cache size', withProvider("kms: {name: a, endpoint: 'unix:///a', cachesize: 0}"), 'cachesize must be'],
  [
    'a cache size of v2',
    withProvider("kms: {apiVersion: v2, name: a, endpoint: 'unix:///a', cachesize: 1}"),
    'cachesize is only for v1',
  ],
  ['another kind', head.replace('EncryptionConfiguration', 'Secret'), 'kind must be EncryptionConfiguration'],
])('%s is an error', (_name, text, problem) => {
  expect(read(text).errors.join('\n')).toContain(problem);
});

test.each([
  ['aescbc', 15],
  ['aesgcm', 33],
  ['secretbox', 16],
])('%s: a key of %d bytes is an error that does not quote it', (kind, length) => {
  const wrong = Buffer.alloc(length, 'w').toString('base64');
  const { errors, rules } = read(withProvider(`${kind}: {keys: [{name: a, secret: '${wrong}'}]}`));
  expect(errors.join()).toContain(`secret has ${String(length)} bytes`);
  expect(errors.join()).not.toContain(wrong);
  expect(JSON.stringify(rules)).not.toContain(wrong);
});

test('a secret that is not base64 is an error that does not quote it', () => {
  const { errors } = read(withProvider(`aescbc: {keys: [{name: a, secret: 'not base64 at all'}]}`));
  expect(errors).toEqual(['line 6: secret must be base64']);
});

describe('versions of KMS by release and gate', () => {
  const kms = (version: string): string =>
    withProvider(`kms: {name: k, apiVersion: ${version}, endpoint: "unix:///k.sock"}`);
  test.each([
    ['1.21', '', [true, true]],
    ['1.25', '', [true, false]],
    ['1.25', 'KMSv2=true', [true, true]],
    ['1.27', '', [true, true]],
    ['1.28', 'KMSv2=false', [true, false]],
    ['1.28', 'KMSv1=false', [false, true]],
    ['1.29', '', [false, true]],
    ['1.36', '', [false, true]],
    ['1.36', 'KMSv1=true', [true, true]],
  ])('%s with gates "%s": v1 and v2 %j', async (release, gates, expected) => {
    const flags = { 'emulated-release': release, 'feature-gates': gates, naming: 'kubernetes' };
    const { config, errors } = await configFromFlags(flags);
    expect(errors).toEqual([]);
    const isTaken = (version: string): boolean => {
      const file = new YamlFile(kms(version));
      const rules = readEncryptionRules(file, namingProfiles.kubernetes, config.encryption.kmsVersions);
      expect(rules[0]?.providers).toHaveLength(file.errors.length === 0 ? 1 : 0);
      return file.errors.length === 0;
    };
    expect([isTaken('v1'), isTaken('v2')]).toEqual(expected);
  });
});
