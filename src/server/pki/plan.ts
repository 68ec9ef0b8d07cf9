/**
 * The files of a PKI folder, as data:
 *
 *   ca.crt, ca.key            signs the API: serving certificates and client certificates of users
 *     server.crt, server.key  what the service answers with
 *     admin.crt, admin.key    a client certificate that may do everything
 *   etcd-ca.crt, etcd-ca.key  signs for etcd alone: no user's certificate opens etcd
 *     etcd.crt, etcd.key      for members (server) and for replicas towards them (client)
 */
import { groupMasters } from '../../meta/user.ts';
import type { CertificateRequest } from './types.ts';

export interface AuthorityPlan {
  readonly name: 'ca' | 'etcd-ca';
  readonly commonName: string;
  readonly certificates: readonly (Omit<CertificateRequest, 'hosts'> & {
    readonly name: 'server' | 'admin' | 'etcd';
  })[];
}

export const pkiPlan: readonly AuthorityPlan[] = [
  {
    name: 'ca',
    commonName: 'orch-apiserver-ca',
    certificates: [
      { name: 'server', commonName: 'orch-apiserver', organizations: [], usages: ['server'] },
      { name: 'admin', commonName: 'admin', organizations: [groupMasters], usages: ['client'] },
    ],
  },
  {
    name: 'etcd-ca',
    commonName: 'orch-etcd-ca',
    certificates: [
      { name: 'etcd', commonName: 'orch-etcd', organizations: [], usages: ['server', 'client'] },
    ],
  },
];

/** Hosts that every serving certificate answers to. */
export const localHosts: readonly string[] = ['localhost', '127.0.0.1', '::1'];
