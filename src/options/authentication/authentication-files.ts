/**
 * The files that authentication flags name: read, checked and kept as plain data, so that they can be sent to worker
 * processes.
 */
import { parsePasswordFile } from '../../authn/basic.ts';
import { readSigningKey, readVerificationKeys } from '../../authn/service-account/service-account-keys.ts';
import { packAccounts, type PackedAccounts } from '../../authn/packed-accounts.ts';
import { parseTokenFile } from '../../authn/token-file.ts';
import { FileError } from '../../base/file-error.ts';
import { longestPem } from '../../base/regular-file.ts';
import type { ConfiguredWebhook } from '../../webhook/webhook-client.ts';
import type { FileCheck } from '../file-check.ts';
import type {
  AuthenticationConfig,
  ClientConfig,
  OidcConfig,
  ProxyConfig,
  ServiceAccountConfig,
} from './authentication-config.ts';
import { sharedAuthorityErrors } from './shared-authorities.ts';

/** undefined if no flag names the file. */
export interface ClientFiles {
  readonly clientCa: string | undefined;
  readonly tokens: PackedAccounts | undefined;
  readonly authentication: AuthenticationFiles;
}

/** undefined or empty if no flag names the file. */
export interface AuthenticationFiles {
  readonly serviceAccountKeys: readonly string[];
  readonly signingKey: string | undefined;
  readonly rootCa: string | undefined;
  readonly webhook: ConfiguredWebhook | undefined;
  readonly oidcCa: string | undefined;
  readonly proxyCa: string | undefined;
  readonly passwords: PackedAccounts | undefined;
}

/** Errors are added to those of `check`; files are read in sequence to keep the order of errors stable. */
export async function readClientFiles(config: ClientConfig, check: FileCheck): Promise<ClientFiles> {
  const clientCa = await readClientCa(config.clientCaFile, check);
  const tokens = await readTokens(config.tokenAuthFile, check);
  const authentication = await readAuthenticationFiles(config.authentication, check);
  check.report(sharedAuthorityErrors(config.authentication.proxies, [clientCa, authentication.proxyCa]));
  return { clientCa, tokens, authentication };
}

async function readAuthenticationFiles(
  config: AuthenticationConfig,
  check: FileCheck,
): Promise<AuthenticationFiles> {
  const { serviceAccounts: accounts, oidc, proxies, webhook } = config;
  return {
    ...(await readAccountKeys(accounts, check)),
    rootCa: await readAuthorities(accounts.rootCaFile, '--root-ca-file', check),
    webhook: await check.webhook(webhook.configFile, '--authentication-token-webhook-config-file'),
    oidcCa: await readOidcCa(oidc, check),
    proxyCa: await readProxyCa(proxies, check),
    passwords: await readPasswords(config.passwordFile, check),
  };
}

async function readAuthorities(file: string, flag: string, check: FileCheck): Promise<string | undefined> {
  return (await check.authorities(file, flag))?.toString('utf8');
}

export function readClientCa(file: string, check: FileCheck): Promise<string | undefined> {
  return readAuthorities(file, '--client-ca-file', check);
}

export function readOidcCa(oidc: OidcConfig | undefined, check: FileCheck): Promise<string | undefined> {
  return readAuthorities(oidc?.caFile ?? '', '--oidc-ca-file', check);
}

export function readProxyCa({ caFile }: ProxyConfig, check: FileCheck): Promise<string | undefined> {
  return readAuthorities(caFile, '--requestheader-client-ca-file', check);
}

/** @param former what is in use */
export function readTokens(
  file: string,
  check: FileCheck,
  former: PackedAccounts = '',
): Promise<PackedAccounts | undefined> {
  return check.parsed(file, {
    flag: '--token-auth-file',
    code: 'TOKEN_FILE_INVALID',
    parse: (text) => packAccounts(parseTokenFile(unlessTruncated(text, former))),
  });
}

/** The keys of service account tokens. */
export async function readAccountKeys(
  { keyFiles, signingKeyFile }: Pick<ServiceAccountConfig, 'keyFiles' | 'signingKeyFile'>,
  check: FileCheck,
): Promise<Pick<AuthenticationFiles, 'serviceAccountKeys' | 'signingKey'>> {
  const signing = { flag: '--service-account-signing-key-file', code: 'TOKEN_KEY_INVALID' } as const;
  return {
    serviceAccountKeys: await readKeys(keyFiles, check),
    signingKey: await check.parsed(signingKeyFile, {
      ...signing,
      longest: longestPem,
      parse: pemOf(readSigningKey),
    }),
  };
}

/** @param former what is in use */
export function readPasswords(
  file: string,
  check: FileCheck,
  former: PackedAccounts = '',
): Promise<PackedAccounts | undefined> {
  const rule = { flag: '--basic-auth-file', code: 'PASSWORD_FILE_INVALID' } as const;
  return check.parsed(file, {
    ...rule,
    parse: (text) => packAccounts(parsePasswordFile(unlessTruncated(text, former))),
  });
}

/** Whoever writes a file anew may truncate it first, and then have no disk left. @throws FileError */
function unlessTruncated(text: string, former: PackedAccounts): string {
  if (text !== '' || former === '') return text;
  throw new FileError([
    'the file is empty, as if somebody were writing it; a blank line removes all accounts',
  ]);
}

async function readKeys(files: readonly string[], check: FileCheck): Promise<string[]> {
  const keys: string[] = [];
  const rule = { flag: '--service-account-key-file', code: 'TOKEN_KEY_INVALID' } as const;
  for (const file of files) {
    const text = await check.parsed(file, {
      ...rule,
      longest: longestPem,
      parse: pemOf(readVerificationKeys),
    });
    if (text !== undefined) keys.push(text);
  }
  return keys;
}

/** Checks a key and keeps it as text: Node's key objects cannot be sent to another process. */
function pemOf(read: (pem: string) => unknown): (pem: string) => string {
  return (pem) => {
    read(pem);
    return pem;
  };
}
