/** Plans a cluster: names, ports, certificates and arguments of each member. */
import { join } from 'node:path';

import { freePort } from '../free-port.ts';
import { makeAuthority, type TestAuthority } from '../pki.ts';
import type { EtcdClusterOptions, EtcdTls, MemberPlan, MemberTls } from './types.ts';

export interface ClusterPlan {
  readonly members: readonly MemberPlan[];
  readonly tls: EtcdTls | undefined;
  /** The plan of one more member, which joins members that run. */
  readonly joining: (running: readonly MemberPlan[]) => Promise<MemberPlan>;
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
  let planned = 0;
  const plan = async (): Promise<Ports> => ({
    name: `etcd-${String(planned++)}`,
    client: `${scheme}://127.0.0.1:${String(await freePort())}`,
    peer: `${scheme}://127.0.0.1:${String(await freePort())}`,
  });
  while (planned < (options.members ?? 1)) ports.push(await plan());
  const secrets =
    options.tls === true
      ? await makeSecrets(
          options.authority ?? (await makeAuthority(join(folder, 'pki'), 'etcd test authority')),
        )
      : undefined;
  const memberOf = (own: Ports, all: readonly Ports[], state: 'new' | 'existing'): MemberPlan => ({
    name: own.name,
    endpoint: own.client,
    peer: own.peer,
    args: [...memberArgs(own, all, options), `--initial-cluster-state=${state}`],
    tls: secrets?.member,
  });
  return {
    members: ports.map((own) => memberOf(own, ports, 'new')),
    tls: secrets?.client,
    joining: async (running) => {
      const own = await plan();
      const others = running.map(({ name, endpoint, peer }) => ({ name, client: endpoint, peer }));
      return memberOf(own, [...others, own], 'existing');
    },
  };
}

function memberArgs(own: Ports, all: readonly Ports[], options: EtcdClusterOptions): string[] {
  return [
    `--name=${own.name}`,
    `--listen-client-urls=${own.client}`,
    `--advertise-client-urls=${own.client}`,
    `--listen-peer-urls=${own.peer}`,
    `--initial-advertise-peer-urls=${own.peer}`,
    `--initial-cluster=${all.map(({ name, peer }) => `${name}=${peer}`).join(',')}`,
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

async function makeSecrets(authority: TestAuthority): Promise<Secrets> {
  const { cert, key } = await authority.server('etcd');
  const client = await authority.client({ commonName: 'replica' });
  return {
    member: { ca: authority.ca, cert, key },
    client: { ...client, ca: authority.ca, caFile: authority.caFile },
  };
}
