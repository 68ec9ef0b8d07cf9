/** The certificate authorities that the machine trusts. */
import * as tls from 'node:tls';

/** PEM. Node before 22.15 cannot ask the system: it gives those that it comes with. */
export function systemAuthorities(): string[] {
  const { getCACertificates, rootCertificates } = tls as Partial<Pick<typeof tls, 'getCACertificates'>> &
    Pick<typeof tls, 'rootCertificates'>;
  return getCACertificates?.('system') ?? [...rootCertificates];
}
