/** What controllers make in every namespace, before which no pod can be created. */
import type { CompletedConfig } from '../../options/complete-config.ts';
import { StartError } from '../../base/start-error.ts';
import type { EtcdStorage } from '../../storage/storage.ts';

const accounts = 'core/serviceaccounts';
const firstAccount = 'default/default';
const lookAgainMs = 2;
const mostMs = 30_000;

/**
 * Resolves when the service account `default` exists in namespace `default`, with its token if the release makes one.
 * @throws StartError if that takes longer than half a minute
 */
export async function accountsExist(
  { controllers }: Pick<CompletedConfig, 'controllers'>,
  {
    storage,
    isFeatureEnabled,
  }: { readonly storage: EtcdStorage; readonly isFeatureEnabled: (gate: string) => boolean },
  pause: (ms: number) => Promise<unknown>,
): Promise<void> {
  if (!controllers.has('serviceaccount')) return;
  const makesTokens =
    controllers.has('serviceaccount-token') && !isFeatureEnabled('LegacyServiceAccountTokenNoAutoGeneration');
  const needed = makesTokens ? '"secrets":[' : '';
  for (let waitedMs = 0; waitedMs < mostMs; waitedMs += lookAgainMs) {
    const account = storage.peek(accounts, firstAccount);
    if (account?.bytes.includes(needed) === true) return;
    await pause(lookAgainMs);
  }
  throw StartError.of(
    'INTERNAL',
    'the controllers made no service accounts',
    'look into the log of the control plane',
  );
}
