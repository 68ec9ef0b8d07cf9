/** Types of the PKI folder. */

/** A certificate and its private key as PEM text. */
export interface PemPair {
  readonly certificate: string;
  readonly key: string;
}

export interface CertificateRequest {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** DNS names and addresses of a server. */
  readonly hosts: readonly string[];
  readonly usages: readonly ('server' | 'client')[];
}

/** Copies of files of the PKI folder for a service. */
export interface PkiShare {
  readonly folder: string;
  /** Names of files, such as `server.key`. */
  readonly files: readonly string[];
}
