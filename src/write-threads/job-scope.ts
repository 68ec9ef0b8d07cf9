/** The scope of a write in a write thread: warnings and annotations go to the request in the serving thread. */
import type { SlotHolder } from '../base/slot-holder.ts';
import type { SentFields } from '../http/options/write-options.ts';
import type { WriteScope } from '../http/writes/perform-write.ts';
import type { RequestScope, ServedResource } from '../registry/types.ts';
import type { FromThread, SentWrite } from './thread-messages.ts';

export interface JobParts {
  readonly send: (message: FromThread) => void;
  readonly assertMayCreate: () => Promise<unknown>;
}

export class JobScope implements WriteScope, SlotHolder {
  readonly resource: ServedResource;
  readonly namespace: string;
  readonly subresource: string;
  readonly user: RequestScope['user'];
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation?: SentFields;
  readonly growth = 'stays';
  readonly #job: number;
  readonly #parts: JobParts;
  readonly #over = new AbortController();
  /** Number of external waits; a write may call several webhooks concurrently. */
  #waits = 0;
  /** Set while it waits for a place. */
  #pendingCheck: PromiseWithResolvers<undefined> | undefined;
  #isDone = false;

  constructor(job: number, resource: ServedResource, write: Omit<SentWrite, 'body'>, parts: JobParts) {
    this.#job = job;
    this.#parts = parts;
    this.resource = resource;
    this.namespace = write.namespace;
    this.subresource = write.subresource;
    this.user = write.user;
    this.dryRun = write.dryRun;
    this.fieldManager = write.fieldManager;
    if (write.directive) this.fieldValidation = { directive: write.directive, errors: [] };
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Called when the request is cancelled. */
  cancel(): void {
    this.#over.abort();
    this.goOn();
  }

  /** Called when the write is complete; remaining work for others needs no place. */
  finish(): void {
    this.#isDone = true;
    this.goOn();
  }

  /** Called when it has a place again. */
  goOn(): void {
    this.#pendingCheck?.resolve(undefined);
    this.#pendingCheck = undefined;
  }

  /** @throws the reason of the signal if the request is cancelled, and the error of the wait */
  async withoutSlot<T>(wait: () => Promise<T>): Promise<T> {
    this.#waits += 1;
    if (this.#waits === 1) this.#say('pause');
    try {
      return await wait();
    } finally {
      this.#waits -= 1;
      if (this.#waits === 0) await this.#comeBack();
    }
  }

  async #comeBack(): Promise<void> {
    if (!this.signal.aborted && !this.#isDone) {
      this.#pendingCheck ??= Promise.withResolvers();
      const { promise } = this.#pendingCheck;
      this.#say('resume');
      await promise;
    }
    this.signal.throwIfAborted();
  }

  #say(kind: 'pause' | 'resume'): void {
    if (!this.#isDone) this.#parts.send({ kind, job: this.#job });
  }

  async assertMayCreate(): Promise<void> {
    await this.#parts.assertMayCreate();
  }

  readonly warn = (text: string): void => {
    this.#parts.send({ kind: 'warn', job: this.#job, text });
  };

  readonly annotate: NonNullable<RequestScope['annotate']> = (key, value, level) => {
    this.#parts.send({ kind: 'annotate', job: this.#job, key, value, level });
  };
}
