/** The files that authentication flags name: read, checked, and kept as plain text, for other processes too. */
import { createBasicAuthenticator } from '../../authn/basic.ts';
import { readSigningKey, readVerificationKeys } from '../../authn/service-account/keys.ts';
import type { FileCheck } from '../file-check.ts';
import type { ConfiguredWebhook } from '../webhook-client.ts';
import type { AuthenticationConfig, ServiceAccountConfig } from './config.ts';

/** undefined and empty: no flag names one. */
export interface AuthenticationFiles {
  readonly serviceAccountKeys: readonly string[];
  readonly signingKey: string | undefined;
  readonly rootCa: string | undefined;
  readonly webhook: ConfiguredWebhook | undefined;
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
    ...(await readAccountKeys(accounts, check)),
    rootCa: await authorities(accounts.rootCaFile, '--root-ca-file'),
    webhook: await check.webhook(webhook.configFile, '--authentication-token-webhook-config-file'),
    oidcCa: await authorities(oidc?.caFile ?? '', '--oidc-ca-file'),
    proxyCa: await authorities(proxies.caFile, '--requestheader-client-ca-file'),
    passwords: await readPasswords(config.passwordFile, check),
  };
}

/** The keys of service account tokens. */
export async function readAccountKeys(
  { keyFiles, signingKeyFile }: Pick<ServiceAccountConfig, 'keyFiles' | 'signingKeyFile'>,
  check: FileCheck,
): Promise<Pick<AuthenticationFiles, 'serviceAccountKeys' | 'signingKey'>> {
  const signing = { flag: '--service-account-signing-key-file', code: 'TOKEN_KEY_INVALID' } as const;
  return {
    serviceAccountKeys: await readKeys(keyFiles, check),
    signingKey: await check.checkedText(signingKeyFile, { ...signing, parse: readSigningKey }),
  };
}

export function readPasswords(file: string, check: FileCheck): Promise<string | undefined> {
  const rule = { flag: '--basic-auth-file', code: 'PASSWORD_FILE_INVALID' } as const;
  return check.checkedText(file, { ...rule, parse: createBasicAuthenticator });
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
