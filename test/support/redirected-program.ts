/** Programs whose output goes where nothing takes it: a full disk, a pipe that nobody reads or whose reader has gone. */
import { execFileSync } from 'node:child_process';
import { constants, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { Child } from './child-process.ts';
import { nodeBinary } from './paths.ts';
import { makeTempFolder, type TempFolder } from './temp-folder.ts';
import { within } from './wait-for.ts';

/** Create it in a test file: its hooks make a named pipe for each test, and stop what the test has started. */
export class RedirectedProgram {
  readonly #source: string;
  #folder: TempFolder | undefined;
  #child: Child | undefined;

  /** @param source JavaScript, a module; SIGTERM ends it with code 0 */
  constructor(source: string) {
    this.#source = source;
    beforeEach(async () => {
      this.#folder = await makeTempFolder('redirected');
      execFileSync('mkfifo', [this.pipe]);
    });
    afterEach(async () => {
      await this.#child?.stop();
      await this.#folder?.remove();
    });
  }

  /** Path of the named pipe. */
  get pipe(): string {
    if (this.#folder === undefined) throw new Error('no test runs');
    return join(this.#folder.path, 'pipe');
  }

  get child(): Child {
    if (this.#child === undefined) throw new Error('the program was not started');
    return this.#child;
  }

  /** @param redirect as a shell writes it: `>/dev/full` */
  async start(redirect: string): Promise<void> {
    this.#child = await Child.start({
      name: 'redirected',
      program: '/bin/sh',
      args: ['-c', `exec "$0" --input-type=module -e "$1" ${redirect}`, nodeBinary(), this.#source],
    });
  }

  /** The reading end of the pipe, opened without waiting for a writer. */
  openReader(): number {
    return openSync(this.pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  }

  /** Ends it, which it does in order. */
  async end(): Promise<void> {
    this.child.signal('SIGTERM');
    expect((await within('the end', 5_000, this.child.exited)).code).toBe(0);
  }
}

/** 0: there is nothing to read now. */
export function readNow(fd: number, bytes: Buffer): number {
  try {
    return readSync(fd, bytes);
  } catch {
    return 0;
  }
}
