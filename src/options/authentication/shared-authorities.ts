/** CAs that certify both users and authenticating proxies. */
import { readCertificates } from '../../authn/certificate-chain.ts';
import type { StartErrorDetail } from '../../base/start-error.ts';
import type { ProxyConfig } from './authentication-config.ts';

/** If one CA certifies both users and proxies, any user could act as a proxy and so impersonate everyone. */
export function sharedAuthorityErrors(
  { allowedNames }: ProxyConfig,
  [userCa = '', proxyCa = '']: readonly [string | undefined, string | undefined],
): StartErrorDetail[] {
  const users = new Set(readCertificates(userCa).map(({ fingerprint256 }) => fingerprint256));
  const isShared = readCertificates(proxyCa).some(({ fingerprint256 }) => users.has(fingerprint256));
  if (!isShared || allowedNames.length > 0) return [];
  const cause = '--client-ca-file and --requestheader-client-ca-file share a CA certificate';
  const remedy = 'use a separate CA for proxies, or set --requestheader-allowed-names';
  return [{ code: 'FLAG_COMBINATION', cause, remedy }];
}
