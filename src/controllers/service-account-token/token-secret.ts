/** A Secret with the token of an account: its name, what it holds, and whether it is one. */
import { randomLetters, type Random } from '../../base/random.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { ServiceAccountTokenOptions } from './tokens-controller-options.ts';

const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';
const suffixLength = 5;
/** What a generated name leaves for its prefix. */
const maxPrefix = 58;

/** How the names of the Secrets begin that this controller makes for an account. */
export function tokenNamePrefix(account: string): string {
  return `${account}-token-`.slice(0, maxPrefix);
}

export function newTokenName(account: string, random: Random): string {
  return tokenNamePrefix(account) + randomLetters(random, suffixAlphabet, suffixLength);
}

/** A new Secret of an account. */
export function newTokenSecret(options: ServiceAccountTokenOptions, account: ApiObject): ApiObject {
  const { name = '', namespace = '', uid = '' } = account.metadata;
  const annotations = { [options.nameAnnotation]: name, [options.uidAnnotation]: uid };
  const bare = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: newTokenName(name, options.random), namespace, annotations },
    type: options.secretType,
  };
  return completed(options, bare, account);
}

/** The Secret with everything that it should hold; a token that is there stays. */
export function completed(
  options: ServiceAccountTokenOptions,
  secret: ApiObject,
  account: ApiObject,
): ApiObject {
  const { name = '', uid = '' } = account.metadata;
  const { name: secretName = '', namespace = '' } = secret.metadata;
  const data = dataOf(secret);
  const token = data['token'] ?? base64(options.makeToken({ namespace, name, uid, secretName }));
  const annotations = { ...secret.metadata.annotations, [options.uidAnnotation]: uid };
  return {
    ...secret,
    metadata: { ...secret.metadata, annotations },
    data: { ...data, 'ca.crt': base64(options.rootCa), namespace: base64(namespace), token },
  };
}

/** Whether nothing is missing or out of date. */
export function isComplete(options: ServiceAccountTokenOptions, secret: ApiObject): boolean {
  const data = dataOf(secret);
  const hasUid = (secret.metadata.annotations?.[options.uidAnnotation] ?? '') !== '';
  return (
    hasUid &&
    data['ca.crt'] === base64(options.rootCa) &&
    data['namespace'] === base64(secret.metadata.namespace ?? '') &&
    (data['token'] ?? '') !== ''
  );
}

/** Whether a Secret holds tokens and says that they are this account's. */
export function isTokenOf(
  options: ServiceAccountTokenOptions,
  secret: ApiObject | undefined,
  account: ApiObject,
): boolean {
  if (secret?.['type'] !== options.secretType || secret.metadata.deletionTimestamp != null) return false;
  const { name, uid } = account.metadata;
  const { [options.nameAnnotation]: itsName, [options.uidAnnotation]: itsUid = '' } =
    secret.metadata.annotations ?? {};
  return itsName === name && (itsUid === '' || itsUid === uid);
}

function dataOf(secret: ApiObject): Readonly<Record<string, string>> {
  return (secret['data'] ?? {}) as Record<string, string>;
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
