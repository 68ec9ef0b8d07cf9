/**
 * The thread in which the control planes of this process run, one for all. It is of its own so that neither work nor
 * faked timers of a test hold up the service, and it ends with the process.
 */
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { asError } from '../base/errors.ts';
import { StartError } from '../base/start-error.ts';
import type { CallName, FromHost, HostCalls, HostError, ToHost } from './host/protocol.ts';

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

// Sources and built files have different extensions.
const program = join(import.meta.dirname, 'host', `thread-main${extname(import.meta.filename)}`);

export class HostThread {
  static #shared: HostThread | undefined;
  readonly #worker = new Worker(program, { execArgv: [], stdout: false });
  readonly #pending = new Map<number, Pending>();
  #last = 0;

  private constructor() {
    this.#worker.unref();
    this.#worker.on('message', (message: FromHost) => {
      this.#hear(message);
    });
    this.#worker.on('error', (error) => {
      this.#fail(asError(error));
    });
    this.#worker.on('exit', (code) => {
      this.#fail(new Error(`the thread of the control planes ended with code ${String(code)}`));
    });
  }

  /** The one of this process; a new one if it has ended. */
  static shared(): HostThread {
    HostThread.#shared ??= new HostThread();
    return HostThread.#shared;
  }

  /**
   * Asks the thread.
   * @throws StartError for a start that cannot work; Error with the message of the thread
   */
  call<Name extends CallName>(
    name: Name,
    ...args: Parameters<HostCalls[Name]>
  ): Promise<ReturnType<HostCalls[Name]>> {
    this.#last += 1;
    const message: ToHost = { id: this.#last, call: name, args };
    return new Promise((resolve, reject) => {
      this.#pending.set(message.id, { resolve: resolve as Pending['resolve'], reject });
      // The process lives as long as somebody waits.
      this.#worker.ref();
      this.#worker.postMessage(message);
    });
  }

  #hear(message: FromHost): void {
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (this.#pending.size === 0) this.#worker.unref();
    if (message.error !== undefined) pending?.reject(errorOf(message.error));
    else pending?.resolve(message.value);
  }

  #fail(error: Error): void {
    if (HostThread.#shared === this) HostThread.#shared = undefined;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}

function errorOf({ message, details }: HostError): Error {
  return details === undefined ? new Error(message) : new StartError(details);
}
