/** The bare figures' processes, seen from the bench. */
import type { ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { ServicePki } from '../../support/replica.ts';
import type { BareEtcdLoad } from './bare-etcd.ts';
import type { BareAnswer, BareCommand } from './bare-server.ts';
import { forkHere } from './load.ts';
import type { RunReport } from './run.ts';

/** The least that Express over HTTPS can do, in a process of its own. */
export class BareServer implements Disposable {
  readonly #child = forkHere('bare-server.ts');
  readonly #folder: string;
  #files = 0;
  port = 0;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async start({ authority, server }: ServicePki, folder: string): Promise<BareServer> {
    const bare = new BareServer(folder);
    const { cert, key } = server;
    ({ port: bare.port } = await bare.#ask({ kind: 'listen', ca: authority.ca, cert, key }));
    return bare;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async serve(path: string, body: Buffer): Promise<void> {
    await this.#ask({ kind: 'serve', path, file: await this.#write(body) });
  }

  /** Prepares `count` writes of an event to every open response of `/watch`; the result does them. */
  async prepareBurst(event: Buffer, count: number): Promise<() => Promise<unknown>> {
    const file = await this.#write(event);
    return () => this.#ask({ kind: 'burst', file, count });
  }

  /** What is asked for below `/fresh` waits for a probe from now on. */
  async probe(endpoints: readonly string[]): Promise<void> {
    await this.#ask({ kind: 'probe', endpoints });
  }

  /** What is sent to `/store` from now on stores `value` in etcd, and is answered with it. */
  async store(value: Buffer, endpoints: readonly string[], updates: boolean): Promise<void> {
    await this.#ask({ kind: 'store', endpoints, file: await this.#write(value), updates });
  }

  [Symbol.dispose](): void {
    this.#child.kill();
  }

  async #write(body: Buffer): Promise<string> {
    this.#files += 1;
    const file = join(this.#folder, `bare-${this.#files}`);
    await writeFile(file, body);
    return file;
  }

  async #ask(command: BareCommand): Promise<BareAnswer> {
    return (await ask(this.#child, command)) as BareAnswer;
  }
}

/** A raw loop of etcd transactions, in a process of its own. */
export class BareEtcd implements Disposable {
  readonly #child = forkHere('bare-etcd.ts');

  async run(load: BareEtcdLoad): Promise<RunReport> {
    return (await ask(this.#child, load)) as RunReport;
  }

  [Symbol.dispose](): void {
    this.#child.kill();
  }
}

function ask(child: ChildProcess, message: BareCommand | BareEtcdLoad): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onExit = (): void => reject(new Error('a bare process ended'));
    child.once('exit', onExit);
    child.once('message', (answer) => {
      child.off('exit', onExit);
      resolve(answer);
    });
    child.send(message);
  });
}
