/**
 * Large YAML is read beside the one thread that serves everybody: 3 MB of it hold a thread for half a second, where JSON
 * of that size takes some 30 ms. A second thread turns it into JSON. It is started when it is needed, and ends when it
 * was not for a while.
 */
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { messageOf } from '../base/errors.ts';
import type { JsonValue } from '../base/json.ts';
import { serviceUnavailable, tooManyRequests } from '../meta/status.ts';
import { DecodeError } from './decode-error.ts';
import { decodeJson } from './json.ts';
import { decodeYaml, decodeYamlThatIsJson, tellDuplicates, type DecodeYamlOptions } from './yaml.ts';

export interface YamlQuestion {
  readonly id: number;
  /** Has its memory to itself. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export type YamlAnswer =
  | { readonly id: number; readonly duplicates: readonly string[]; readonly json: Uint8Array<ArrayBuffer> }
  | { readonly id: number; readonly fault: string };

type Told = Pick<DecodeYamlOptions, 'onDuplicates'>;

interface Waiting {
  readonly resolve: (answer: YamlAnswer) => void;
  readonly reject: (error: Error) => void;
}

export interface YamlReaderLimits {
  /** YAML up to this many bytes is read at once: some 10 ms. */
  readonly smallBytes: number;
  /** Bodies that may wait for the thread; more are refused. */
  readonly maxWaiting: number;
  /** The thread gets so long for all that waits; then it is ended. */
  readonly deadlineMs: number;
  readonly idleMs: number;
  /** Of the thread's heap. */
  readonly maxMegabytes: number;
}

export const defaultYamlReaderLimits: YamlReaderLimits = {
  smallBytes: 64 * 1024,
  maxWaiting: 16,
  deadlineMs: 20_000,
  idleMs: 30_000,
  maxMegabytes: 512,
};

export class YamlReader {
  private readonly limits: YamlReaderLimits;
  private readonly waiting = new Map<number, Waiting>();
  private thread: Worker | undefined = undefined;
  /** Runs out when the thread takes too long, or has had nothing to do. */
  private timer: NodeJS.Timeout | undefined = undefined;
  private questions = 0;
  private closed = false;

  constructor(limits: YamlReaderLimits = defaultYamlReaderLimits) {
    this.limits = limits;
  }

  /** True while the thread is there; for tests. */
  get isRunning(): boolean {
    return this.thread !== undefined;
  }

  /**
   * As `decodeYaml`.
   * @throws DecodeError as `decodeYaml` does; StatusError 429 when too many wait, 503 when the thread fails
   */
  async decode(bytes: Buffer, told: Told = {}): Promise<JsonValue> {
    if (bytes.length <= this.limits.smallBytes) return decodeYaml(bytes, told);
    const plain = decodeYamlThatIsJson(bytes, told);
    if (plain !== undefined) return plain;
    const answer = await this.ask(bytes);
    if ('fault' in answer) throw new DecodeError(answer.fault);
    tellDuplicates(answer.duplicates, told.onDuplicates);
    return decodeJson(Buffer.from(answer.json.buffer)).value;
  }

  /** Ends the thread; whoever waits for it is refused. Idempotent. */
  close(): void {
    this.closed = true;
    this.end('the server stops');
  }

  private ask(bytes: Buffer): Promise<YamlAnswer> {
    if (this.closed) throw serviceUnavailable('the server stops');
    if (this.waiting.size >= this.limits.maxWaiting) {
      throw tooManyRequests('too many large YAML bodies are being read: send JSON, or try again later', 1);
    }
    const question: YamlQuestion = { id: ++this.questions, bytes: new Uint8Array(bytes) };
    return new Promise((resolve, reject) => {
      this.waiting.set(question.id, { resolve, reject });
      (this.thread ??= this.start()).postMessage(question, [question.bytes.buffer]);
      this.setTimer();
    });
  }

  private start(): Worker {
    const program = join(import.meta.dirname, `yaml-thread${extname(import.meta.filename)}`);
    const { maxMegabytes } = this.limits;
    const thread = new Worker(program, { resourceLimits: { maxOldGenerationSizeMb: maxMegabytes } });
    thread.unref();
    thread.on('message', (answer: YamlAnswer) => {
      this.waiting.get(answer.id)?.resolve(answer);
      this.waiting.delete(answer.id);
      this.setTimer();
    });
    thread.on('error', (error) => {
      if (thread === this.thread) this.end(`a YAML body could not be read: ${messageOf(error)}`);
    });
    return thread;
  }

  private setTimer(): void {
    clearTimeout(this.timer);
    if (this.thread === undefined) return;
    const { deadlineMs, idleMs } = this.limits;
    const isIdle = this.waiting.size === 0;
    this.timer = setTimeout(
      () => {
        this.end('a YAML body took too long to read: send JSON');
      },
      isIdle ? idleMs : deadlineMs,
    ).unref();
  }

  private end(reason: string): void {
    clearTimeout(this.timer);
    const { thread } = this;
    this.thread = undefined;
    // It has nothing to lose; how it ended is of no interest.
    void thread?.terminate().catch(() => undefined);
    const refusal = serviceUnavailable(reason);
    for (const { reject } of this.waiting.values()) reject(refusal);
    this.waiting.clear();
  }
}
