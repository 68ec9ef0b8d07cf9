/** A replica for suites that also run over the etcd in memory: a control plane of the library, whose etcd no other reaches. */
import { startControlPlane, type ControlPlane } from '../../src/testing/index.ts';
import { Replica, type ReplicaOptions, type ServicePki } from './replica.ts';
import type { TestAuthority } from './pki.ts';

/** Replicas over one etcd are one control plane, which ends with the last of them. */
const running = new Map<string, { readonly plane: Promise<ControlPlane>; users: number }>();

/** As `startReplica`, for the endpoint of `startMemoryCluster`. Whoever starts it closes it. */
export async function startMemoryReplica(options: ReplicaOptions): Promise<Replica> {
  const endpoint = String(options.etcd.endpoints[0]);
  const shared = running.get(endpoint) ?? { plane: start(options), users: 0 };
  running.set(endpoint, shared);
  shared.users += 1;
  const plane = await shared.plane;
  const leave = async (): Promise<void> => {
    shared.users -= 1;
    if (shared.users > 0) return;
    running.delete(endpoint);
    await plane.stop();
  };
  return new Replica(options, pkiOf(plane, leave), plane.port, { [Symbol.asyncDispose]: leave });
}

function start({ naming = 'orch', args = [] }: ReplicaOptions): Promise<ControlPlane> {
  const flags = args.map((arg) => /^--([^=]+)=?(.*)$/s.exec(arg)?.slice(1) ?? []);
  return startControlPlane({ naming, flags: Object.fromEntries(flags) as Record<string, string> });
}

/** It signs nothing for others. */
function pkiOf(plane: ControlPlane, close: () => Promise<void>): ServicePki {
  const { user } = plane.kubeconfig().users[0] ?? { user: {} };
  const credentials = user as Record<string, string>;
  const pem = (name: string): string => Buffer.from(String(credentials[name]), 'base64').toString();
  const admin = {
    cert: pem('client-certificate-data'),
    key: pem('client-key-data'),
    certFile: '',
    keyFile: '',
  };
  const authority = { ca: plane.ca } as unknown as TestAuthority;
  return { folder: '', authority, server: admin, admin, close, [Symbol.asyncDispose]: close };
}
