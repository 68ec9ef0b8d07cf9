/** An etcd with users: their tokens expire, are forgotten, and are void after a change of users and roles; a start needs one. */
import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { EtcdStorage } from '../../../src/storage/storage.ts';
import { startEtcdCluster, type EtcdCluster } from '../../support/etcd/cluster.ts';
import { runToEnd } from '../../support/service.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';
import {
  forever,
  json,
  mostRecent,
  pods,
  startStorage,
  untilReached,
  watchAfter,
} from '../../support/storage.ts';

const password = 'secret';

/** Calls etcd's JSON gateway. @throws when etcd refuses */
async function ask(
  endpoint: string,
  path: string,
  body: object,
  token = '',
): Promise<Record<string, unknown>> {
  const headers = token === '' ? {} : { authorization: token };
  const answer = await fetch(`${endpoint}/v3/${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}

async function tokenOf(endpoint: string, name: string): Promise<string> {
  return String((await ask(endpoint, 'auth/authenticate', { name, password }))['token']);
}

async function asRoot(endpoint: string, path: string, body: object): Promise<void> {
  await ask(endpoint, path, body, await tokenOf(endpoint, 'root'));
}

/** A half-open range of keys that a role may read and write. */
function permission(first: string, end: string): object {
  const [key, rangeEnd] = [first, end].map((text) => Buffer.from(text).toString('base64'));
  return { permType: 'READWRITE', key, range_end: rangeEnd };
}

/** The user `replica` may use the keys of the storage, and nothing else. */
async function enableUsers(endpoint: string): Promise<void> {
  await ask(endpoint, 'auth/role/add', { name: 'root' });
  await ask(endpoint, 'auth/role/add', { name: 'storage' });
  await ask(endpoint, 'auth/role/grant', { name: 'storage', perm: permission('/registry/', '/registry0') });
  for (const [name, role] of [
    ['root', 'root'],
    ['replica', 'storage'],
  ]) {
    await ask(endpoint, 'auth/user/add', { name, password });
    await ask(endpoint, 'auth/user/grant', { user: name, role });
  }
  await ask(endpoint, 'auth/enable', {});
}

/** How many tokens etcd has given so far. */
async function tokensGiven(endpoint: string): Promise<number> {
  const text = await (await fetch(`${endpoint}/metrics`)).text();
  const [, count = '0'] =
    /^grpc_server_handled_total\{grpc_code="OK",grpc_method="Authenticate".*\} (\d+)/m.exec(text) ?? [];
  return Number(count);
}

/** Writes and fresh reads, one after the other. */
class Load {
  readonly written: string[] = [];
  readonly errors: unknown[] = [];
  readonly #storage: EtcdStorage;
  #running: Promise<void> | undefined;
  #isOn = false;
  last = 0;

  constructor(storage: EtcdStorage) {
    this.#storage = storage;
  }

  start(): void {
    this.#isOn = true;
    this.#running = this.#run();
  }

  /** Resolves when no request is in progress. */
  async stop(): Promise<void> {
    this.#isOn = false;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#isOn) await this.#once().catch((error: unknown) => this.errors.push(error));
  }

  async #once(): Promise<void> {
    const key = `a/${String(this.written.length)}`;
    this.last = (await this.#storage.create(pods, key, json(1))).revision;
    this.written.push(key);
    if ((await this.#storage.get(pods, key, mostRecent, forever)) === undefined)
      throw new Error(`a fresh read lacks ${key}`);
  }

  /** Resolves when so many more writes have succeeded, or one request failed. */
  async more(count: number): Promise<void> {
    const goal = this.written.length + count;
    await waitFor('writes', () => this.errors.length > 0 || this.written.length >= goal, { timeout: 20_000 });
  }
}

async function startCluster(folder: string, kind: 'simple' | 'jwt'): Promise<EtcdCluster> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const [publicFile, privateFile] = [join(folder, 'token.pub'), join(folder, 'token.key')];
  await writeFile(publicFile, publicKey);
  await writeFile(privateFile, privateKey, { mode: 0o600 });
  const signed = `jwt,pub-key=${publicFile},priv-key=${privateFile},sign-method=RS256,ttl=2s`;
  const token = kind === 'simple' ? ['simple', '--auth-token-ttl=2'] : [signed];
  const extraArgs = ['--log-level=debug', '--bcrypt-cost=4', '--auth-token', ...token];
  return startEtcdCluster({ how: 'process', extraArgs });
}

/**
 * Resolves when the storage had to ask for a token again, because etcd forgot one. A use prolongs such a token, so the
 * load rests until etcd tells that it deleted one, which may first be that of another connection.
 */
async function untilForgotten({ members: [member] }: EtcdCluster, load: Load): Promise<void> {
  const latest = (): string | undefined =>
    member
      ?.logs()
      .split('\n')
      .findLast((line) => line.includes('deleted a simple token'));
  const endpoint = member?.endpoint ?? '';
  const given = await tokensGiven(endpoint);
  await waitFor(
    'another token',
    async () => {
      const before = latest();
      await load.stop();
      await waitFor('etcd to forget a token', () => latest() !== before);
      load.start();
      await load.more(1);
      return (await tokensGiven(endpoint)) > given;
    },
    { timeout: 30_000 },
  );
}

/** Resolves when the tokens of the storage have expired under load, and others after them. */
async function untilRenewed({ endpoints: [endpoint = ''] }: EtcdCluster): Promise<void> {
  const given = await tokensGiven(endpoint);
  await waitFor('two more tokens', async () => (await tokensGiven(endpoint)) > given + 1);
}

test.each(['simple', 'jwt'] as const)(
  '%s tokens expire, are forgotten, or are void after a change of users: no request fails and no watch ends',
  async (kind) => {
    await using folder = Object.assign(await makeTempFolder('tokens'), {
      async [Symbol.asyncDispose](this: { remove(): Promise<void> }) {
        await this.remove();
      },
    });
    await using cluster = await startCluster(folder.path, kind);
    const [endpoint = ''] = cluster.endpoints;
    await enableUsers(endpoint);
    const storage = await startStorage(cluster.endpoints, { username: 'replica', password, times: {} });
    const load = new Load(storage);
    const watch = watchAfter(storage, storage.revision());
    load.start();
    await load.more(20);

    await (kind === 'simple' ? untilForgotten(cluster, load) : untilRenewed(cluster));
    await load.more(20);
    expect(load.errors).toEqual([]);

    for (const name of ['b', 'c', 'd', 'e', 'f']) {
      await asRoot(endpoint, 'auth/user/add', { name, password });
      await asRoot(endpoint, 'auth/role/grant', { name: 'storage', perm: permission(name, `${name}0`) });
      await load.more(5);
    }
    expect(load.errors).toEqual([]);

    const [member] = cluster.members;
    await member?.stop();
    await member?.start();
    await load.more(20);
    await load.stop();
    expect(load.errors).toEqual([]);
    await untilReached(watch, load.last);
    expect(watch.events.map(({ key }) => key)).toEqual(load.written);
    expect(storage.stats().loads).toBe(1);
    await storage.close();
  },
);

test('a start for which etcd knows no user says so, and waits for nothing', async () => {
  const folder = await makeTempFolder('tokens');
  await using cluster = await startCluster(folder.path, 'simple');
  await enableUsers(cluster.endpoints[0] ?? '');
  const { code, output } = await runToEnd([
    ...[`--data-dir=${join(folder.path, 'data')}`, '--secure-port=0'],
    `--etcd-servers=${cluster.endpoints.join(',')}`,
  ]);
  await folder.remove();
  expect(code).toBe(1);
  expect(output).toMatch(/authentication switched on .*user name is empty.*--etcd-certfile.*\[ETCD_DENIED\]/);
  expect(output).not.toMatch(/within 10 s/);
}, 60_000);
