/** Runs the programs of etcd. */
import { execFile, type ExecException } from 'node:child_process';
import { StartError } from '../base/start-error.ts';
import { findEtcdBinary } from '../local-etcd/etcd-binary.ts';
import { etcdEnvironment, guardScript } from '../local-etcd/etcd-command.ts';
import { findProgram } from '../local-etcd/find-program.ts';

const mostOutput = 16 * 1024 * 1024;

export interface EtcdTools {
  readonly etcd: string;
  readonly etcdctl: string;
  /** The program with `snapshot status` and `snapshot restore`, which etcdctl lacks since 3.6. */
  readonly snapshots: string;
}

export interface ToolOptions {
  readonly signal: AbortSignal;
  readonly cwd?: string;
}

/**
 * Searches PATH and `<folder>/bin`.
 * @throws StartError if a program is missing
 */
export async function findEtcdTools(folder: string, signal: AbortSignal): Promise<EtcdTools> {
  const etcd = await findEtcdBinary(folder);
  const etcdctl = await findProgram('etcdctl', folder);
  if (etcdctl === undefined)
    throw StartError.of('ETCDCTL_MISSING', 'no etcdctl is in PATH', 'install etcdctl of the release of etcd');
  const [, major = '0', minor = '0'] =
    /etcdctl version: (\d+)\.(\d+)/.exec(await runTool(etcdctl, ['version'], { signal })) ?? [];
  if (Number(major) === 3 && Number(minor) < 6) return { etcd, etcdctl, snapshots: etcdctl };
  const snapshots = await findProgram('etcdutl', folder);
  if (snapshots === undefined)
    throw StartError.of('ETCDCTL_MISSING', 'no etcdutl is in PATH', 'install etcdutl of the release of etcd');
  return { etcd, etcdctl, snapshots };
}

/** A failed program of etcd; the message is its error. */
export class ToolError extends Error {}

/**
 * Returns the standard output of the program. It ends with this process, even if that is killed: etcdctl would wait for
 * an etcd that is gone.
 * @throws ToolError if it fails or is cancelled
 */
export function runTool(
  program: string,
  args: readonly string[],
  { signal, cwd }: ToolOptions,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { ...withoutToolSettings(etcdEnvironment(process.env)), ETCDCTL_API: '3' };
    const options = { env, maxBuffer: mostOutput, ...(cwd !== undefined && { cwd }) };
    const words = ['-c', guardScript, 'sh', program, ...args];
    const child = execFile('/bin/sh', words, options, (error, stdout, stderr) => {
      signal.removeEventListener('abort', end);
      if (error === null) resolve(stdout);
      else reject(new ToolError(complaintIn(stderr) ?? howItEnded(program, signal, error), { cause: error }));
    });
    const end = (): void => void child.stdin?.on('error', () => undefined).end();
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  });
}

function howItEnded(program: string, { aborted }: AbortSignal, { code, signal }: ExecException): string {
  return aborted ? `${program} was cancelled` : `${program} ended with ${String(code ?? signal)}`;
}

/** Removes endpoints and certificates of a running cluster from the environment. */
function withoutToolSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('ETCDCTL_')));
}

/** The error line in log output. */
function complaintIn(text: string): string | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('{'));
  const found = lines.find((line) => /^(Error|panic|fatal)/i.test(line)) ?? lines[0];
  return found?.slice(0, 400);
}
