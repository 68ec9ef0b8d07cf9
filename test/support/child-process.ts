/** Child processes of tests: output kept for failures, a sure end, and none that outlives its parent. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

import { findProgram } from './paths.ts';
import { waitFor, within } from './wait-for.ts';

export interface ChildOptions {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** The signal that the child gets when its parent dies without stopping it; default SIGKILL. */
  readonly parentDeathSignal?: 'SIGKILL' | 'SIGTERM';
}

export interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const keptOutput = 256 * 1024;

/** A running program. Its last 256 KB of output (both streams) are kept. */
export class Child {
  readonly name: string;
  readonly pid: number;
  readonly exited: Promise<ChildExit>;
  /** Resolves when all that was printed has been read, which may be after the exit. */
  readonly closed: Promise<void>;
  readonly #process: ChildProcess;
  #output = '';
  #exit: ChildExit | undefined;

  private constructor(name: string, child: ChildProcess, pid: number) {
    this.name = name;
    this.pid = pid;
    this.#process = child;
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#exit = { code, signal };
        resolve(this.#exit);
      });
    });
    this.closed = new Promise((resolve) => {
      child.once('close', () => resolve());
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output = (this.#output + text).slice(-keptOutput);
      });
    }
  }

  /** Starts a program. @throws when it cannot be started */
  static async start(options: ChildOptions): Promise<Child> {
    const [program, args] = boundToParent(options);
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      ...(options.env === undefined ? {} : { env: options.env }),
    });
    await new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    return new Child(options.name, child, child.pid ?? 0);
  }

  /** What the program has printed. */
  output(): string {
    return this.#output;
  }

  /** How it ended; undefined while it runs. */
  exit(): ChildExit | undefined {
    return this.#exit;
  }

  /** Sends a signal; nothing happens when the program has ended. */
  signal(signal: NodeJS.Signals): void {
    if (this.#exit === undefined) this.#process.kill(signal);
  }

  /** SIGSTOP; resolves when every thread stands still, which is a little after the signal was sent. */
  async freeze(): Promise<void> {
    await freeze(this.pid);
  }

  /** SIGTERM, and SIGKILL when it has not ended within `grace` milliseconds. */
  async stop(grace = 10_000): Promise<ChildExit> {
    this.signal('SIGCONT');
    this.signal('SIGTERM');
    try {
      return await within(`${this.name} to stop`, grace, this.exited);
    } catch {
      return this.kill();
    }
  }

  /** SIGKILL; resolves when it is gone. */
  async kill(): Promise<ChildExit> {
    this.signal('SIGKILL');
    return within(`${this.name} to die`, 10_000, this.exited);
  }
}

/** SIGSTOP to any process; resolves as `Child.freeze` does. */
export async function freeze(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await waitFor(`process ${String(pid)} to stand still`, () => isStill(pid), { interval: 5 });
}

/** Whether all threads of a process are stopped; where the system does not tell, the signal is trusted. */
function isStill(pid: number): boolean {
  const tasks = `/proc/${pid}/task`;
  if (!existsSync(tasks)) return true;
  return readdirSync(tasks).every((task) => /\) T /.test(readFileSync(`${tasks}/${task}/stat`, 'utf8')));
}

/** Where `setpriv` exists (Linux) the kernel ends the child when its parent dies, however it dies. */
function boundToParent(options: ChildOptions): [string, string[]] {
  const setpriv = process.platform === 'linux' ? findProgram('setpriv') : undefined;
  if (setpriv === undefined) return [options.program, [...options.args]];
  const signal = (options.parentDeathSignal ?? 'SIGKILL').slice(3);
  return [setpriv, ['--pdeathsig', signal, '--', options.program, ...options.args]];
}
