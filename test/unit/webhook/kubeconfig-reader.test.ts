import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readKubeconfig } from '../../../src/webhook/kubeconfig-reader.ts';
import { StartError } from '../../../src/base/start-error.ts';
import { selfSigned, type Credential } from '../../support/pki.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

let temporary: TempFolder;
const file = (): string => join(temporary.path, 'config');

let pair: Pick<Credential, 'cert' | 'key'>;
let good: string;

beforeAll(async () => {
  temporary = await makeTempFolder('kubeconfig');
  pair = await selfSigned('Ed25519');
  good = withAuthority(base64(pair.cert));
});
afterAll(() => temporary.remove());

async function read(text: string): Promise<unknown> {
  writeFileSync(file(), text);
  try {
    return await readKubeconfig(file(), '--some-flag');
  } catch (error) {
    return error instanceof StartError ? error.message : error;
  }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const withAuthority = (data: string): string => `apiVersion: v1
clusters:
- name: c
  cluster:
    server: https://a.test/path
    certificate-authority-data: ${data}
users:
- name: u
  user:
    token: t
contexts:
- name: x
  context:
    cluster: c
    user: u
current-context: x
`;

test('the current context counts', async () => {
  expect(await read(good)).toMatchObject({ ca: Buffer.from(pair.cert), token: 't', cert: undefined });
  expect(await read(good)).toHaveProperty('server.href', 'https://a.test/path');
});

test('a token may be in a file of its own; all files that were read are told', async () => {
  writeFileSync(join(temporary.path, 'word'), 'secret\n');
  writeFileSync(join(temporary.path, 'pair'), pair.cert);
  const key = base64(pair.key);
  const user = `tokenFile: word\n    client-certificate: pair\n    client-key-data: ${key}`;
  expect(await read(good.replace('token: t', user))).toMatchObject({
    token: 'secret',
    key: Buffer.from(pair.key),
    files: [file(), join(temporary.path, 'pair'), join(temporary.path, 'word')],
  });
  expect(await read(good.replace('token: t', 'tokenFile: none'))).toMatch(/none cannot be read/);
});

test.each<[string, (text: string) => string, RegExp]>([
  ['no YAML', (text) => text.replace('users:', 'users: ['), /line \d+: invalid YAML/],
  ['a list', () => '- a\n', /line 1: not a kubeconfig/],
  [
    'another context',
    (text) => text.replace('current-context: x', 'current-context: y'),
    /line 16: current-context is not among contexts/,
  ],
  ['http', (text) => text.replace('https:', 'http:'), /line 5: the server is no https URL/],
  [
    'several errors',
    (text) => text.replace('cluster: c\n', 'cluster: d\n').replace('user: u\n', 'user: v\n'),
    /line 14: the context's cluster is not among clusters; line 15: the context's user is not among users/,
  ],
  [
    'a client certificate that is none',
    (text) => text.replace('token: t', 'client-certificate-data: aGFsbG8=\n    client-key-data: aGFsbG8='),
    /its certificates or keys cannot be used for TLS \(.*no start line\)/,
  ],
  [
    'an authority that is none',
    () => withAuthority('aGFsbG8='),
    /its certificate-authority is not in PEM form/,
  ],
  ['a token that is a number', (text) => text.replace('token: t', 'token: 12345'), /token is no text/],
  ['an authority that is a number', () => withAuthority('12345'), /certificate-authority-data is no text/],
  [
    'a switch that is a text',
    (text) => text.replace('server:', 'insecure-skip-tls-verify: "yes"\n    server:'),
    /insecure-skip-tls-verify is neither true nor false/,
  ],
  [
    'an authority without its end',
    () => withAuthority(base64(`${pair.cert}${pair.cert.slice(0, -40)}`)),
    /its certificate-authority is cut off/,
  ],
])('%s is an error that names the file and the flag', async (_what, spoil, problem) => {
  const told = await read(spoil(good));
  expect(told).toMatch(problem);
  expect(told).toMatch(/correct --some-flag \[KUBECONFIG_INVALID\]/);
  expect(told).toContain(file());
});

describe('how the server is known', () => {
  const line = /certificate-authority-data: .*/;

  test('by the name that is given', async () => {
    const text = good.replace(line, (bundle) => `${bundle}\n    tls-server-name: b.test`);
    expect(await read(text)).toMatchObject({ serverName: 'b.test', ca: Buffer.from(pair.cert) });
    expect(await read(good)).not.toHaveProperty('serverName');
  });

  test('not at all where that is asked for', async () => {
    expect(await read(good.replace(line, 'insecure-skip-tls-verify: true'))).toMatchObject({
      skipsVerification: true,
      ca: undefined,
    });
    const both = good.replace(line, (bundle) => `${bundle}\n    insecure-skip-tls-verify: true`);
    expect(await read(both)).toContain(
      'insecure-skip-tls-verify leaves its certificate-authority without effect: remove one of them',
    );
  });
});
