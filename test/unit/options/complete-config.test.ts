import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configFromFlags } from '../../../src/options/config-from-flags.ts';
import type { FlagTexts } from '../../../src/options/serve-flags.ts';
import { completeConfig } from '../../../src/options/complete-config.ts';
import { credentialsOf } from '../../../src/server/credentials-of.ts';
import { ensurePki } from '../../../src/pki/folder.ts';
import { makeAuthority, makeCertificate } from '../../../src/pki/issue.ts';
import { selfSigned } from '../../support/pki.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

let temporary: TempFolder;
const at = (name: string): string => join(temporary.path, name);

beforeAll(async () => {
  temporary = await makeTempFolder('complete');
  await ensurePki({ folder: temporary.path, hosts: [] });
  const old = Date.now() - 400 * 86_400_000;
  const authority = makeAuthority('old', old);
  const about = { commonName: 'old', organizations: [], hosts: [], usages: ['server'] as const };
  const expired = makeCertificate(authority, about, old);
  writeFileSync(at('expired.crt'), expired.certificate);
  writeFileSync(at('expired.key'), expired.key);
  writeFileSync(at('spoilt'), 'spoilt');
  writeFileSync(at('spoilt-ca'), '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
  const [ca, etcdCa] = ['ca.crt', 'etcd-ca.crt'].map((name) => readFileSync(at(name), 'utf8').trim());
  writeFileSync(at('joined-ca'), `${ca ?? ''}${etcdCa ?? ''}`);
  writeFileSync(at('two-cas'), `An authority\n${ca ?? ''}\r\nAnother\n${etcdCa ?? ''}`);
  const [weak, edwards] = [await selfSigned('RSA of 1024 bits'), await selfSigned('Ed25519')];
  writeFileSync(at('weak.crt'), weak.cert);
  writeFileSync(at('weak.key'), weak.key);
  writeFileSync(at('edwards.crt'), edwards.cert);
  writeFileSync(at('edwards.key'), edwards.key);
  const spoiltChain = ['server.crt', 'spoilt-ca'].map((name) => readFileSync(at(name), 'utf8'));
  writeFileSync(at('spoilt-chain'), spoiltChain.join(''));
  writeFileSync(at('long'), 'spoilt\n'.repeat(100_000));
  writeFileSync(at('tokens'), 'secret,ann,1\n');
  const kind = 'apiVersion: apiserver.config.orch.io/v1\nkind: AuthorizationConfiguration\nauthorizers:\n';
  writeFileSync(at('with-abac'), `${kind}- {type: ABAC, name: abac}\n- {type: RBAC, name: rbac}\n`);
  writeFileSync(at('without-abac'), `${kind}- {type: RBAC, name: rbac}\n`);
  const policy = { apiVersion: 'abac.authorization.orch.io/v1beta1', kind: 'Policy', spec: { user: 'dan' } };
  writeFileSync(at('policies'), JSON.stringify(policy));
  writeFileSync(at('spoilt-tokens'), 'secret\nother"\n');
});
afterAll(() => temporary.remove());

async function codesOf(files: FlagTexts): Promise<string[]> {
  const texts = Object.fromEntries(Object.entries(files).map(([flag, name]) => [flag, at(name)]));
  const { errors } = await completeConfig((await configFromFlags(texts)).config);
  return errors.map((error) => error.code);
}

const serving = (cert: string, key: string): FlagTexts => ({
  'tls-cert-file': cert,
  'tls-private-key-file': key,
});

const cases: { name: string; files: FlagTexts; want: string[] }[] = [
  {
    name: 'good files',
    files: {
      ...serving('server.crt', 'server.key'),
      'client-ca-file': 'ca.crt',
      'token-auth-file': 'tokens',
    },
    want: [],
  },
  {
    name: 'policies of ABAC that are none',
    files: { 'authorization-policy-file': 'spoilt' },
    want: ['POLICY_FILE_INVALID'],
  },
  { name: 'a file that is missing', files: serving('none.crt', 'server.key'), want: ['FILE_UNREADABLE'] },
  { name: 'a folder instead of a file', files: { 'client-ca-file': '.' }, want: ['FILE_UNREADABLE'] },
  { name: 'no certificate', files: serving('spoilt', 'server.key'), want: ['CERTIFICATE_INVALID'] },
  {
    name: 'an expired certificate',
    files: serving('expired.crt', 'expired.key'),
    want: ['CERTIFICATE_INVALID'],
  },
  {
    name: 'a key that is too short for TLS',
    files: serving('weak.crt', 'weak.key'),
    want: ['CERTIFICATE_INVALID'],
  },
  {
    name: 'a damaged certificate behind the first',
    files: serving('spoilt-chain', 'server.key'),
    want: ['CERTIFICATE_INVALID'],
  },
  { name: 'an Ed25519 certificate', files: serving('edwards.crt', 'edwards.key'), want: [] },
  { name: 'no key', files: serving('server.crt', 'spoilt'), want: ['KEY_INVALID'] },
  { name: "another certificate's key", files: serving('server.crt', 'admin.key'), want: ['KEY_MISMATCH'] },
  {
    name: 'authorities joined without a line break',
    files: { 'client-ca-file': 'joined-ca' },
    want: ['CA_INVALID'],
  },
  { name: 'several authorities', files: { 'client-ca-file': 'two-cas' }, want: [] },
  { name: 'an authority file without PEM', files: { 'client-ca-file': 'spoilt' }, want: ['CA_INVALID'] },
  {
    name: 'an authority file with a broken certificate',
    files: { 'etcd-cafile': 'spoilt-ca' },
    want: ['CA_INVALID'],
  },
  {
    name: 'an invalid token file',
    files: { 'token-auth-file': 'spoilt-tokens' },
    want: ['TOKEN_FILE_INVALID'],
  },
  {
    name: 'good keys, passwords and authorities',
    files: {
      'service-account-key-file': 'service-account.key',
      'service-account-signing-key-file': 'service-account.key',
      'basic-auth-file': 'tokens',
      'requestheader-client-ca-file': 'ca.crt',
      'root-ca-file': 'ca.crt',
    },
    want: [],
  },
  {
    name: 'invalid keys, passwords, authorities and client configurations',
    files: {
      'service-account-key-file': 'spoilt',
      'service-account-signing-key-file': 'spoilt',
      'basic-auth-file': 'spoilt-tokens',
      'requestheader-client-ca-file': 'spoilt',
      'root-ca-file': 'spoilt-ca',
      'authentication-token-webhook-config-file': 'spoilt',
    },
    want: [
      ...['CA_INVALID', 'CA_INVALID', 'KUBECONFIG_INVALID', 'PASSWORD_FILE_INVALID'],
      ...['TOKEN_KEY_INVALID', 'TOKEN_KEY_INVALID'],
    ],
  },
  {
    name: 'one authority of users and of any proxy',
    files: { 'client-ca-file': 'two-cas', 'requestheader-client-ca-file': 'ca.crt' },
    want: ['FLAG_COMBINATION'],
  },
  {
    name: 'several invalid files',
    files: { ...serving('none', 'none'), 'client-ca-file': 'spoilt', 'token-auth-file': 'none' },
    want: ['CA_INVALID', 'FILE_UNREADABLE', 'FILE_UNREADABLE', 'FILE_UNREADABLE'],
  },
];

test.each(cases)('$name: $want', async ({ files, want }) => {
  expect((await codesOf(files)).sort()).toEqual(want);
});

test('the error in a token file names every invalid line and no token', async () => {
  const { config } = await configFromFlags({ 'token-auth-file': at('spoilt-tokens') });
  const [error] = (await completeConfig(config)).errors;
  expect(error?.cause).toContain('line 1: needs at least three columns');
  expect(error?.cause).toContain('line 2: a quote inside a field');
  expect(error?.cause).not.toContain('secret');
});

test('of the errors in a long file the first are named, and how many more there are', async () => {
  const files = [
    'token-auth-file',
    'basic-auth-file',
    'authorization-policy-file',
    'service-account-key-file',
  ];
  const { config } = await configFromFlags(Object.fromEntries(files.map((flag) => [flag, at('long')])));
  const { errors } = await completeConfig(config);
  expect(errors).toHaveLength(files.length);
  for (const { cause } of errors) expect(cause.length).toBeLessThan(5_000);
  expect(errors.map(({ cause }) => cause).join()).toMatch(/; line 20: .*; and 99980 more/);
});

test.each([
  ['with-abac', 'policies', ''],
  ['without-abac', '', ''],
  ['with-abac', '', '--authorization-config with ABAC is given without --authorization-policy-file'],
  [
    'without-abac',
    'policies',
    '--authorization-policy-file is given without --authorization-config with ABAC',
  ],
])('authorizers %s, policies "%s"', async (authorizers, policies, cause) => {
  const { config, errors: ofFlags } = await configFromFlags({
    ...{ 'emulated-release': '1.36', 'authorization-config': at(authorizers) },
    ...(policies !== '' && { 'authorization-policy-file': at(policies) }),
  });
  const { errors } = await completeConfig(config);
  expect([...ofFlags, ...errors].map((error) => error.cause)).toEqual(cause === '' ? [] : [cause]);
});

test('an Ed25519 key serves and signs no tokens; one of the PKI signs', async () => {
  const { config } = await configFromFlags(
    Object.fromEntries(
      Object.entries(serving('edwards.crt', 'edwards.key')).map(([flag, name]) => [flag, at(name)]),
    ),
  );
  const { accounts } = credentialsOf((await completeConfig(config)).completed.files, undefined);
  expect(accounts).toMatchObject({ verificationKeys: [], signingKey: undefined });
});

test('an audit log in a folder that cannot be made is told, also where the file system denies that it has parents', async () => {
  const { config } = await configFromFlags({ 'audit-log-path': '/proc/none/audit.log' });
  const { errors } = await completeConfig(config);
  expect(errors.map(({ code }) => code)).toEqual(['FILE_UNWRITABLE']);
});
