/**
 * Reads an EncryptionConfiguration (kube-apiserver: pkg/apis/config of its module apiserver, with its validation).
 * Errors never quote a secret.
 */
import { parseDurationMs } from '../../base/duration.ts';
import { isObject, type JsonObject } from '../../base/json.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type {
  EncryptionProvider,
  EncryptionRule,
  KmsProvider,
  NamedKey,
} from '../../storage/encryption/rules.ts';
import { at, type Placed, type YamlFile } from '../yaml-file.ts';

/** Bytes of the keys of a provider. */
const keyBytes = { aesgcm: [16, 24, 32], aescbc: [16, 24, 32], secretbox: [32] } as const;
const kinds = ['aesgcm', 'aescbc', 'secretbox', 'identity', 'kms'] as const;
const defaultTimeoutMs = 3_000;
const defaultCacheSize = 1_000;
/** Seeds of KMS v2, of which there is one for each key and start. */
const seedCacheSize = 10_000;

type KmsVersions = readonly KmsProvider['apiVersion'][];

/** What could be read; errors are added to those of the file. */
/** @param kmsVersions versions of the API of KMS plugins that may be configured; absent: all */
export function readEncryptionRules(
  file: YamlFile,
  { apiDomain }: NamingProfile,
  kmsVersions: KmsVersions = ['v1', 'v2'],
): EncryptionRule[] {
  const versions = [`apiserver.config.${apiDomain}/v1`];
  const root = file.typed(file.root, { kind: 'EncryptionConfiguration', versions }, ['resources']);
  if (root === undefined) return [];
  const rules = file.objects(root, 'resources');
  if (rules.length === 0) file.add('resources', 'at least one resource is required');
  return rules.map((rule) => readRule(file, rule, kmsVersions));
}

function readRule(file: YamlFile, rule: Placed<JsonObject>, kmsVersions: KmsVersions): EncryptionRule {
  file.known(rule, ['resources', 'providers']);
  const providers = file.objects(rule, 'providers');
  if (providers.length === 0)
    file.add(at(rule.path, 'providers'), 'at least one provider is required', rule.path);
  return {
    resources: readResources(file, rule),
    providers: providers.flatMap((provider) => readProvider(file, provider, kmsVersions)),
  };
}

/** A plural and a group, each of which may be `*`, the plural only with its group. */
const resource = /^(?:[a-z0-9.-]+|\*\.(?:[a-z0-9.-]*|\*))$/;

function readResources(file: YamlFile, { value, path }: Placed<JsonObject>): string[] {
  const place = at(path, 'resources');
  const list = value['resources'];
  const names = Array.isArray(list) ? list.filter((name) => typeof name === 'string') : [];
  if (!Array.isArray(list) || names.length < list.length || names.length === 0)
    file.add(place, 'resources must be a list of at least one resource', path);
  for (const name of names.filter((text) => !resource.test(text)))
    file.add(place, `${JSON.stringify(name)} is no resource: use PLURAL, PLURAL.GROUP, *.GROUP or *.*`, path);
  return names;
}

function readProvider(
  file: YamlFile,
  provider: Placed<JsonObject>,
  kmsVersions: KmsVersions,
): EncryptionProvider[] {
  file.known(provider, kinds);
  const given = kinds.filter((kind) => Object.hasOwn(provider.value, kind));
  const [kind] = given;
  if (kind === undefined || given.length > 1) {
    file.add(provider.path, `an element of providers must have exactly one of ${kinds.join(', ')}`);
    return [];
  }
  const value = provider.value[kind] ?? {};
  const path = at(provider.path, kind);
  if (!isObject(value)) {
    file.add(path, `${kind} must be an object`, provider.path);
    return [];
  }
  const settings = { value, path };
  if (kind === 'kms') return readKms(file, settings, kmsVersions);
  file.known(settings, kind === 'identity' ? [] : ['keys']);
  return [kind === 'identity' ? { kind } : { kind, keys: readKeys(file, settings, keyBytes[kind]) }];
}

const switchedOff = {
  v1: 'KMSv1 is deprecated: use apiVersion v2, or --feature-gates=KMSv1=true',
  v2: 'apiVersion v2 needs --feature-gates=KMSv2=true',
} as const;

function readKms(file: YamlFile, kms: Placed<JsonObject>, versions: KmsVersions): KmsProvider[] {
  file.known(kms, ['apiVersion', 'name', 'endpoint', 'timeout', 'cachesize']);
  const { length } = file.errors;
  const apiVersion = Object.hasOwn(kms.value, 'apiVersion')
    ? file.word(kms, 'apiVersion', ['v1', 'v2'])
    : 'v1';
  if (apiVersion !== undefined && !versions.includes(apiVersion)) file.add(kms.path, switchedOff[apiVersion]);
  const [name, endpoint] = [file.text(kms, 'name'), file.text(kms, 'endpoint')];
  if (name === '' || name.includes(':'))
    file.add(at(kms.path, 'name'), 'name must be given, without a colon', kms.path);
  // Sockets of the abstract namespace have no permissions.
  if (!/^unix:\/\/\/[^@\0]/.test(endpoint) || URL.parse(endpoint) === null)
    file.add(
      at(kms.path, 'endpoint'),
      'endpoint must be the path of a socket, such as unix:///run/kms.sock',
      kms.path,
    );
  const timeoutMs = readTimeout(file, kms);
  const cacheSize = readCacheSize(file, kms, apiVersion);
  if (file.errors.length > length || apiVersion === undefined) return [];
  return [{ kind: 'kms', apiVersion, name, endpoint, timeoutMs, cacheSize }];
}

function readTimeout(file: YamlFile, kms: Placed<JsonObject>): number {
  const text = file.text(kms, 'timeout');
  if (text === '') return defaultTimeoutMs;
  const ms = parseDurationMs(text) ?? 0;
  if (ms > 0 && ms <= 60_000) return ms;
  file.add(at(kms.path, 'timeout'), 'timeout must be a duration of at most 1m such as 3s', kms.path);
  return defaultTimeoutMs;
}

function readCacheSize(file: YamlFile, kms: Placed<JsonObject>, apiVersion: string | undefined): number {
  if (apiVersion === 'v2') {
    if (Object.hasOwn(kms.value, 'cachesize'))
      file.add(at(kms.path, 'cachesize'), 'cachesize is only for v1', kms.path);
    return seedCacheSize;
  }
  const bounds = { least: -1, most: 1_000_000, otherwise: defaultCacheSize };
  const size = file.integer(kms, 'cachesize', bounds);
  if (size === 0)
    file.add(at(kms.path, 'cachesize'), 'cachesize must be positive, or -1 to disable the cache', kms.path);
  return size;
}

function readKeys(file: YamlFile, provider: Placed<JsonObject>, lengths: readonly number[]): NamedKey[] {
  const keys = file.objects(provider, 'keys');
  if (keys.length === 0) file.add(provider.path, 'at least one key is required');
  return keys.flatMap((key) => readKey(file, key, lengths));
}

function readKey(file: YamlFile, key: Placed<JsonObject>, lengths: readonly number[]): NamedKey[] {
  file.known(key, ['name', 'secret']);
  const problem = (member: string, text: string): NamedKey[] => {
    file.add(at(key.path, member), text, key.path);
    return [];
  };
  const [name, secret] = [file.text(key, 'name'), file.text(key, 'secret')];
  // The name ends with a colon in etcd.
  if (name === '' || name.includes(':')) return problem('name', 'name must be given, without a colon');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(secret) || secret.length % 4 !== 0)
    return problem('secret', 'secret must be base64');
  const { length } = Buffer.from(secret, 'base64');
  if (lengths.includes(length)) return [{ name, secret }];
  return problem('secret', `secret has ${String(length)} bytes, expected one of ${lengths.join(', ')}`);
}
