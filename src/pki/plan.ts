/**
 * The files of a PKI folder, as data:
 *
 *   ca.crt, ca.key            signs the API: serving certificates and client certificates of users
 *     server.crt, server.key  serving certificate
 *     admin.crt, admin.key    a client certificate with all permissions
 *     controller-manager.crt, controller-manager.key
 *                             a client certificate for controllers in processes of their own
 *     prometheus.crt, prometheus.key
 *                             a client certificate that may read metrics and health, and nothing else
 *   service-account.key       signs service account tokens; verifiers need it or its public part
 *   etcd-ca.crt, etcd-ca.key  signs only for etcd: user certificates do not give access to etcd
 *     etcd.crt, etcd.key      for members (server) and for replicas towards them (client)
 */
import { controllerManager, groupMonitoring } from '../authz/bootstrap/bootstrap-bindings.ts';
import { groupMasters } from '../meta/user.ts';
import type { CertificateRequest } from './types.ts';

export interface AuthorityPlan {
  readonly name: 'ca' | 'etcd-ca';
  readonly commonName: string;
  readonly certificates: readonly (Omit<CertificateRequest, 'hosts'> & {
    readonly name: 'server' | ClientName | 'etcd';
  })[];
}

/** Clients of the API that get a certificate. */
export const clientNames = ['admin', 'controller-manager', 'prometheus'] as const;
export type ClientName = (typeof clientNames)[number];

export const pkiPlan: readonly AuthorityPlan[] = [
  {
    name: 'ca',
    commonName: 'orch-apiserver-ca',
    certificates: [
      { name: 'server', commonName: 'orch-apiserver', organizations: [], usages: ['server'] },
      { name: 'admin', commonName: 'admin', organizations: [groupMasters], usages: ['client'] },
      {
        name: 'controller-manager',
        // The bootstrap policy grants this user the permissions of controllers.
        commonName: controllerManager,
        organizations: [],
        usages: ['client'],
      },
      {
        name: 'prometheus',
        commonName: 'prometheus',
        organizations: [groupMonitoring],
        usages: ['client'],
      },
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

/** The key of service account tokens. */
export const tokenKeyName = 'service-account';

/** Hosts of every serving certificate. */
export const localHosts: readonly string[] = ['localhost', '127.0.0.1', '::1'];
