/** Asks a member about itself through etcd's JSON gateway. */
import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';

import type { EtcdTls } from './types.ts';

export interface MemberStatus {
  readonly memberId: string;
  /** '0' while there is no leader. */
  readonly leaderId: string;
}

/** The member's own view of who leads. @throws when it does not respond in two seconds */
export async function memberStatus(endpoint: string, tls: EtcdTls | undefined): Promise<MemberStatus> {
  const text = await call(endpoint, '/v3/maintenance/status', tls);
  const status = JSON.parse(text) as { header?: { member_id?: string }; leader?: string };
  return { memberId: status.header?.member_id ?? '0', leaderId: status.leader ?? '0' };
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
