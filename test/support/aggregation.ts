/** APIServices for tests, and the connection of another protocol through a replica. */
import { request } from 'node:https';
import type { JsonObject } from '../../src/base/json.ts';
import type { ApiObject } from './api-object.ts';
import type { Replica } from './replica.ts';

/** A Service that leads to this machine. */
export function externalName(name: string): JsonObject {
  return { metadata: { name }, spec: { type: 'ExternalName', externalName: 'localhost' } };
}

/** Makes APIServices over the Service `kube-system/metrics`; `spec` overrides. @param ca PEM */
export function apiServiceMaker(
  ca: string,
): (gv: readonly [version: string, group: string], port: number, spec?: JsonObject) => JsonObject {
  const caBundle = Buffer.from(ca).toString('base64');
  const priorities = { groupPriorityMinimum: 100, versionPriority: 100 };
  return ([version, group], port, spec = {}) => {
    const service = { name: 'metrics', namespace: 'kube-system', port };
    return {
      metadata: { name: `${version}.${group}` },
      spec: { group, version, ...priorities, service, caBundle, ...spec },
    };
  };
}

/** `type status reason` of each condition. */
export function conditionOf(object: ApiObject): string {
  const { conditions = [] } = (object['status'] ?? {}) as { conditions?: Record<string, string>[] };
  return conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`).join();
}

/** Sends a text over a connection of another protocol, and gives what came back up to its echo. */
export function echoed(replica: Replica, path: string, text: string): Promise<string> {
  const { cert, key } = replica.pki.admin;
  return new Promise((resolve, reject) => {
    const headers = { connection: 'Upgrade', upgrade: 'echo' };
    const sent = request(`${replica.url}${path}`, { ca: replica.pki.authority.ca, cert, key, headers });
    sent.on('upgrade', (_response, socket, head) => {
      let seen = head.toString();
      socket.on('data', (part: Buffer) => {
        seen += part.toString();
        if (seen.endsWith(text)) socket.destroy();
      });
      socket.on('close', () => resolve(seen));
      socket.write(text);
    });
    sent.on('response', (response) => reject(new Error(`answered ${response.statusCode}`)));
    sent.on('error', reject);
    sent.end();
  });
}
