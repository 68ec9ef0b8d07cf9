/** Runs kubectl against a replica, with home, cache and kubeconfig in a temporary folder. */
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { Child } from '../../support/child-process.ts';
import { findProgram } from '../../support/paths.ts';
import type { Replica } from '../../support/replica.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

export interface KubectlResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Terminal {
  /** Everything that was shown. */
  readonly shown: () => string;
  /** Types on the keyboard. */
  readonly type: (text: string) => void;
  /** The exit code of the command. */
  readonly ended: Promise<number>;
}

export interface Kubectl extends AsyncDisposable {
  /** The folder for files that commands name. */
  readonly folder: string;
  /** Runs to the end; `input` goes to stdin, `extra` to the environment. Any exit code is a result. */
  run(args: readonly string[], input?: string, extra?: NodeJS.ProcessEnv): Promise<KubectlResult>;
  /** The same, and gives stdout. @throws Error with everything printed unless the exit code is 0 */
  ok(args: readonly string[], input?: string, extra?: NodeJS.ProcessEnv): Promise<string>;
  /** Starts a command that goes on until it is stopped, such as a watch. */
  start(args: readonly string[], extra?: NodeJS.ProcessEnv): Promise<Child>;
  /** Starts a command in a terminal of 30 rows and 100 columns. */
  inTerminal(args: readonly string[], extra?: NodeJS.ProcessEnv): Terminal;
  close(): Promise<void>;
}

/** The path of kubectl; undefined where none is installed. */
export function findKubectl(): string | undefined {
  return findProgram('kubectl');
}

/**
 * As the administrator, or with a token.
 * @param program the kubectl to run,; default: that of the machine
 * @throws when kubectl is not on PATH
 */
export async function makeKubectl(
  replica: Replica,
  token?: string,
  program = findKubectl(),
): Promise<Kubectl> {
  if (program === undefined) throw new Error('no kubectl on PATH (Debian: kubernetes-client)');
  const home = await makeTempFolder('kubectl');
  const kubeconfig = join(home.path, 'kubeconfig');
  await writeFile(kubeconfig, JSON.stringify(kubeconfigOf(replica, token)));
  const env = { PATH: process.env['PATH'], HOME: home.path, KUBECONFIG: kubeconfig, KUBECTL_KUBERC: 'false' };
  // First: everything behind `--` belongs to the program that exec runs.
  const complete = (args: readonly string[]): string[] => [
    `--cache-dir=${join(home.path, 'cache')}`,
    ...args,
  ];
  const run = (args: readonly string[], input = '', extra: NodeJS.ProcessEnv = {}): Promise<KubectlResult> =>
    finish(program, { args: complete(args), env: { ...env, ...extra }, cwd: home.path, input });
  return {
    folder: home.path,
    run,
    ok: async (args, input, extra) => {
      const { code, stdout, stderr } = await run(args, input, extra);
      if (code !== 0) throw new Error(`kubectl ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`);
      return stdout;
    },
    start: (args, extra) =>
      Child.start({
        ...{ name: 'kubectl', program, args: complete(args), cwd: home.path },
        env: { ...env, ...extra },
      }),
    inTerminal: (args, extra) => openTerminal([program, ...complete(args)], { ...env, ...extra }),
    close: () => home.remove(),
    [Symbol.asyncDispose]: () => home.remove(),
  };
}

/** What a kubeconfig says of a replica: as the administrator, or with a token. */
export function kubeconfigOf({ url, pki }: Replica, token?: string): object {
  const certificate = { 'client-certificate': pki.admin.certFile, 'client-key': pki.admin.keyFile };
  const user = token === undefined ? certificate : { token };
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server: url, 'certificate-authority': pki.authority.caFile } }],
    users: [{ name: 'user', user }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'user' } }],
    'current-context': 'test',
  };
}

/** With `script` of util-linux, as Node opens no terminals. */
function openTerminal(command: readonly string[], env: NodeJS.ProcessEnv): Terminal {
  const words = command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  const sized = `stty rows 30 cols 100; exec ${words}`;
  const options = { env: { ...env, SHELL: '/bin/sh', TERM: 'dumb' }, timeout: 30_000 };
  const child = spawn('script', ['-qefc', sized, '/dev/null'], options);
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (shown += text));
  child.stdin.on('error', () => undefined);
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject).once('close', (code) => resolve(code ?? -1));
  });
  return { shown: () => shown, type: (text) => child.stdin.write(text), ended };
}

interface Invocation {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly input: string;
}

function finish(program: string, { args, env, cwd, input }: Invocation): Promise<KubectlResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, cwd, timeout: 30_000 });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (stdout += String(text)));
    child.stderr.setEncoding('utf8').on('data', (text) => (stderr += String(text)));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? -1, stdout, stderr }));
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
