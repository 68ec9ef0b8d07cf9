/** When a certificate is valid. */
import type { X509Certificate } from 'node:crypto';

const renewMs = 30 * 86_400_000;

/** Why a certificate is to be renewed at this time (milliseconds since 1970); undefined if it need not be. */
export function validityFlaw(certificate: X509Certificate, now: number): string | undefined {
  if (isEarly(certificate, now)) return `it is valid from ${certificate.validFromDate.toISOString()} on`;
  if (!expiresSoon(certificate, now)) return undefined;
  return `it is valid until ${certificate.validToDate.toISOString()}`;
}

/** Whether it expires within 30 days. */
export function expiresSoon(certificate: X509Certificate, now: number): boolean {
  return certificate.validToDate.getTime() - now < renewMs;
}

export function isValidAt(certificate: X509Certificate, now: number): boolean {
  return !isEarly(certificate, now) && now <= certificate.validToDate.getTime();
}

/** So after a clock that ran ahead was set right. */
function isEarly(certificate: X509Certificate, now: number): boolean {
  return certificate.validFromDate.getTime() > now;
}
