import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readKubeconfig } from '../../../src/webhook/kubeconfig-reader.ts';
import { StartError } from '../../../src/base/start-error.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

let temporary: TempFolder;
const file = (): string => join(temporary.path, 'config');

beforeAll(async () => {
  temporary = await makeTempFolder('kubeconfig');
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

const good = `apiVersion: v1
clusters:
- name: c
  cluster:
    server: https://a.test/path
    certificate-authority-data: Y2E=
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
  expect(await read(good)).toMatchObject({ ca: Buffer.from('ca'), token: 't', cert: undefined });
  expect(await read(good)).toHaveProperty('server.href', 'https://a.test/path');
});

test('a token may be in a file of its own; all files that were read are told', async () => {
  writeFileSync(join(temporary.path, 'word'), 'secret\n');
  writeFileSync(join(temporary.path, 'pair'), 'pem');
  const user = 'tokenFile: word\n    client-certificate: pair\n    client-key-data: a2V5';
  expect(await read(good.replace('token: t', user))).toMatchObject({
    token: 'secret',
    key: Buffer.from('key'),
    files: [file(), join(temporary.path, 'pair'), join(temporary.path, 'word')],
  });
  expect(await read(good.replace('token: t', 'tokenFile: none'))).toMatch(/none cannot be read/);
});

test.each([
  ['no YAML', good.replace('users:', 'users: ['), /line \d+: invalid YAML/],
  ['a list', '- a\n', /line 1: not a kubeconfig/],
  [
    'another context',
    good.replace('current-context: x', 'current-context: y'),
    /line 16: current-context is not among contexts/,
  ],
  ['http', good.replace('https:', 'http:'), /line 5: the server is no https URL/],
  [
    'several errors',
    good.replace('cluster: c\n', 'cluster: d\n').replace('user: u\n', 'user: v\n'),
    /line 14: the context's cluster is not among clusters; line 15: the context's user is not among users/,
  ],
])('%s is an error with its line and the flag', async (_what, text, problem) => {
  const told = await read(text);
  expect(told).toMatch(problem);
  expect(told).toMatch(/correct --some-flag \[KUBECONFIG_INVALID\]/);
  expect(told).toContain(file());
});
