/** The scope of a write in a write thread: what it has to say goes to the request in the serving thread. */
import type { SentFields } from '../../http/options/write-options.ts';
import type { WriteScope } from '../../http/writes/perform-write.ts';
import type { RequestScope, ServedResource } from '../../registry/types.ts';
import type { FromThread, SentWrite } from './messages.ts';

export interface JobParts {
  readonly send: (message: FromThread) => void;
  readonly assertMayCreate: () => Promise<unknown>;
}

export class JobScope implements WriteScope {
  readonly resource: ServedResource;
  readonly namespace: string;
  readonly subresource: string;
  readonly user: RequestScope['user'];
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation?: SentFields;
  readonly #job: number;
  readonly #parts: JobParts;
  readonly #over = new AbortController();

  constructor(job: number, resource: ServedResource, write: Omit<SentWrite, 'body'>, parts: JobParts) {
    this.#job = job;
    this.#parts = parts;
    this.resource = resource;
    this.namespace = write.namespace;
    this.subresource = write.subresource;
    this.user = write.user;
    this.dryRun = write.dryRun;
    this.fieldManager = write.fieldManager;
    if (write.directive) this.fieldValidation = { directive: write.directive, faults: [] };
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** The request is over. */
  cancel(): void {
    this.#over.abort();
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
