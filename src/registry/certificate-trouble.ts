/** Which certificate keeps the store from being reached: the code of the TLS error behind an error of the storage. */
import { codeOf } from '../base/errors.ts';

/** More causes than any error here has. */
const mostCauses = 8;

/**
 * What a client may know of it, which names neither addresses nor files; undefined if no certificate is the reason.
 * The codes are those of Node: of X509 verification, and of alerts of the peer.
 */
export function certificateTrouble(error: unknown): string | undefined {
  let cause = error;
  for (let depth = 0; depth < mostCauses && cause instanceof Error; depth += 1, cause = cause.cause) {
    const trouble = troubleOf(codeOf(cause));
    if (trouble !== undefined) return trouble;
  }
  return undefined;
}

function troubleOf(code: string): string | undefined {
  if (code === 'CERT_HAS_EXPIRED') return 'its certificate has expired; an operator must renew it';
  if (code === 'CERT_NOT_YET_VALID')
    return 'its certificate is not valid yet; an operator must check the clocks';
  if (/SELF_SIGNED|UNABLE_TO_|CERT_SIGNATURE|ALTNAME_INVALID|CERT_UNTRUSTED|INVALID_CA/.test(code))
    return 'its certificate is not trusted; an operator must correct it or the authorities of this server';
  if (/^ERR_SSL_.*ALERT_.*(CERT|UNKNOWN_CA|ACCESS_DENIED)/.test(code))
    return 'it refuses the certificate of this server; an operator must renew it';
  return undefined;
}
