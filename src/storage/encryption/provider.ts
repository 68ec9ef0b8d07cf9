/** Providers of encryption: each recognizes its values in etcd by their first words, as kube-apiserver's do. */
import { createHash } from 'node:crypto';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { AesCbc, AesGcm } from './ciphers.ts';
import type { KmsPlugin } from './kms-plugin.ts';
import type { EncryptionProvider, KmsProvider, NamedKey } from './rules.ts';
import { Secretbox } from './secretbox.ts';

/** One key of a provider. */
export interface Provider {
  /** The first bytes of its values; empty for values that are not encrypted. */
  readonly prefix: Buffer;
  /** The same as a label of metrics, without the name of the key. */
  readonly label: string;
  /** Equal for providers that make equal use of equal keys, also after the configuration was read again. */
  readonly id: string;
  /** @param context the key in etcd @throws Error */
  encrypt(plain: Buffer, context: Buffer): MaybePromise<Buffer>;
  /** The key that a value depends on, if the provider has several over time, without its prefix. @throws Error */
  keyIdOf?(sealed: Buffer): string;
  /** That of values that are written; undefined while it is unknown. */
  readonly keyId?: string | undefined;
  /** @param sealed a value without the prefix @throws Error */
  decrypt(sealed: Buffer, context: Buffer): MaybePromise<Buffer>;
}

type KeyedProvider = Pick<Provider, 'encrypt' | 'decrypt'>;

const ciphers = {
  aesgcm: (key: Buffer): KeyedProvider => new AesGcm(key),
  aescbc: (key: Buffer): KeyedProvider => new AesCbc(key),
  secretbox: (key: Buffer): KeyedProvider => new Secretbox(key),
} as const;

/** The first words of all encrypted values. @param word that of the naming profile */
export function sealedPrefix(word: string): string {
  return `${word}:enc:`;
}

export interface ProviderContext {
  /** That of the naming profile. */
  readonly word: string;
  /** Plugins are shared by all collections that use them. */
  readonly pluginOf: (provider: KmsProvider) => KmsPlugin;
}

/** The providers of a configured one: one for each of its keys. */
export function createProviders(
  provider: EncryptionProvider,
  { word, pluginOf }: ProviderContext,
): Provider[] {
  if (provider.kind === 'identity') return [identity];
  if (provider.kind === 'kms') return [withPlugin(provider, word, pluginOf(provider))];
  const label = `${sealedPrefix(word)}${provider.kind}:v1:`;
  return provider.keys.map((key) => withCipher(provider.kind, label, key));
}

function withCipher(kind: keyof typeof ciphers, label: string, { name, secret }: NamedKey): Provider {
  const key = Buffer.from(secret, 'base64');
  const cipher = ciphers[kind](key);
  return {
    prefix: Buffer.from(`${label}${name}:`),
    label,
    id: `${label}${name}:${createHash('sha256').update(key).digest('base64')}`,
    encrypt: (plain, context) => cipher.encrypt(plain, context),
    decrypt: (sealed, context) => cipher.decrypt(sealed, context),
  };
}

function withPlugin({ name, apiVersion }: KmsProvider, word: string, plugin: KmsPlugin): Provider {
  const prefix = `${sealedPrefix(word)}kms:${apiVersion}:${name}:`;
  return {
    prefix: Buffer.from(prefix),
    label: prefix,
    id: prefix,
    get keyId() {
      return plugin.keyId;
    },
    keyIdOf: (sealed) => plugin.keyIdOf(sealed),
    encrypt: (plain, context) => plugin.encrypt(plain, context),
    decrypt: (sealed, context) => plugin.decrypt(sealed, context),
  };
}

/** Stores values as they are; it does not read encrypted ones. */
export const identity: Provider = {
  prefix: Buffer.alloc(0),
  label: 'identity',
  id: 'identity',
  encrypt: (plain) => plain,
  decrypt: (value) => value,
};

export function startsWith(value: Buffer, prefix: Buffer): boolean {
  return value.length >= prefix.length && prefix.compare(value, 0, prefix.length) === 0;
}
