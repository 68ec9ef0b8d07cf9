/** The files that authentication flags name: read, checked, and kept as plain text, for other processes too. */
import { createBasicAuthenticator } from '../../authn/basic.ts';
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
  readonly proxyCa: string | undefined;
  readonly passwords: string | undefined;
}

/** Faults are added to those of `check`; one file after the other, so that they come in the same order every time. */
export async function readAuthenticationFiles(
  config: AuthenticationConfig,
  check: FileCheck,
): Promise<AuthenticationFiles> {
  const { serviceAccounts: accounts, oidc, proxies, webhook } = config;
  const authorities = async (file: string, flag: string): Promise<string | undefined> =>
    (await check.authorities(file, flag))?.toString('utf8');
  return {
    serviceAccountKeys: await readKeys(accounts.keyFiles, check),
    signingKey: await check.checkedText(accounts.signingKeyFile, {
      flag: '--service-account-signing-key-file',
      code: 'TOKEN_KEY_INVALID',
      parse: readSigningKey,
    }),
    rootCa: await authorities(accounts.rootCaFile, '--root-ca-file'),
    webhook: await check.webhook(webhook.configFile, '--authentication-token-webhook-config-file'),
    oidcCa: await authorities(oidc?.caFile ?? '', '--oidc-ca-file'),
    proxyCa: await authorities(proxies.caFile, '--requestheader-client-ca-file'),
    passwords: await check.checkedText(config.passwordFile, {
      flag: '--basic-auth-file',
      code: 'PASSWORD_FILE_INVALID',
      parse: createBasicAuthenticator,
    }),
  };
}

async function readKeys(files: readonly string[], check: FileCheck): Promise<string[]> {
  const keys: string[] = [];
  const rule = { flag: '--service-account-key-file', code: 'TOKEN_KEY_INVALID' } as const;
  for (const file of files) {
    const text = await check.checkedText(file, { ...rule, parse: readVerificationKeys });
    if (text !== undefined) keys.push(text);
  }
  return keys;
}
