/** Sees to it that an account names no Secret that is gone, and in early releases one with a token of it. */
import type { ApiObject } from '../../meta/object.ts';
import { ignoreNotFound } from '../../meta/object-errors.ts';
import { secrets, serviceAccounts } from '../core-resources.ts';
import type { ObjectRef } from '../types.ts';
import type { ServiceAccountTokenOptions } from './tokens-controller-options.ts';
import { isTokenOf, newTokenSecret, tokenNamePrefix } from './token-secret.ts';

/** So many named Secrets are read one by one. */
const fewNames = 100;

interface SecretReference {
  readonly name?: string;
}

/** What is known of an account's Secrets from their annotations. */
export interface AccountWork {
  readonly namespace: string;
  readonly name: string;
  readonly knownSecrets: readonly string[];
  /** Whether the release creates a Secret for an account that names none. */
  readonly createsSecret: boolean;
}

/** Does nothing where the account is gone or about to go. */
export async function syncAccount(
  options: ServiceAccountTokenOptions,
  work: AccountWork,
  signal: AbortSignal,
): Promise<void> {
  const { client } = options;
  const ref = { resource: serviceAccounts, namespace: work.namespace, name: work.name };
  const account = await client.get(ref, signal);
  if (account === undefined || account.metadata.deletionTimestamp != null) return;
  const named = await judge(options, account, signal);
  const needsSecret = work.createsSecret && !named.hasToken;
  if (!needsSecret && named.gone.size === 0) return;
  const retained = referencesOf(account).filter(({ name = '' }) => !named.gone.has(name));
  if (!needsSecret) await client.update(ref, { ...account, secrets: retained }, '', signal);
  else await ensureToken(options, { ref, account, retained, known: work.knownSecrets }, signal);
}

function referencesOf(account: ApiObject): readonly SecretReference[] {
  return (account['secrets'] ?? []) as readonly SecretReference[];
}

/** Whether one of the Secrets that an account names holds its token, and which of those made for it are gone. */
async function judge(
  options: ServiceAccountTokenOptions,
  account: ApiObject,
  signal: AbortSignal,
): Promise<{ hasToken: boolean; gone: ReadonlySet<string> }> {
  const gone = new Set<string>();
  let hasToken = false;
  const names = new Set(referencesOf(account).map(({ name = '' }) => name));
  const there = names.size > fewNames ? await namesThere(options, account, signal) : names;
  for (const name of names) {
    const isThere = there.has(name);
    const secret = isThere ? await options.client.get(secretRef(account, name), signal) : undefined;
    if (isTokenOf(options, secret, account)) hasToken = true;
    else if (!secret && name.startsWith(tokenNamePrefix(account.metadata.name ?? ''))) gone.add(name);
  }
  return { hasToken, gone };
}

/** An account may name thousands that are not there: one list costs less than a read of each. */
async function namesThere(
  { client }: ServiceAccountTokenOptions,
  { metadata: { namespace = '' } }: ApiObject,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  const onItem = ({ metadata: { name = '' } }: ApiObject): void => void names.add(name);
  await client.eachMetadata(secrets, { namespace, onItem }, signal);
  return names;
}

function secretRef(account: ApiObject, name: string): ObjectRef {
  return { resource: secrets, namespace: account.metadata.namespace ?? '', name };
}

interface TokenCreation {
  readonly ref: ObjectRef;
  readonly account: ApiObject;
  readonly retained: readonly SecretReference[];
  readonly known: readonly string[];
}

/** Names a Secret that is there (left behind by a controller that was interrupted), or makes one. */
async function ensureToken(
  options: ServiceAccountTokenOptions,
  { ref, account, retained, known }: TokenCreation,
  signal: AbortSignal,
): Promise<void> {
  const { client } = options;
  const name = async (secret: string): Promise<void> => {
    await client.update(ref, { ...account, secrets: [...retained, { name: secret }] }, '', signal);
  };
  const left = await findLeftover(options, account, known, signal);
  if (left !== undefined) return name(left);
  const made = await client.create(secrets, ref.namespace, newTokenSecret(options, account), signal);
  const secret = made.metadata.name ?? '';
  try {
    await name(secret);
  } catch (error) {
    // No account refers to it, and the next attempt creates another.
    const left = secretRef(account, secret);
    await ignoreNotFound(left, client.delete(left, {}, signal));
    throw error;
  }
}

async function findLeftover(
  options: ServiceAccountTokenOptions,
  account: ApiObject,
  known: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const prefix = tokenNamePrefix(account.metadata.name ?? '');
  for (const name of known.filter((secret) => secret.startsWith(prefix))) {
    const secret = await options.client.get(secretRef(account, name), signal);
    if (isTokenOf(options, secret, account)) return name;
  }
  return undefined;
}
