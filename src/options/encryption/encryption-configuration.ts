/**
 * Reads an EncryptionConfiguration (kube-apiserver: pkg/apis/config of its module apiserver, with its validation).
 * Errors never quote a secret.
 */
import { isObject, type JsonObject } from '../../base/json.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { EncryptionProvider, EncryptionRule, NamedKey } from '../../storage/encryption/rules.ts';
import { at, type Placed, type YamlFile } from '../yaml-file.ts';

/** Bytes of the keys of a provider. */
const keyBytes = { aesgcm: [16, 24, 32], aescbc: [16, 24, 32], secretbox: [32] } as const;
const kinds = ['aesgcm', 'aescbc', 'secretbox', 'identity'] as const;

/** What could be read; errors are added to those of the file. */
export function readEncryptionRules(file: YamlFile, { apiDomain }: NamingProfile): EncryptionRule[] {
  const versions = [`apiserver.config.${apiDomain}/v1`];
  const root = file.typed(file.root, { kind: 'EncryptionConfiguration', versions }, ['resources']);
  if (root === undefined) return [];
  const rules = file.objects(root, 'resources');
  if (rules.length === 0) file.add('resources', 'at least one resource is required');
  return rules.map((rule) => readRule(file, rule));
}

function readRule(file: YamlFile, rule: Placed<JsonObject>): EncryptionRule {
  file.known(rule, ['resources', 'providers']);
  const providers = file.objects(rule, 'providers');
  if (providers.length === 0)
    file.add(at(rule.path, 'providers'), 'at least one provider is required', rule.path);
  return {
    resources: readResources(file, rule),
    providers: providers.flatMap((provider) => readProvider(file, provider)),
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

function readProvider(file: YamlFile, provider: Placed<JsonObject>): EncryptionProvider[] {
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
  file.known(settings, kind === 'identity' ? [] : ['keys']);
  return [kind === 'identity' ? { kind } : { kind, keys: readKeys(file, settings, keyBytes[kind]) }];
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
