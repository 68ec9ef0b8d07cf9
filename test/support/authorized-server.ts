/** Two replicas over a shared etcd, with users that have tokens, for tests of who may do what. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { ApiClient } from './client.ts';
import { shareEtcd } from './etcd/shared.ts';
import { makeServicePki, startReplica, type Replica } from './replica.ts';
import { waitFor } from './wait-for.ts';

export const rbac = '/apis/rbac.authorization.orch.io/v1';

/** Users who are in no group but those that everybody is in, except ann. */
const tokens = ['ann,devs', 'bob,', 'carl,', 'dora,ops', 'eve,', 'root,system:masters']
  .map((line) => {
    const [name = '', group = ''] = line.split(',');
    return `${name}-token,${name},uid-${name}${group === '' ? '' : `,${group}`}`;
  })
  .join('\n');

export interface Services extends AsyncDisposable {
  readonly replicas: readonly Replica[];
  readonly admin: ApiClient;
  /** Speaks as one of the users, to the first replica unless another is meant. */
  readonly as: (name: string, replica?: number) => ApiClient;
}

export async function startServices(
  count: number,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<Services> {
  await using stack = new AsyncDisposableStack();
  const etcd = stack.use(await shareEtcd());
  const pki = stack.use(await makeServicePki());
  const tokenFile = join(pki.folder, 'tokens.csv');
  writeFileSync(tokenFile, tokens);
  const flags = [`--token-auth-file=${tokenFile}`, ...args];
  // At once, so that they meet while they make what every service begins with.
  const starts = Array.from({ length: count }, () => startReplica({ etcd, pki, args: flags, env }));
  const replicas = await Promise.all(starts);
  for (const replica of replicas) stack.use(replica);
  const [first] = replicas;
  if (first === undefined) throw new Error('no replica');
  for (const name of ['web', 'api'])
    await first.admin.ok('POST', '/api/v1/namespaces', { metadata: { name } });
  const clients = new Map<string, ApiClient>();
  stack.defer(() => {
    for (const client of clients.values()) client.close();
  });
  const as = (name: string, replica = 0): ApiClient => {
    const key = `${name}@${replica}`;
    const client = clients.get(key) ?? replicas[replica]!.client({ token: `${name}-token` });
    clients.set(key, client);
    return client;
  };
  const owned = stack.move();
  return { replicas, admin: first.admin, as, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Waits until a request is answered with this status: what was just given counts soon, not at once. */
export async function until(
  client: ApiClient,
  ask: readonly [string, string, object?],
  status: number,
): Promise<void> {
  const [method, path, body] = ask;
  await waitFor(`${method} ${path} answers ${status}`, async () => {
    return (await client.request(method, path, body)).status === status;
  });
}

/** `get,list pods` */
export function rule(text: string, groups = ['']): object {
  const [verbs = '', resources = ''] = text.split(' ');
  return { apiGroups: groups, resources: resources.split(','), verbs: verbs.split(',') };
}

export function role(name: string, ...rules: object[]): object {
  return { metadata: { name }, rules };
}

/** Gives `ClusterRole x` or `Role x` to `User ann` or `Group devs`. */
export function binding(name: string, to: string, ...subjects: string[]): object {
  const [kind, roleName] = to.split(' ');
  return {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.orch.io', kind, name: roleName },
    subjects: subjects.map((text) => {
      const [subjectKind, subject] = text.split(' ');
      return { kind: subjectKind, name: subject };
    }),
  };
}
