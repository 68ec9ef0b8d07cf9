/** Whatever is wrong at start: one clear line per error, exit code 1. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readKubeconfig } from '../../../src/webhook/kubeconfig-reader.ts';
import { ensurePki } from '../../../src/pki/folder.ts';
import { writeKubeconfig } from '../../../src/pki/kubeconfig-writer.ts';
import { freePort } from '../../support/free-port.ts';
import { Child } from '../../support/child-process.ts';
import { entryPoint, nodeBinary } from '../../support/paths.ts';
import { within } from '../../support/wait-for.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { runToEnd } from '../../support/service.ts';

let temporary: TempFolder;
let occupied: Server;
let port: number;
const at = (name: string): string => join(temporary.path, name);

beforeAll(async () => {
  temporary = await makeTempFolder('start-errors');
  await ensurePki({ folder: temporary.path, hosts: [] });
  await writeKubeconfig({
    ...{ path: at('admin.kubeconfig'), pkiFolder: temporary.path },
    ...{ server: 'https://127.0.0.1:1', client: 'admin' },
  });
  writeFileSync(at('spoilt'), 'spoilt');
  writeFileSync(at('tokens'), 'secret,ann\n"secret\n');
  execFileSync('mkfifo', [at('pipe')]);
  writeFileSync(at('huge'), '');
  truncateSync(at('huge'), 1024 ** 3);
  port = await freePort();
  occupied = createServer();
  await new Promise<void>((resolve) => {
    occupied.listen(port, '127.0.0.1', resolve);
  });
});
afterAll(async () => {
  await new Promise((resolve) => occupied.close(resolve));
  await temporary.remove();
});

const cases: { name: string; words: () => string[]; want: RegExp[] }[] = [
  {
    name: 'a port in use',
    words: () => [`--data-dir=${at('data')}`, `--secure-port=${String(port)}`],
    want: [
      /port \d+ of 127\.0\.0\.1 is in use; stop the program that listens there, or use another --secure-port \[PORT_IN_USE\]/,
    ],
  },
  {
    name: 'a port in use, by several workers',
    words: () => [`--data-dir=${at('data')}`, `--secure-port=${String(port)}`, '--workers=3'],
    want: [/port \d+ of 127\.0\.0\.1 is in use; .* \[PORT_IN_USE\]/],
  },
  {
    name: 'a port for health checks in use',
    words: () => [`--data-dir=${at('data')}`, '--secure-port=0', `--health-check-port=${String(port)}`],
    want: [/port \d+ of 127\.0\.0\.1 is in use; .* or use another --health-check-port \[PORT_IN_USE\]/],
  },
  {
    name: 'an address of another machine',
    words: () => [`--data-dir=${at('data')}`, '--secure-port=0', '--bind-address=192.0.2.1'],
    want: [
      /cannot listen on port 0 of 192\.0\.2\.1 \(the address does not belong to this machine\).*\[ADDRESS_UNAVAILABLE\]/,
    ],
  },
  {
    name: 'an etcd that is not there',
    words: () => [`--data-dir=${at('data')}`, '--secure-port=0', '--etcd-servers=http://127.0.0.1:1'],
    want: [
      /etcd cannot be used at http:\/\/127\.0\.0\.1:1 \(.*ECONNREFUSED 127\.0\.0\.1:1\); start it, or correct --etcd-servers .*\[ETCD_UNREACHABLE\]/,
    ],
  },
  {
    name: 'files that are missing or wrong, all at once',
    words: () => [
      `--tls-cert-file=${at('none')}`,
      `--tls-private-key-file=${at('server.key')}`,
      `--client-ca-file=${at('spoilt')}`,
      `--token-auth-file=${at('tokens')}`,
    ],
    want: [
      /none cannot be read \(no such file or folder\); correct --tls-cert-file or the file \[FILE_UNREADABLE\]/,
      /spoilt holds no certificate authorities.*\[CA_INVALID\]/,
      /tokens: line 1: needs at least three columns.*; line 2: the closing quote is missing.*\[TOKEN_FILE_INVALID\]/,
    ],
  },
  {
    name: 'pipes, devices and huge files, which are not waited for and not read to their end',
    words: () => [
      `--token-auth-file=${at('pipe')}`,
      `--client-ca-file=/dev/zero`,
      `--audit-log-path=${at('pipe')}`,
      `--audit-policy-file=${at('huge')}`,
      '--authorization-mode=RBAC,Webhook',
      `--authorization-webhook-config-file=${at('pipe')}`,
    ],
    want: [
      /zero cannot be read \(not a regular file\); correct --client-ca-file or the file \[FILE_UNREADABLE\]/,
      /pipe cannot be read \(not a regular file\); correct --token-auth-file or the file \[FILE_UNREADABLE\]/,
      /pipe cannot be read \(not a regular file\); correct --authorization-webhook-config-file or the file \[FILE_UNREADABLE\]/,
      /huge cannot be read \(it has 1073741824 bytes, more than the limit of 67108864\); correct --audit-policy-file or/,
      /pipe cannot be written \(a named pipe that no process reads\); correct --audit-log-path or the folder \[FILE_UNWRITABLE\]/,
    ],
  },
  {
    name: 'a key of another certificate',
    words: () => [`--tls-cert-file=${at('server.crt')}`, `--tls-private-key-file=${at('admin.key')}`],
    want: [/admin\.key does not belong to the certificate .*server\.crt; correct .*\[KEY_MISMATCH\]/],
  },
  {
    name: 'flags that do not exist, have wrong values or lack another',
    words: () => ['--secure-prot=1', '--naming=none', `--etcd-certfile=${at('etcd.crt')}`],
    want: [
      /unknown flag --secure-prot; did you mean --secure-port\? \[FLAG_UNKNOWN\]/,
      /flag --naming has the value "none"; give orch or kubernetes \[FLAG_VALUE\]/,
      /--etcd-certfile is given without --etcd-keyfile.*\[FLAG_COMBINATION\]/,
      /--etcd-certfile is given without --etcd-servers.*\[FLAG_COMBINATION\]/,
    ],
  },
  {
    name: 'a word that is no command',
    words: () => ['sevre'],
    want: [
      /"sevre" is neither a command nor a flag; the commands are serve, controllers, convert, pki, backup, restore and version.*\[ARGUMENT_UNEXPECTED\]/,
    ],
  },
  {
    name: 'a data folder where the system lets nobody make one',
    words: () => ['--data-dir=/proc/x/y', '--secure-port=0'],
    want: [/the data folder \/proc\/x\/y cannot be used .*\[DATA_FOLDER_UNUSABLE\]/],
  },
  {
    name: 'a folder for the PKI where the system lets nobody make one',
    words: () => ['pki', '--out=/proc/x'],
    want: [/the PKI folder \/proc\/x cannot be used .*\[DATA_FOLDER_UNUSABLE\]/],
  },
  {
    name: 'a data folder that cannot be one',
    words: () => [`--data-dir=${at('spoilt')}/x`, '--secure-port=0'],
    want: [
      /the data folder .* cannot be used \(.*a component of the path is not a folder\).*\[DATA_FOLDER_UNUSABLE\]/,
    ],
  },
  {
    name: 'a file where etcd has its data',
    words: () => [
      `--data-dir=${made('no-etcd', (folder) => writeFileSync(join(folder, 'etcd'), ''))}`,
      '--secure-port=0',
    ],
    want: [
      /the data folder .* cannot be used \(.*no-etcd\/etcd: .*\); make it writable .*\[DATA_FOLDER_UNUSABLE\]/,
    ],
  },
  {
    name: "a named pipe in the place of etcd's log",
    words: () => [
      `--data-dir=${made('no-log', (folder) => execFileSync('mkfifo', [join(folder, 'etcd.log')]))}`,
      '--secure-port=0',
    ],
    want: [/the data folder .* cannot be used \(.*no-log\/etcd\.log: .*\[DATA_FOLDER_UNUSABLE\]/],
  },
  {
    name: 'a folder in the place of the kubeconfig',
    words: () => [
      `--data-dir=${made('no-file', (folder) => mkdirSync(join(folder, 'kubeconfig')))}`,
      '--secure-port=0',
    ],
    want: [
      /the data folder .* cannot be used \(.*kubeconfig.*\); make it writable .*\[DATA_FOLDER_UNUSABLE\]/,
    ],
  },
];

/** A data folder in which something is wrong. */
function made(name: string, spoil: (folder: string) => void): string {
  const folder = at(name);
  mkdirSync(folder, { mode: 0o700 });
  spoil(folder);
  return folder;
}

test.each(cases)('$name', async ({ words, want }) => {
  const { code, output } = await runToEnd(words());
  const lines = output
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('{'));
  expect(lines).toHaveLength(want.length);
  want.forEach((pattern, i) => {
    expect(lines[i]).toMatch(pattern);
  });
  for (const line of lines) expect(line).toMatch(/^orch-apiserver: /);
  expect(output).not.toContain('secret');
  expect(code).toBe(1);
});

test.each([['serve'], ['serve', '--workers=2'], ['controllers']])(
  'a variable by which Node takes the process for a worker of another one ends it: %s %s',
  async (...words) => {
    const flags =
      words[0] === 'serve'
        ? [`--data-dir=${at('marked')}`, '--secure-port=0']
        : [`--kubeconfig=${at('admin.kubeconfig')}`];
    const { code, output } = await runToEnd([...words, ...flags], 30_000, { NODE_UNIQUE_ID: '7' });
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(
        /^orch-apiserver: the variable NODE_UNIQUE_ID marks .*; unset NODE_UNIQUE_ID \[ENVIRONMENT_INVALID\]\n$/,
      ),
    ]);
  },
);

test.each([
  [24, 'serve'],
  [120, 'serve'],
  [24, 'controllers'],
])('a limit of %i open files ends %s with what to raise', async (files, command) => {
  const flag = command === 'serve' ? `--data-dir=${at('few')}` : `--kubeconfig=${at('admin.kubeconfig')}`;
  const child = await Child.start({
    name: 'service',
    program: '/bin/sh',
    args: [
      '-c',
      `ulimit -n ${String(files)}; exec "$@"`,
      'sh',
      nodeBinary(),
      entryPoint(),
      command,
      flag,
      '--secure-port=0',
    ],
  });
  const { code } = await within('the end', 30_000, child.exited);
  await within('the output', 10_000, child.closed);
  expect([code, child.output()]).toEqual([
    1,
    `orch-apiserver: only ${String(files)} files may be open at once, and a start needs 150; ` +
      'raise the limit (ulimit -n) to 1024 or more [LIMIT_TOO_LOW]\n',
  ]);
});

test('a worker that runs out of memory before it serves ends the start with what to raise', async () => {
  const bugs = pathToFileURL(join(import.meta.dirname, 'misbehave.mjs')).href;
  const env = { NODE_OPTIONS: `--max-old-space-size=96 --import=${bugs}`, MISBEHAVE: 'at the start' };
  const words = [`--data-dir=${at('greedy')}`, '--secure-port=0'];
  const { code, output } = await runToEnd(words, 60_000, env);
  expect([code, output]).toEqual([
    1,
    expect.stringMatching(
      /before it served \(out_of_memory\); .*raise the limit of the heap .*\[MEMORY_EXHAUSTED\]\n$/,
    ),
  ]);
});

test('help lists every flag, version prints the version, both exit with code 0', async () => {
  const help = await runToEnd(['--help']);
  expect([help.code, help.output]).toEqual([0, expect.stringContaining('--etcd-servers <URLS>')]);
  for (const words of [['version'], ['--version'], ['serve', '--version'], ['controllers', '--version']]) {
    const { code, output } = await runToEnd(words);
    expect([code, output]).toEqual([
      0,
      expect.stringMatching(/^orch-apiserver v1\.21\.0\S* \(Node v.+\)\n$/),
    ]);
  }
});

test('pki makes a folder once', async () => {
  const words = ['pki', `--out=${at('made')}`, '--host=a.test', '--host', 'b.test,10.0.0.1'];
  const all = 'ca, server, admin, controller-manager, prometheus, etcd-ca, etcd, service-account';
  expect((await runToEnd(words)).output).toMatch(new RegExp(`made ${all}; kept nothing\n$`));
  expect((await runToEnd(words)).output).toMatch(new RegExp(`made nothing; kept ${all}\n$`));
  expect(await runToEnd(['pki', '--server=api.test:6443'])).toMatchObject({
    code: 1,
    output: expect.stringMatching(/--out is missing[^]*--server has the value "api.test:6443"/) as string,
  });
});

test('pki writes a kubeconfig for each client, and rewrites it if the address has changed', async () => {
  const words = (server: string): string[] => ['pki', `--out=${at('clients')}`, `--server=${server}`];
  await runToEnd(words('https://old.test:6443'));
  await runToEnd(words('https://api.test:6443'));
  for (const client of ['admin', 'controller-manager']) {
    const access = await readKubeconfig(at(`clients/${client}.kubeconfig`));
    expect(access.server.href).toBe('https://api.test:6443/');
    expect(access.ca).toEqual(readFileSync(at('clients/ca.crt')));
    expect(access.cert).toEqual(readFileSync(at(`clients/${client}.crt`)));
    expect(access.key).toEqual(readFileSync(at(`clients/${client}.key`)));
  }
});
