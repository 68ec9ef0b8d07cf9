/** When the certificates end that the service itself shows or trusts, as a metric. */
import { X509Certificate } from 'node:crypto';
import type { NumberFamily } from '../observe/metric-series.ts';

const pemBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Sets the gauge for each certificate that there is; of several in one file the one that ends first counts.
 * What cannot be read is left out: those who use it have refused it already.
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
    return new X509Certificate(block).validToDate.getTime();
  } catch {
    return Infinity;
  }
}
