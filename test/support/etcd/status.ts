/** Asks a member about itself through etcd's JSON gateway. */
import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';

import type { EtcdTls } from './types.ts';

export interface MemberStatus {
  readonly memberId: string;
  /** '0' while there is no leader. */
  readonly leaderId: string;
  /** Its release, such as `3.5.30`. */
  readonly version: string;
  /** How much of the log it has applied. */
  readonly applied: bigint;
}

/** The member's own view of who leads. @throws when it does not respond in two seconds */
export async function memberStatus(endpoint: string, tls: EtcdTls | undefined): Promise<MemberStatus> {
  const text = await call(endpoint, '/v3/maintenance/status', tls);
  const status = JSON.parse(text) as {
    header?: { member_id?: string };
    leader?: string;
    version?: string;
    raftAppliedIndex?: string;
  };
  const { header, leader, version = '', raftAppliedIndex = 0 } = status;
  const ids = { memberId: header?.member_id ?? '0', leaderId: leader ?? '0' };
  return { ...ids, version, applied: BigInt(raftAppliedIndex) };
}

/** Announces a member to the cluster, before it starts. @throws while the cluster does not take it */
export async function announceMember(
  endpoint: string,
  { peer, isLearner }: { readonly peer: string; readonly isLearner: boolean },
  tls: EtcdTls | undefined,
): Promise<void> {
  const body = JSON.stringify({ peerURLs: [peer], isLearner });
  await call(endpoint, '/v3/cluster/member/add', tls, body);
}

/** The id of the member with this address for the others. @throws when there is none */
export async function idByPeer(endpoint: string, peer: string, tls: EtcdTls | undefined): Promise<string> {
  const { members } = JSON.parse(await call(endpoint, '/v3/cluster/member/list', tls)) as {
    members: readonly { ID: string; peerURLs: readonly string[] }[];
  };
  const found = members.find(({ peerURLs }) => peerURLs.includes(peer));
  if (found === undefined) throw new Error(`no member at ${peer}`);
  return found.ID;
}

/** Takes a member out of the cluster. @throws while the cluster does not let it go */
export async function dismissMember(
  endpoint: string,
  memberId: string,
  tls: EtcdTls | undefined,
): Promise<void> {
  await call(endpoint, '/v3/cluster/member/remove', tls, JSON.stringify({ ID: memberId }));
}

/** The hash of all that the member has up to a revision, which it must have reached. @throws when it has not */
export async function memberHash(endpoint: string, revision: number): Promise<string> {
  const text = await call(endpoint, '/v3/maintenance/hash', undefined, JSON.stringify({ revision }));
  const { hash, compact_revision: from = '0' } = JSON.parse(text) as Record<string, string | number>;
  return `${String(hash)} from ${String(from)}`;
}

/** Makes another member the leader, in good order. @throws when the member asked does not lead, or the other lags behind */
export async function transferLeadership(
  endpoint: string,
  targetID: string,
  tls: EtcdTls | undefined,
): Promise<void> {
  await call(endpoint, '/v3/maintenance/transfer-leadership', tls, JSON.stringify({ targetID }));
}

/** True when the member serves a linearizable read. */
export async function isHealthy(endpoint: string, tls: EtcdTls | undefined): Promise<boolean> {
  const range = JSON.stringify({ key: Buffer.from('health').toString('base64') });
  try {
    await call(endpoint, '/v3/kv/range', tls, range);
    return true;
  } catch {
    return false;
  }
}

/** Deletes all keys that begin so. */
export async function deletePrefix(endpoint: string, prefix: string): Promise<void> {
  const first = Buffer.from(`${prefix}/`);
  // '0' follows '/'.
  const end = Buffer.from(`${prefix}0`);
  const range = { key: first.toString('base64'), range_end: end.toString('base64') };
  await call(endpoint, '/v3/kv/deleterange', undefined, JSON.stringify(range));
}

function call(endpoint: string, path: string, tls: EtcdTls | undefined, body = '{}'): Promise<string> {
  const send = tls === undefined ? plainRequest : tlsRequest;
  const credentials = tls === undefined ? {} : { ca: tls.ca, cert: tls.cert, key: tls.key };
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', agent: false, timeout: 2000, ...credentials } as const;
    const outgoing = send(new URL(path, endpoint), options, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => {
        if (response.statusCode === 200) resolve(text);
        else reject(new Error(`${endpoint}${path} answered ${String(response.statusCode)}: ${text}`));
      });
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`${endpoint} did not answer`)));
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
