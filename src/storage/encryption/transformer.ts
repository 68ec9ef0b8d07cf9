/**
 * Transforms values between their text and their form in etcd, by the rules of their collection. The first provider
 * encrypts; each decrypts the values with its prefix (kube-apiserver: storage/value/transformer.go).
 */
import type { Clock, PassiveClock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { StorageMetrics } from '../options.ts';
import type { CollectionId } from '../types.ts';
import type { KmsPlugin, KmsPluginOptions } from './kms-plugin.ts';
import { KmsPlugins } from './kms-plugins.ts';
import { createProviders, identity, sealedPrefix, startsWith, type Provider } from './provider.ts';
import { providersOf, type EncryptionRule, type KmsProvider } from './rules.ts';

/** How a value is stored; shared by the values of a collection that a provider decrypted. */
export interface StoredForm {
  /** Of the provider that decrypted and its key; equal in all threads. */
  readonly name: string;
  /** A write would store it otherwise. Changes with the configuration. */
  readonly isStale: boolean;
}

/** The text of a value. */
export interface OpenedValue {
  readonly value: Buffer;
  /** undefined if nothing is configured. */
  readonly form: StoredForm | undefined;
}

export interface TransformerOptions {
  readonly clock: Clock;
  /** The first word of encrypted values, that of the naming profile. */
  readonly word: string;
  readonly metrics: Pick<StorageMetrics, 'observeTransformation' | 'observeKeyCacheMiss'>;
  /** A KMS plugin answers again. */
  readonly onRecovered: () => void;
  /** Intervals of probes of KMS plugins. */
  readonly kmsTimes?: KmsPluginOptions['times'] | undefined;
}

export class Transformer {
  readonly #options: TransformerOptions;
  readonly #sealed: Buffer;
  readonly #plugins: KmsPlugins;
  /** undefined if nothing is configured: then values are what etcd has. */
  #rules: readonly EncryptionRule[] | undefined;
  readonly #collections = new Map<CollectionId, CollectionTransformer>();

  /** @param rules undefined if encryption is not configured */
  constructor(options: TransformerOptions, rules: readonly EncryptionRule[] | undefined) {
    this.#options = options;
    this.#sealed = Buffer.from(sealedPrefix(options.word));
    this.#rules = rules;
    this.#plugins = new KmsPlugins(options);
    this.#plugins.use(rules ?? []);
  }

  /** Other rules from now on; what was read keeps its text, and may become stale. */
  use(rules: readonly EncryptionRule[] | undefined): void {
    this.#rules = rules;
    this.#plugins.use(rules ?? []);
    for (const [collection, transformer] of this.#collections) transformer.use(this.#providersOf(collection));
  }

  /** What is the matter with KMS plugins; '' if nothing is. */
  get problem(): string {
    return this.#plugins.problem;
  }

  close(): Promise<void> {
    return this.#plugins.close();
  }

  /** Whether a value of etcd is encrypted. */
  isSealed(value: Buffer): boolean {
    return value[0] === this.#sealed[0] && startsWith(value, this.#sealed);
  }

  /**
   * The form of a value that is not encrypted; undefined if nothing is configured.
   * @throws Error if only encrypted values are accepted
   */
  plainForm(collection: CollectionId): StoredForm | undefined {
    return this.#rules === undefined ? undefined : this.#of(collection).plainForm();
  }

  /** The form of a value that another thread read. @param name that of the form there */
  formNamed(collection: CollectionId, name: string): StoredForm {
    return this.#of(collection).formNamed(name);
  }

  /** The form in etcd of a text. @param key in etcd @throws Error if it cannot be encrypted */
  seal(collection: CollectionId, key: Buffer, plain: Buffer): MaybePromise<Buffer> {
    return this.#rules === undefined ? plain : this.#of(collection).seal(key, plain);
  }

  /** The text of an encrypted value. @param key in etcd @throws Error if it cannot be decrypted */
  open(collection: CollectionId, key: Buffer, value: Buffer): MaybePromise<OpenedValue> {
    return this.#of(collection).open(key, value);
  }

  #of(collection: CollectionId): CollectionTransformer {
    let transformer = this.#collections.get(collection);
    if (transformer === undefined) {
      transformer = new CollectionTransformer(this.#providersOf(collection), this.#options);
      this.#collections.set(collection, transformer);
    }
    return transformer;
  }

  #providersOf(collection: CollectionId): readonly Provider[] {
    const configured = providersOf(this.#rules ?? [], collection);
    const { word } = this.#options;
    const context = { word, pluginOf: (provider: KmsProvider): KmsPlugin => this.#plugins.of(provider) };
    const providers = configured.flatMap((provider) => createProviders(provider, context));
    return providers.length > 0 ? providers : [identity];
  }
}

/** Forms that are shared; more are made again. */
const maxForms = 1_000;

/** Between the provider and the key in the name of a form; no provider has it in its id. */
const nameSeparator = '\n';

const unknownForm = 'no provider of the encryption configuration stores values in this way';

class CollectionTransformer {
  readonly #metrics: TransformerOptions['metrics'];
  readonly #clock: PassiveClock;
  #providers: readonly Provider[];
  /** By their names. */
  #forms = new Map<string, StoredForm>();

  constructor(
    providers: readonly Provider[],
    { metrics, clock }: Pick<TransformerOptions, 'metrics' | 'clock'>,
  ) {
    this.#providers = providers;
    this.#metrics = metrics;
    this.#clock = clock;
  }

  use(providers: readonly Provider[]): void {
    this.#providers = providers;
    this.#forms = new Map();
  }

  plainForm(): StoredForm {
    const provider = this.#providers.find(({ prefix }) => prefix.length === 0);
    if (provider === undefined) throw new Error(unknownForm);
    return this.#formOf(provider);
  }

  get #writer(): Provider {
    const [first] = this.#providers;
    if (first === undefined) throw new Error('no provider');
    return first;
  }

  seal(key: Buffer, plain: Buffer): MaybePromise<Buffer> {
    const provider = this.#writer;
    const { prefix } = provider;
    if (prefix.length === 0) return plain;
    return this.#measured('to_storage', provider, () => {
      const sealed = provider.encrypt(plain, key);
      if (sealed instanceof Promise) return sealed.then((bytes) => Buffer.concat([prefix, bytes]));
      return Buffer.concat([prefix, sealed]);
    });
  }

  /** Providers may share a prefix, with keys that differ: each is tried. */
  open(key: Buffer, value: Buffer): MaybePromise<OpenedValue> {
    return this.#openFrom(0, key, value, []);
  }

  #openFrom(from: number, key: Buffer, value: Buffer, problems: string[]): MaybePromise<OpenedValue> {
    for (let i = from; i < this.#providers.length; i += 1) {
      const provider = this.#providers[i];
      if (provider === undefined || provider.prefix.length === 0) continue;
      if (!startsWith(value, provider.prefix)) continue;
      const note = (error: unknown): void => {
        problems.push(messageOf(error));
      };
      try {
        const opened = this.#openBy(provider, key, value);
        if (!(opened instanceof Promise)) return opened;
        return opened.catch((error: unknown) => {
          note(error);
          return this.#openFrom(i + 1, key, value, problems);
        });
      } catch (error) {
        note(error);
      }
    }
    if (problems.length > 0) throw new Error(problems.join('; '));
    this.#metrics.observeTransformation?.('from_storage', 'unknown', 0, false);
    throw new Error(unknownForm);
  }

  #openBy(provider: Provider, key: Buffer, value: Buffer): MaybePromise<OpenedValue> {
    const sealed = value.subarray(provider.prefix.length);
    return this.#measured('from_storage', provider, () => {
      const form = this.#formOf(provider, provider.keyIdOf?.(sealed));
      const plain = provider.decrypt(sealed, key);
      return plain instanceof Promise
        ? plain.then((text) => ({ value: text, form }))
        : { value: plain, form };
    });
  }

  #formOf({ id }: Provider, keyId = ''): StoredForm {
    return this.formNamed(`${id}${nameSeparator}${keyId}`);
  }

  formNamed(name: string): StoredForm {
    let form = this.#forms.get(name);
    if (form === undefined) {
      const writer = (): Provider => this.#writer;
      const keyId = name.slice(name.indexOf(nameSeparator) + 1);
      const id = name.slice(0, name.indexOf(nameSeparator));
      form = {
        name,
        get isStale() {
          const current = writer();
          return current.id !== id || (current.keyId ?? keyId) !== keyId;
        },
      };
      if (this.#forms.size >= maxForms) this.#forms.clear();
      this.#forms.set(name, form);
    }
    return form;
  }

  #measured<T>(
    type: 'from_storage' | 'to_storage',
    { label }: Provider,
    work: () => MaybePromise<T>,
  ): MaybePromise<T> {
    const start = this.#clock.monotonic();
    const observe = (isDone: boolean): void => {
      this.#metrics.observeTransformation?.(type, label, (this.#clock.monotonic() - start) / 1_000, isDone);
    };
    try {
      const result = work();
      if (result instanceof Promise) {
        result.then(
          () => observe(true),
          () => observe(false),
        );
      } else observe(true);
      return result;
    } catch (error) {
      observe(false);
      throw error;
    }
  }
}
