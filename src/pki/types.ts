/** Words of the PKI folder. */

/** A certificate and its private key as PEM text. */
export interface PemPair {
  readonly certificate: string;
  readonly key: string;
}

export interface CertificateRequest {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** DNS names and addresses that a server answers to. */
  readonly hosts: readonly string[];
  readonly usages: readonly ('server' | 'client')[];
}
