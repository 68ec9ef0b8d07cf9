/** How the service's own etcd is started: arguments, environment, and the guard that ends it with its parent. */
import { join } from 'node:path';

export interface EtcdPlan {
  readonly binary: string;
  readonly dataFolder: string;
  readonly pkiFolder: string;
  readonly port: number;
}

/** A socket inside the data folder: there are no peers. */
const peerUrl = 'unix://etcd-peer:0';

/** A socket in the data folder, for programs of the folder's owner. One that is left over keeps etcd from starting. */
export const ownSocket = 'etcd-client:0';
/** Where they find the service's own etcd, seen from the data folder. */
export const ownEndpoint = `unix://${ownSocket}`;

/** Who the service's own etcd is to itself; the names are those of etcd's flags. */
export const ownIdentity = {
  name: 'local',
  initialCluster: `local=${peerUrl}`,
  initialClusterToken: '',
  initialAdvertisePeerUrls: peerUrl,
};

/**
 * Runs its arguments, without core dumps and with files for their owner only, and ends them when standard input ends. The service holds the other end of that pipe, so etcd
 * is told to stop also when the service is killed and can do nothing any more.
 */
export const guardScript = `
umask 077
ulimit -c 0
trap '' USR1 USR2
exec 3<&0
"$@" </dev/null 3<&- &
child=$!
( read -r _ <&3; kill -TERM "$child" ) 2>/dev/null &
guard=$!
exec 3<&- 2>/dev/null
wait "$child"
code=$?
kill "$guard" 2>/dev/null
exit "$code"
`;

/** The most that etcd advises. Its default of 2 GiB is less than a million objects need, and nobody could raise it here. */
const quotaBytes = 8 * 1024 ** 3;

/**
 * Clients come over TLS with a certificate of etcd's own authority, on loopback, or over a socket in the data folder. There are no peers: their socket is
 * a file inside the data folder, which only its owner may enter. Heartbeats are short because a single member
 * elects itself after one election timeout, which would otherwise be most of the start-up time.
 */
export function etcdArguments(plan: EtcdPlan): string[] {
  const clientUrl = etcdUrl(plan.port);
  return [
    `--name=${ownIdentity.name}`,
    `--data-dir=${join(plan.dataFolder, 'etcd')}`,
    `--listen-client-urls=${clientUrl},${ownEndpoint}`,
    `--advertise-client-urls=${clientUrl}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=${ownIdentity.initialCluster}`,
    '--heartbeat-interval=10',
    '--election-timeout=100',
    '--max-request-bytes=4194304',
    `--quota-backend-bytes=${String(quotaBytes)}`,
    '--logger=zap',
    '--client-cert-auth',
    `--trusted-ca-file=${join(plan.pkiFolder, 'etcd-ca.crt')}`,
    `--cert-file=${join(plan.pkiFolder, 'etcd.crt')}`,
    `--key-file=${join(plan.pkiFolder, 'etcd.key')}`,
  ];
}

export function etcdUrl(port: number): string {
  return `https://127.0.0.1:${String(port)}`;
}

/** The environment without etcd's own variables, which would override arguments that are not given. */
export function etcdEnvironment(from: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(from).filter(([name]) => !name.startsWith('ETCD_'));
  // etcd 3.4 wants to be told that it may run on 64-bit ARM.
  const arm = process.arch === 'arm64' ? { ETCD_UNSUPPORTED_ARCH: 'arm64' } : {};
  return { ...Object.fromEntries(kept), ...arm };
}
