/** The main object of a write thread: a write path over the storage of the serving thread. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Transferable } from 'node:worker_threads';
import { collectGarbage } from '../base/collect-garbage.ts';
import { runWithSlot } from '../base/slot-holder.ts';
import type { Representations } from '../http/representation/negotiation.ts';
import { partOf } from '../http/representation/part-of.ts';
import { performWrite, type WriteDeps } from '../http/writes/perform-write.ts';
import type { WriteAnswer } from '../http/writes/write-request.ts';
import { unknownResource } from '../meta/status.ts';
import { Metrics } from '../observe/metrics.ts';
import { sendParts } from '../observe/metric-parts.ts';
import { countedOf } from '../observe/metric-snapshot.ts';
import type { CompletedConfig } from '../options/complete-config.ts';
import type { Credentials } from '../options/credentials.ts';
import type { ResourceCatalogue, ResourceVerbs, ServedResource } from '../registry/types.ts';
import type { Storage } from '../storage/types.ts';
import { JobScope } from './job-scope.ts';
import type {
  CallOf,
  FromThread,
  Outcome,
  SentAnswer,
  SentWrite,
  StorageCalls,
  ThreadOrder,
  ToThread,
} from './thread-messages.ts';
import { RemoteStorage } from './remote-storage.ts';
import {
  memoryOf,
  receivedBytes,
  receivedEntry,
  receivedError,
  sentBytes,
  sentEntry,
  sentError,
} from './transfer.ts';

export type SendToServing = (message: FromThread, memory?: readonly Transferable[]) => void;

/** The write path of a thread. */
export interface ThreadWritePath extends WriteDeps {
  /** For objects that the service maintains: without admission webhooks. */
  readonly ownVerbs: ResourceVerbs;
  /** The catalogue known here; always current. */
  readonly catalogue: ResourceCatalogue;
  /** The catalogue after a consistent read of the definitions. */
  freshCatalogue(): Promise<ResourceCatalogue>;
  /** Forms of large objects. */
  readonly representations: Representations;
  /** Resolves when the policy of the authorizers is loaded. */
  readonly authorizationLoaded: Promise<unknown>;
  use(credentials: Credentials): void;
}

export interface WritePathParts {
  readonly config: CompletedConfig;
  readonly credentials: Credentials;
  /** Remote storage of the serving thread. */
  readonly storage: Storage;
  readonly metrics: Metrics;
  /** As that of `ThreadOrder`. */
  readonly logFd: number | undefined;
}

/** Builds the write path of a thread, which does not know its parts. */
export type OpenWritePath = (parts: WritePathParts) => ThreadWritePath;

export class ThreadLife {
  readonly #send: SendToServing;
  readonly #metrics: Metrics;
  readonly #storage: RemoteStorage;
  readonly #path: ThreadWritePath;
  readonly #jobs = new Map<number, JobScope>();
  /** The current job of calls: a job that has written must not be restarted. */
  readonly #currentJob = new AsyncLocalStorage<number>();
  readonly #calls = new Map<number, PromiseWithResolvers<unknown>>();
  #lastCall = 0;

  constructor(
    { config, credentials, logFd, blockingPort, wake }: ThreadOrder,
    open: OpenWritePath,
    send: SendToServing,
  ) {
    this.#send = send;
    this.#metrics = new Metrics({ release: config.emulatedRelease });
    this.#storage = new RemoteStorage({
      ...{ blockingPort, wake },
      call: (request) => this.#call(request),
      watch: (watch, collection) => send({ kind: 'watch', watch, collection }),
      unwatch: (watch) => send({ kind: 'unwatch', watch }),
    });
    this.#path = open({ config, credentials, logFd, storage: this.#storage, metrics: this.#metrics });
  }

  /** Notifies the serving thread when policy and definitions are loaded. */
  async start(): Promise<void> {
    await Promise.all([this.#path.authorizationLoaded, this.#storage.loaded()]);
    this.#send({ kind: 'ready' });
  }

  /** Handles a message of the serving thread. */
  hear(message: ToThread): void {
    switch (message.kind) {
      case 'perform':
        void this.#currentJob.run(message.job, () => this.#perform(message.job, message.write));
        return;
      case 'make':
        void this.#make(message);
        return;
      case 'cancel':
        this.#jobs.get(message.job)?.cancel();
        return;
      case 'goOn':
        this.#jobs.get(message.job)?.goOn();
        return;
      case 'answer':
        this.#settle(message.call, message.outcome);
        return;
      case 'credentials':
        this.#path.use(message.credentials);
        return;
      case 'scrape':
        void this.#sendMetrics(message.id);
        return;
      case 'ping':
        this.#send({ kind: 'pong' });
        return;
      case 'rest':
        collectGarbage();
        return;
      case 'state':
      case 'events':
      case 'watchEnd':
        this.#storage.hear(message);
    }
  }

  async #perform(job: number, { body, ...write }: SentWrite): Promise<void> {
    try {
      const resource = await this.#resourceOf(write.resource);
      const scope = new JobScope(job, resource, write, {
        send: this.#send,
        assertMayCreate: () => this.#call({ method: 'assertMayCreate', args: [job] }),
      });
      this.#jobs.set(job, scope);
      const whole = { ...write, body: receivedBytes(body) };
      const { types, verbs, ownVerbs } = this.#path;
      const deps = { types, verbs: write.isOwn === true ? ownVerbs : verbs };
      const answer = await runWithSlot(scope, () => performWrite(whole, scope, deps));
      const sent = sentAnswer(answer);
      this.#send({ kind: 'done', job, answer: sent }, memoryOf(sent));
    } catch (error) {
      this.#send({ kind: 'failed', job, error: sentError(error) });
    } finally {
      this.#jobs.get(job)?.finish();
      this.#jobs.delete(job);
    }
  }

  async #make({ job, order, entry }: Extract<ToThread, { kind: 'make' }>): Promise<void> {
    try {
      const { representations, types } = this.#path;
      const form = representations.form(await this.#resourceOf(order.resource), order.spec, types);
      const answer = {
        kind: 'form',
        bytes: sentBytes(partOf(form, receivedEntry(entry), order.part)),
      } as const;
      this.#send({ kind: 'done', job, answer }, memoryOf(answer));
    } catch (error) {
      this.#send({ kind: 'failed', job, error: sentError(error) });
    }
  }

  /**
   * The serving thread has it, so it is here or arriving.
   * @throws StatusError 404
   */
  async #resourceOf({ group, version, resource: plural }: SentWrite['resource']): Promise<ServedResource> {
    const known = this.#path.catalogue.resource(group, version, plural);
    if (known) return known;
    const fresh = await this.#path.freshCatalogue();
    const resource = fresh.resource(group, version, plural);
    if (!resource) throw unknownResource();
    return resource;
  }

  #call(request: CallOf<StorageCalls>): Promise<unknown> {
    const job = this.#currentJob.getStore();
    const call = ++this.#lastCall;
    const waiting = Promise.withResolvers<unknown>();
    this.#calls.set(call, waiting);
    this.#send({ kind: 'call', call, job, request }, memoryOf(...request.args));
    return waiting.promise;
  }

  #settle(call: number, outcome: Outcome): void {
    const waiting = this.#calls.get(call);
    this.#calls.delete(call);
    if ('error' in outcome) waiting?.reject(receivedError(outcome.error));
    else waiting?.resolve(outcome.value);
  }

  async #sendMetrics(id: number): Promise<void> {
    const counted = countedOf(await this.#metrics.snapshot());
    await sendParts(counted, (part, isLast) => this.#send({ kind: 'metrics', id, part, isLast }));
  }
}

function sentAnswer(answer: WriteAnswer): SentAnswer {
  return answer.kind === 'value' ? answer : { ...answer, entry: sentEntry(answer.entry) };
}
