/** Completes a Secret of an account, and removes it when the account is gone. */
import { secrets, serviceAccounts } from '../core-resources.ts';
import type { ServiceAccountTokenOptions } from './tokens-controller-options.ts';
import { completed, isComplete, isTokenOf } from './token-secret.ts';

export async function syncSecret(
  options: ServiceAccountTokenOptions,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<void> {
  const { client } = options;
  const ref = { resource: secrets, namespace, name };
  const secret = await client.get(ref, signal);
  if (secret?.['type'] !== options.secretType || secret.metadata.deletionTimestamp != null) return;
  const owner = secret.metadata.annotations?.[options.nameAnnotation] ?? '';
  const account = await client.get({ resource: serviceAccounts, namespace, name: owner }, signal);
  if (!account || !isTokenOf(options, secret, account)) {
    await client.delete(ref, { uid: secret.metadata.uid ?? '' }, signal);
    options.log.info({ namespace, secret: name, account: owner }, 'a token without its account was removed');
  } else if (!isComplete(options, secret))
    await client.update(ref, completed(options, secret, account), '', signal);
}
