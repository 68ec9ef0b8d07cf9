/**
 * The thread in which the control planes of this process run, one for all. It is of its own so that neither work nor
 * faked timers of a test hold up the service, and it ends with the process.
 */
import { extname, join } from 'node:path';
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import { exactNumbersFlag } from '../base/exact-numbers.ts';
import { StartError } from '../base/start-error.ts';
import { ApiError } from './api-error.ts';
import { checkNode } from './check-node.ts';
import { later } from './later.ts';
import type { CallName, FromHost, HostCalls, HostError, ToHost } from './host/protocol.ts';

/** Resolves a call with what makes its error, so that `call` throws: the stack of that has who called. */
type Answered = (answer: { readonly value?: unknown; readonly error?: () => Error }) => void;

interface RunningThread {
  readonly worker: Worker;
  /** Why it ended; undefined while it runs. */
  ended?: string;
}

// Sources and built files have different extensions; the CommonJS form of this file uses the same thread.
const extension = extname(import.meta.filename) === '.ts' ? '.ts' : '.js';
const program = join(import.meta.dirname, 'host', `thread-main${extension}`);

/**
 * Where the threads of this process are found, by program. Test runners load this module again for each file of tests, in a
 * realm of its own; what comes with Node is the same for all of them.
 */
const place = Symbol.for('orch-apiserver.testing.threads');

/**
 * For objects that do not live long. With Node's own limit, a first start has 20 MB more resident and 6,000 writes 60 MB
 * more, and neither takes less time.
 */
const maxYoungGenerationSizeMb = 6;

/** The way to the thread from this realm. */
export class HostThread {
  static #shared: HostThread | undefined;
  readonly #thread: RunningThread;
  readonly #port: MessagePort;
  readonly #pending = new Map<number, Answered>();
  #last = 0;

  private constructor() {
    this.#thread = runningThread();
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.on('message', (message: FromHost) => {
      this.#hear(message);
    });
    port1.on('close', () => {
      this.#fail(`the thread of the control planes ended: ${this.#thread.ended ?? 'closed'}`);
    });
    port1.unref();
    this.#thread.worker.postMessage({ port: port2 }, [port2]);
  }

  /** The one of this process; a new one if it has ended. */
  static shared(): HostThread {
    HostThread.#shared ??= new HostThread();
    return HostThread.#shared;
  }

  /**
   * Asks the thread.
   * @throws StartError for a start that cannot work; ApiError for what the service refuses; Error with the message of the thread;
   * DataCloneError for arguments that cannot be sent, such as functions
   */
  async call<Name extends CallName>(
    name: Name,
    ...args: Parameters<HostCalls[Name]>
  ): Promise<ReturnType<HostCalls[Name]>> {
    this.#last += 1;
    const message: ToHost = { id: this.#last, call: name, args };
    const answer = await new Promise<Parameters<Answered>[0]>((resolve) => {
      // First, as nothing is to be waited for if it throws.
      this.#port.postMessage(message);
      this.#pending.set(message.id, resolve);
      // The process lives as long as an answer is waited for.
      this.#port.ref();
    });
    if (answer.error !== undefined) throw answer.error();
    return answer.value as ReturnType<HostCalls[Name]>;
  }

  #hear(message: FromHost): void {
    const answered = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (this.#pending.size === 0) this.#port.unref();
    if (message.error === undefined) {
      answered?.({ value: message.value });
      return;
    }
    const { error } = message;
    answered?.({ error: () => errorOf(error) });
  }

  #fail(why: string): void {
    if (HostThread.#shared === this) HostThread.#shared = undefined;
    for (const answered of this.#pending.values()) answered({ error: () => new Error(why) });
    this.#pending.clear();
  }
}

function runningThread(): RunningThread {
  const holder = Worker as unknown as { [place]: Map<string, RunningThread> | undefined };
  const threads = (holder[place] ??= new Map<string, RunningThread>());
  const running = threads.get(program);
  if (running !== undefined) return running;
  const started = startThread();
  threads.set(program, started);
  started.worker.on('exit', (code) => {
    threads.delete(program);
    started.ended ??= `code ${String(code)}`;
  });
  return started;
}

function startThread(): RunningThread {
  checkNode();
  if (exactNumbersFlag !== undefined) later.v8.setFlagsFromString(exactNumbersFlag);
  const options = { execArgv: [], stdout: false, resourceLimits: { maxYoungGenerationSizeMb } };
  const thread: RunningThread = { worker: new Worker(program, options) };
  thread.worker.unref();
  thread.worker.on('error', (error) => {
    thread.ended = String(error);
  });
  return thread;
}

function errorOf({ message, details, refusal }: HostError): Error {
  if (refusal !== undefined) return new ApiError(refusal.request, refusal.status);
  return details === undefined ? new Error(message) : new StartError(details);
}
