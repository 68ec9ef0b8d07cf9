/** The metric of the expiry of serving certificates and CA bundles. */
import { readCertificates } from '../authn/certificate-chain.ts';
import type { NumberFamily } from '../observe/metric-series.ts';

const pemBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Sets the gauge of each certificate file to its earliest expiry. Unreadable files are skipped: they were rejected
 * where they are used.
 */
export function noteCertificateExpiry(
  notAfter: NumberFamily,
  certificates: Readonly<Record<string, string | Buffer | readonly string[] | undefined>>,
): void {
  for (const [certificate, pem] of Object.entries(certificates)) {
    const end = firstEndOf(String(pem ?? ''));
    if (Number.isFinite(end)) notAfter.series({ certificate }).set(end / 1000);
  }
}

function firstEndOf(pem: string): number {
  return Math.min(...(pem.match(pemBlock) ?? []).map(endOf));
}

function endOf(block: string): number {
  try {
    return Math.min(...readCertificates(block).map(({ validToDate }) => validToDate.getTime()));
  } catch {
    return Infinity;
  }
}
