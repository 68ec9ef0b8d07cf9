/**
 * A KMS plugin as a provider: values are encrypted by data keys, and those by a key that only the plugin has.
 *
 *   v1   a data key for each value, in front of it; AES-CBC
 *   v2   one seed for all values while the plugin's key stays the same (its `key_id`); AES-GCM by keys that are derived
 *        from it. The status of the plugin tells of another key, and then a new seed is made.
 *
 * A plugin that cannot be reached fails at once until a probe reaches it again, so that values wait for it only once.
 */
import { BackgroundLoop } from '../background-loop.ts';
import type { Clock } from '../../base/clock.ts';
import { joinedSignals } from '../../base/joined-signals.ts';
import { pause } from '../../base/pause.ts';
import { messageOf } from '../../base/errors.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { StorageMetrics } from '../options.ts';
import { DataKeys } from './data-keys.ts';
import type { UnaryMethod } from '../etcd/etcd-messages.ts';
import type { KmsApi, KmsCall } from './kms-api.ts';
import { KmsConnection, KmsError } from './kms-connection.ts';
import { KmsV1 } from './kms-v1.ts';
import { KmsV2 } from './kms-v2.ts';
import type { KmsProvider } from './rules.ts';

/** Intervals of probes: while the plugin answers, and while it does not. */
const defaultTimes = { healthyMs: 60_000, unhealthyMs: 3_000 } as const;

export interface KmsPluginOptions {
  readonly clock: Clock;
  readonly metrics: Pick<StorageMetrics, 'observeKeyCacheMiss'>;
  /** Called when the plugin answers again: values that could not be decrypted perhaps can be. */
  readonly onRecovered: () => void;
  readonly times?: {
    readonly healthyMs: number;
    readonly unhealthyMs: number;
    /** How long a seed of v2 is used after the plugin last confirmed its key. */
    readonly seedMs?: number;
  };
}

export class KmsPlugin {
  readonly #options: KmsPluginOptions;
  readonly #connection: KmsConnection;
  readonly #api: KmsApi;
  readonly #probes: BackgroundLoop;
  /** Why it is not asked; '' if it is. */
  #problem = '';
  #failed = new AbortController();

  constructor(provider: KmsProvider, options: KmsPluginOptions) {
    this.#options = options;
    this.#connection = new KmsConnection(provider, options.clock);
    const keys = new DataKeys(provider.cacheSize, () => options.metrics.observeKeyCacheMiss?.());
    const call: KmsCall = (method, request) => this.#call(method, request);
    this.#api =
      provider.apiVersion === 'v1'
        ? new KmsV1(call, keys)
        : new KmsV2(call, { keys, clock: options.clock, seedMs: options.times?.seedMs });
    this.#probes = new BackgroundLoop(1, (signal) => this.#probe(signal));
    this.#probes.start();
  }

  /** Why it does not work; '' if it does. */
  get problem(): string {
    return this.#problem;
  }

  /** Of values that are written, see `keyIdOf`; undefined while it is unknown. */
  get keyId(): string | undefined {
    return this.#api.keyId;
  }

  /** The id of the plugin's key that a value depends on; '' if the version has none. */
  keyIdOf(sealed: Buffer): string {
    return this.#api.keyIdOf(sealed);
  }

  /** @throws KmsError */
  encrypt(plain: Buffer, context: Buffer): Promise<Buffer> {
    return this.#api.encrypt(plain, context);
  }

  /** With a key that is cached also while the plugin is away. @throws KmsError, or Error for a damaged value */
  decrypt(sealed: Buffer, context: Buffer): MaybePromise<Buffer> {
    return this.#api.decrypt(sealed, context);
  }

  async close(): Promise<void> {
    this.#connection.close();
    await this.#probes.stop();
  }

  async #call<Q, S>(method: UnaryMethod<Q, S>, request: Q): Promise<S> {
    if (this.#problem !== '') throw new KmsError(this.#problem, true);
    try {
      return await this.#connection.call(method, request);
    } catch (error) {
      if (error instanceof KmsError && error.isUnavailable) this.#fail(error.message);
      throw error;
    }
  }

  /** Only the first of several calls that fail lets the probe begin. */
  #fail(problem: string): void {
    if (this.#problem !== '') return;
    this.#problem = problem;
    this.#failed.abort();
  }

  async #probe(signal: AbortSignal): Promise<void> {
    const { healthyMs, unhealthyMs } = this.#options.times ?? defaultTimes;
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      await this.#look(isFirst);
      this.#failed = new AbortController();
      const ms = this.#problem === '' ? healthyMs : unhealthyMs;
      using either = joinedSignals(signal, this.#failed.signal);
      await pause(this.#options.clock, ms, either.signal);
    }
  }

  async #look(isFirst: boolean): Promise<void> {
    const wasFailing = this.#problem !== '';
    const call: KmsCall = (method, request) => this.#connection.call(method, request);
    try {
      await this.#api.probe(call, isFirst || wasFailing);
      this.#problem = '';
      if (wasFailing) this.#options.onRecovered();
    } catch (error) {
      this.#problem = messageOf(error);
    }
  }
}
