/** Kubeconfigs as objects, with inline credentials. */
import type { PemPair } from './types.ts';

export interface KubeconfigParts {
  /** `https://host:port` */
  readonly server: string;
  /** Certificate of the authority of the server, PEM. */
  readonly ca: string;
  readonly user: KubeconfigUser;
}

export interface KubeconfigUser {
  readonly name: string;
  readonly credentials: PemPair | { readonly token: string };
}

/** A kubeconfig (`v1`, `Config`) with one cluster, one user and one context. */
export interface Kubeconfig {
  readonly apiVersion: 'v1';
  readonly kind: 'Config';
  readonly clusters: readonly {
    readonly name: string;
    readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string };
  }[];
  readonly users: readonly { readonly name: string; readonly user: Readonly<Record<string, string>> }[];
  readonly contexts: readonly {
    readonly name: string;
    readonly context: { readonly cluster: string; readonly user: string };
  }[];
  readonly 'current-context': string;
}

const clusterName = 'orch';

export function kubeconfigOf({ server, ca, user: { name, credentials } }: KubeconfigParts): Kubeconfig {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: clusterName, cluster: { server, 'certificate-authority-data': base64(ca) } }],
    users: [{ name, user: userOf(credentials) }],
    contexts: [{ name: clusterName, context: { cluster: clusterName, user: name } }],
    'current-context': clusterName,
  };
}

function userOf(credentials: KubeconfigUser['credentials']): Readonly<Record<string, string>> {
  if ('token' in credentials) return { token: credentials.token };
  return {
    'client-certificate-data': base64(credentials.certificate),
    'client-key-data': base64(credentials.key),
  };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
