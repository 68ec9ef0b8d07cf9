/** Secret: bytes by key; well-known types prescribe which keys there are. */
import type { FieldError } from '../../meta/field-error.ts';
import { invalid, required, tooLong } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { ApiObject } from '../../meta/object.ts';
import { ageColumn, column, nameColumn } from '../columns/columns.ts';
import type { Stored } from '../define.ts';
import { defineResource } from '../define.ts';
import { nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { own, unchanged } from '../validation/rules.ts';
import { dataBytes, dataMaxBytes, immutableDataErrors, validateDataKeys } from './config-maps.ts';
import type { Secret as SecretFields } from './v1.types.ts';

type Secret = Stored<SecretFields>;
type TypeRule = (secret: Secret, naming: NamingProfile) => FieldError[];

const dataPath = FieldPath.of('data');

/** The keys that each well-known type requires, by the part of the type after the label domain. */
const typeRules: Readonly<Record<string, TypeRule>> = {
  'service-account-token': namesServiceAccount,
  dockercfg: (secret) => needsJson(secret, '.dockercfg'),
  dockerconfigjson: (secret) => needsJson(secret, '.dockerconfigjson'),
  'basic-auth': (secret) =>
    ['username', 'password'].some((key) => has(secret, key)) ? [] : missing('username', 'password'),
  'ssh-auth': (secret) => (secret.data?.['ssh-privatekey'] ? [] : missing('ssh-privatekey')),
  tls: (secret) => ['tls.crt', 'tls.key'].filter((key) => !has(secret, key)).flatMap((key) => missing(key)),
};

function has(secret: Secret, key: string): boolean {
  return Object.hasOwn(secret.data ?? {}, key);
}

function missing(...keys: string[]): FieldError[] {
  return keys.map((key) => required(dataPath.key(key)));
}

function namesServiceAccount(secret: Secret, naming: NamingProfile): FieldError[] {
  const annotation = `${naming.labelDomain}/service-account.name`;
  return secret.metadata.annotations?.[annotation]
    ? []
    : [required(FieldPath.of('metadata').child('annotations').key(annotation))];
}

function needsJson(secret: Secret, key: string): FieldError[] {
  if (!has(secret, key)) return missing(key);
  try {
    JSON.parse(Buffer.from(secret.data?.[key] ?? '', 'base64').toString('utf8'));
    return [];
  } catch {
    return [invalid(dataPath.key(key), '<secret contents redacted>', 'must be JSON')];
  }
}

function validate(secret: Secret, naming: NamingProfile): FieldError[] {
  const prefix = `${naming.labelDomain}/`;
  const rule = secret.type?.startsWith(prefix) ? own(typeRules, secret.type.slice(prefix.length)) : undefined;
  return [
    ...validateDataKeys(secret.data, dataPath),
    ...(dataBytes(secret.data, 'base64') > dataMaxBytes ? [tooLong(dataPath, dataMaxBytes)] : []),
    ...(rule?.(secret, naming) ?? []),
  ];
}

/** `stringData` is write-only: its entries become data. */
function mergeStringData(object: ApiObject): void {
  const secret = object as Secret;
  if (secret.stringData) {
    const encoded = Object.entries(secret.stringData).map(([key, text]) => [key, toBase64(text)] as const);
    secret.data = Object.fromEntries([...Object.entries(secret.data ?? {}), ...encoded]);
  }
  delete secret.stringData;
}

function toBase64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

export const secrets = defineResource<Secret>({
  kind: 'Secret',
  plural: 'secrets',
  namespaced: true,
  versions: [{ version: 'v1', applyDefaults: mergeStringData }],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    prepareForUpdate: (next, current) => {
      if (!next.type && current.type) next.type = current.type;
    },
    validate: (secret, context) => validate(secret, context.naming),
    validateUpdate: (next, current) => [
      ...unchanged(next.type, current.type, FieldPath.of('type')),
      ...immutableDataErrors(next, current, ['data']),
    ],
  },
  columns: [
    nameColumn,
    column<Secret>('Type', (secret) => secret.type, { description: 'What the entries are for.' }),
    column<Secret>('Data', (secret) => Object.keys(secret.data ?? {}).length, {
      description: 'Number of entries.',
    }),
    ageColumn,
  ],
  selectableFields: { type: (secret) => secret.type ?? '' },
});
