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

/** What was made in place of another, and why. */
export interface Renewed {
  readonly name: string;
  readonly why: string;
}

/** The names of pairs, such as `server`, by what was done with them. */
export interface PkiResult {
  /** Created, also in place of others. */
  readonly made: readonly string[];
  readonly kept: readonly string[];
  readonly renewed: readonly Renewed[];
  /** Authorities that expire soon and were not renewed. */
  readonly expiring: readonly string[];
}

/** Work on a folder, in progress. */
export interface PkiWork extends PkiResult {
  readonly folder: string;
  readonly hosts: readonly string[];
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly made: string[];
  readonly kept: string[];
  readonly renewed: Renewed[];
  readonly expiring: string[];
}
