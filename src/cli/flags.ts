/** The flags of `serve`, as data. They keep the names that operators of such servers know; README lists the same. */

import { admissionFlags } from './admission-flags.ts';
import { auditFlags } from './audit-flags.ts';
import { authenticationFlags } from './authentication-flags.ts';
import { authorizationFlags } from './authorization-flags.ts';
import type { FlagDefinition } from './flag-definition.ts';

export type { FlagDefinition } from './flag-definition.ts';

const generalFlags = [
  {
    name: 'anonymous-auth',
    value: '',
    default: 'true',
    description: 'let requests without credentials in as system:anonymous',
  },
  {
    name: 'bind-address',
    value: 'ADDRESS',
    default: '127.0.0.1',
    description: 'address to listen on; 0.0.0.0 or :: for all',
  },
  {
    name: 'client-ca-file',
    value: 'FILE',
    default: '',
    description: 'authorities of client certificates (PEM); CN is the user, each O a group',
  },
  {
    name: 'controllers',
    value: 'NAMES',
    default: '*',
    description: 'controllers to run beside the API: * all, NAME that one, -NAME not that one',
    repeatable: true,
  },
  {
    name: 'data-dir',
    value: 'FOLDER',
    default: '.orch',
    description: "the PKI, the kubeconfig and the data of the service's own etcd",
  },
  {
    name: 'emulated-release',
    value: 'RELEASE',
    default: '1.21',
    description: 'serve only what this later release still serves, and warn as it does',
  },
  {
    name: 'enable-garbage-collector',
    value: '',
    default: 'true',
    description: 'deletions leave dependents to the garbage collector; needs it running somewhere',
  },
  {
    name: 'enable-priority-and-fairness',
    value: '',
    default: 'true',
    description: 'flow schemas and priority levels say who is served when there is too much to do',
  },
  { name: 'etcd-cafile', value: 'FILE', default: '', description: 'authorities of the etcd servers (PEM)' },
  { name: 'etcd-certfile', value: 'FILE', default: '', description: 'client certificate for etcd (PEM)' },
  {
    name: 'etcd-compaction-interval',
    value: 'DURATION',
    default: '5m',
    description: 'pause between compactions of the history in etcd; 0 never compacts',
  },
  {
    name: 'etcd-db-metric-poll-interval',
    value: 'DURATION',
    default: '30s',
    description: "pause between looks at the size of etcd's databases, a metric; 0 never looks",
  },
  {
    name: 'etcd-keyfile',
    value: 'FILE',
    default: '',
    description: 'private key of the client certificate for etcd (PEM)',
  },
  {
    name: 'etcd-prefix',
    value: 'KEY',
    default: '/registry',
    description: 'everything in etcd lives below this key',
  },
  {
    name: 'etcd-servers',
    value: 'URLS',
    default: '',
    description: 'members of the etcd cluster, comma-separated; none: the service starts its own etcd',
    repeatable: true,
  },
  {
    name: 'feature-gates',
    value: 'GATES',
    default: '',
    description: 'settings of feature gates: A=true,B=false',
    repeatable: true,
  },
  {
    name: 'livez-grace-period',
    value: 'DURATION',
    default: '0s',
    description: 'how long livez forgives a start that is not finished',
  },
  {
    name: 'max-connections',
    value: 'NUMBER',
    default: '30000',
    description: 'connections open at once, by each process; 0: as many as come',
  },
  {
    name: 'max-connections-per-address',
    value: 'NUMBER',
    default: '20000',
    description: 'the same of one client address, which may be that of a balancer with all clients behind it',
  },
  {
    name: 'max-mutating-requests-inflight',
    value: 'NUMBER',
    default: '200',
    description: 'requests that write served at once, by each process; 0: as many as come',
  },
  {
    name: 'max-request-bytes-inflight',
    value: 'BYTES',
    default: '67108864',
    description:
      'bytes of request bodies over 64 KiB in work at once, by each process; more wait, then get 429',
  },
  {
    name: 'max-requests-inflight',
    value: 'NUMBER',
    default: '400',
    description: 'requests that read served at once, by each process; 0: as many as come',
  },
  {
    name: 'min-request-timeout',
    value: 'SECONDS',
    default: '300',
    description: 'shortest life of a watch that names no timeoutSeconds',
  },
  { name: 'naming', value: 'PROFILE', default: 'orch', description: 'names of the API: orch or kubernetes' },
  {
    name: 'request-timeout',
    value: 'DURATION',
    default: '1m0s',
    description: 'longest time for a request that is not a watch',
  },
  {
    name: 'runtime-config',
    value: 'SETTINGS',
    default: '',
    description: 'served or not: GROUP/VERSION[/RESOURCE]=true or false; api/all, ga, beta, alpha',
    repeatable: true,
  },
  {
    name: 'secure-port',
    value: 'PORT',
    default: '6443',
    description: 'port to listen on with TLS; 0 takes a free one',
  },
  {
    name: 'show-hidden-metrics-for-version',
    value: 'RELEASE',
    default: '',
    description: 'show metrics that this release hid; only the previous release is a valid value',
  },
  {
    name: 'shutdown-delay-duration',
    value: 'DURATION',
    default: '0s',
    description: 'how long to go on serving after readyz fails',
  },
  {
    name: 'tls-cert-file',
    value: 'FILE',
    default: '',
    description: "serving certificate, its chain after it (PEM); none: made under the data folder's pki",
  },
  {
    name: 'tls-private-key-file',
    value: 'FILE',
    default: '',
    description: 'private key of the serving certificate (PEM)',
  },
  {
    name: 'token-auth-file',
    value: 'FILE',
    default: '',
    description: 'static tokens, CSV: token, user name, user uid, "groups"',
  },
  {
    name: 'v',
    short: 'v',
    value: 'LEVEL',
    default: '0',
    description: 'how much to log: 0 warnings, 1 to 3 also information, 4 and more everything',
  },
  {
    name: 'workers',
    value: 'NUMBER',
    default: '1',
    description: 'processes that serve, each a whole replica in memory; one for each processor at most',
  },
] as const satisfies readonly FlagDefinition[];

export const serveFlags = [
  ...generalFlags,
  ...admissionFlags,
  ...auditFlags,
  ...authenticationFlags,
  ...authorizationFlags,
].sort((a, b) => (a.name < b.name ? -1 : 1));

export type FlagName = (typeof serveFlags)[number]['name'];
