/** Plans a cluster: names, ports, certificates and arguments of each member. */
import { join } from 'node:path';

import { freePort } from '../free-port.ts';
import { makeAuthority } from '../pki.ts';
import type { EtcdClusterOptions, EtcdTls, MemberPlan, MemberTls } from './types.ts';

export interface ClusterPlan {
  readonly members: readonly MemberPlan[];
  readonly tls: EtcdTls | undefined;
}

interface Ports {
  readonly name: string;
  readonly client: string;
  readonly peer: string;
}

/** Chooses free ports and, with `tls`, makes certificates below `folder`. */
export async function planCluster(folder: string, options: EtcdClusterOptions): Promise<ClusterPlan> {
  const scheme = options.tls === true ? 'https' : 'http';
  const ports: Ports[] = [];
  for (let index = 0; index < (options.members ?? 1); index += 1) {
    ports.push({
      name: `etcd-${String(index)}`,
      client: `${scheme}://127.0.0.1:${String(await freePort())}`,
      peer: `${scheme}://127.0.0.1:${String(await freePort())}`,
    });
  }
  const secrets = options.tls === true ? await makeSecrets(join(folder, 'pki')) : undefined;
  const members = ports.map((own) => ({
    name: own.name,
    endpoint: own.client,
    args: memberArgs(own, ports, options),
    tls: secrets?.member,
  }));
  return { members, tls: secrets?.client };
}

function memberArgs(own: Ports, all: readonly Ports[], options: EtcdClusterOptions): string[] {
  return [
    `--name=${own.name}`,
    `--listen-client-urls=${own.client}`,
    `--advertise-client-urls=${own.client}`,
    `--listen-peer-urls=${own.peer}`,
    `--initial-advertise-peer-urls=${own.peer}`,
    `--initial-cluster=${all.map(({ name, peer }) => `${name}=${peer}`).join(',')}`,
    '--initial-cluster-state=new',
    `--initial-cluster-token=${all.map(({ peer }) => peer).join('+')}`,
    '--pre-vote',
    '--logger=zap',
    '--log-outputs=stderr',
    ...(options.fsync === true ? [] : ['--unsafe-no-fsync']),
    ...(options.extraArgs ?? []),
  ];
}

interface Secrets {
  readonly member: MemberTls;
  readonly client: EtcdTls;
}

async function makeSecrets(folder: string): Promise<Secrets> {
  const authority = await makeAuthority(folder, 'etcd test authority');
  const { cert, key } = await authority.server('etcd');
  const client = await authority.client({ commonName: 'replica' });
  return {
    member: { ca: authority.ca, cert, key },
    client: { ...client, ca: authority.ca, caFile: authority.caFile },
  };
}
