/** Command line of the service's own etcd: arguments, environment, and the guard that ends it with its parent. */
import { join } from 'node:path';

export interface EtcdPlan {
  readonly binary: string;
  readonly dataFolder: string;
  readonly pkiFolder: string;
  readonly port: number;
}

/** A socket inside the data folder: there are no peers. */
const peerUrl = 'unix://etcd-peer:0';

/** A socket in the data folder, for programs of its owner. A leftover one prevents the start of etcd. */
export const ownSocket = 'etcd-client:0';
/** The endpoint of that socket, relative to the data folder. */
export const ownEndpoint = `unix://${ownSocket}`;

/** The identity of the member; names are those of etcd flags. */
export const ownIdentity = {
  name: 'local',
  initialCluster: `local=${peerUrl}`,
  initialClusterToken: '',
  initialAdvertisePeerUrls: peerUrl,
};

/**
 * Runs its arguments without core dumps and with umask 077, and terminates them when standard input closes. The
 * service holds the other end of that pipe, so etcd stops even if the service is killed. Signals that etcd lives through end
 * the guard no more than etcd; not every system has the last two.
 */
export const guardScript = `
umask 077
ulimit -c 0
trap '' USR1 USR2 ALRM VTALRM PROF XCPU PIPE
trap '' IO PWR 2>/dev/null
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

/**
 * The maximum that etcd recommends. The default of 2 GiB is too small for a million objects, and there is no flag to
 * raise it.
 */
const quotaBytes = 8 * 1024 ** 3;

/**
 * Clients connect with TLS and a certificate of the etcd CA, on loopback, or by a socket in the data folder. There
 * are no peers: their socket is a file in the data folder, which only its owner can access. Heartbeats are short, as
 * a single member elects itself after one election timeout, which would dominate the start-up time.
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

/** The environment without variables of etcd, which would set omitted arguments. */
export function etcdEnvironment(from: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(from).filter(([name]) => !name.startsWith('ETCD_'));
  // etcd 3.4 requires this on 64-bit ARM.
  const arm = process.arch === 'arm64' ? { ETCD_UNSUPPORTED_ARCH: 'arm64' } : {};
  return { ...Object.fromEntries(kept), ...arm };
}
