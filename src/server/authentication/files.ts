/** The files that authentication flags name: read, checked, and kept as plain text, for other processes too. */
import { readSigningKey, readVerificationKeys } from '../../authn/service-account/keys.ts';
import type { FileCheck } from '../file-check.ts';
import type { WebhookAccess } from '../webhook-client.ts';
import type { AuthenticationConfig } from './config.ts';

/** undefined and empty: no flag names one. */
export interface AuthenticationFiles {
  readonly serviceAccountKeys: readonly string[];
  readonly signingKey: string | undefined;
  readonly rootCa: string | undefined;
  readonly webhook: WebhookAccess | undefined;
  readonly oidcCa: string | undefined;
}

/** Faults are added to those of `check`; one file after the other, so that they come in the same order every time. */
export async function readAuthenticationFiles(
  { serviceAccounts, oidc, webhook: { configFile } }: AuthenticationConfig,
  check: FileCheck,
): Promise<AuthenticationFiles> {
  const keyRule = { flag: '--service-account-key-file', code: 'TOKEN_KEY_INVALID' } as const;
  const serviceAccountKeys: string[] = [];
  for (const file of serviceAccounts.keyFiles) {
    const text = await check.checkedText(file, { ...keyRule, parse: readVerificationKeys });
    if (text !== undefined) serviceAccountKeys.push(text);
  }
  const signingKey = await check.checkedText(serviceAccounts.signingKeyFile, {
    flag: '--service-account-signing-key-file',
    code: 'TOKEN_KEY_INVALID',
    parse: readSigningKey,
  });
  const rootCa = (await check.authorities(serviceAccounts.rootCaFile, '--root-ca-file'))?.toString('utf8');
  const webhook = await check.webhook(configFile, '--authentication-token-webhook-config-file');
  const oidcCa = (await check.authorities(oidc?.caFile ?? '', '--oidc-ca-file'))?.toString('utf8');
  return { serviceAccountKeys, signingKey, rootCa, webhook, oidcCa };
}
