/** Which member of etcd replicas ask, as members restart, freeze and come back. */
import { SeededRandom } from '../../../../src/base/seeded-random.ts';
import type { Endpoint } from '../../../../src/storage/etcd/etcd-endpoint.ts';
import { KnownPast } from '../../../../src/storage/etcd/known-past.ts';
import { Members } from '../../../../src/storage/etcd/members.ts';
import type { StatusResponse } from '../../../../src/storage/etcd/message-types.ts';
import { recordingLogger } from '../../../support/storage.ts';

const replicas = 600;
const header = { cluster_id: 1, member_id: 1, revision: 1, raft_term: 1 };

/** A cluster of etcd: which of its members answer, and which know a leader. */
class Cluster {
  readonly down = new Set<string>();
  readonly withoutLeader = new Set<string>();
  readonly urls: readonly string[];

  constructor(count: number) {
    this.urls = Array.from({ length: count }, (_, i) => `http://member-${String(i)}:2379`);
  }

  /** The members as a replica sees them, after its first census. */
  async replica(seed: number): Promise<Members> {
    const members = new Members({
      endpoints: this.urls.map((url) => this.#endpoint(url)),
      past: new KnownPast(() => undefined),
      logger: recordingLogger(),
      attemptMs: 3_000,
      random: new SeededRandom(seed),
    });
    await members.look();
    return members;
  }

  all(): Promise<Members[]> {
    return Promise.all(Array.from({ length: replicas }, (_, seed) => this.replica(seed)));
  }

  #endpoint(url: string): Endpoint {
    const call = (): Promise<StatusResponse> => {
      if (this.down.has(url)) return Promise.reject(new Error('no answer'));
      const leader = this.withoutLeader.has(url) ? 0 : 1;
      return Promise.resolve({ header, leader, version: '3.6.0', dbSize: 1, isLearner: false });
    };
    return { url, calls: { line: () => ({ call }) } } as unknown as Endpoint;
  }
}

/** Calls until a member answers; returns those that were asked in vain. */
function call(members: Members, down: ReadonlySet<string>): string[] {
  const asked: string[] = [];
  for (let at = members.current(); at !== undefined && down.has(at.url); at = members.current()) {
    asked.push(at.url);
    if (asked.length > 100) throw new Error(`only these were asked: ${[...new Set(asked)].join()}`);
    members.suspect(at);
  }
  return asked;
}

/** So many replicas prefer the member that most of them prefer, and the one that the fewest do. */
function shares(all: readonly Members[], { urls }: Cluster): [most: number, least: number] {
  const counts = urls.map((url) => all.filter((members) => members.current()?.url === url).length);
  return [Math.max(...counts), Math.min(...counts)];
}

const look = (all: readonly Members[]): Promise<unknown> => Promise.all(all.map((members) => members.look()));

test.each([3, 5])('after a rolling restart of %i members all of them are asked', async (count) => {
  const cluster = new Cluster(count);
  const all = await cluster.all();
  for (const url of cluster.urls) {
    cluster.down.add(url);
    await look(all);
    for (const members of all) call(members, cluster.down);
    cluster.down.delete(url);
    await look(all);
  }
  // The last one to restart has none, and the others share its replicas.
  expect(shares(all, cluster)[0]).toBeLessThan(replicas * 0.75);
  for (let i = 0; i < 4; i += 1) await look(all);
  const [most, least] = shares(all, cluster);
  expect(most).toBeLessThan((replicas / count) * 1.4);
  expect(least).toBeGreaterThan((replicas / count) * 0.6);
});

test('those that leave a member go to all others alike', async () => {
  const cluster = new Cluster(5);
  const all = await cluster.all();
  cluster.down.add(cluster.urls[1] ?? '');
  for (const members of all) call(members, cluster.down);
  expect(shares(all, cluster)[0]).toBeLessThan((replicas / 4) * 1.4);
});

test('as many calls as there are members reach the one that answers', async () => {
  const cluster = new Cluster(5);
  const all = await cluster.all();
  const [well = ''] = cluster.urls;
  for (const url of cluster.urls) if (url !== well) cluster.down.add(url);
  for (const members of all) {
    const asked = call(members, cluster.down);
    expect(new Set(asked).size).toBe(asked.length);
    expect(members.current()?.url).toBe(well);
  }
});

test('a member whose calls fail again and again is gone back to more and more seldom', async () => {
  const cluster = new Cluster(3);
  const members = await cluster.replica(1);
  const home = members.current()?.url ?? '';
  let returns = 0;
  for (let i = 0; i < 500; i += 1) {
    returns += call(members, new Set([home])).length;
    await members.look();
  }
  expect(returns).toBeGreaterThan(3);
  expect(returns).toBeLessThan(11);
});

test('a member that knows no leader is not gone back to', async () => {
  const cluster = new Cluster(3);
  const members = await cluster.replica(1);
  const home = members.current()?.url ?? '';
  cluster.withoutLeader.add(home);
  call(members, new Set([home]));
  for (let i = 0; i < 100; i += 1) await members.look();
  expect(members.current()?.url).not.toBe(home);
  cluster.withoutLeader.clear();
  for (let i = 0; i < 4; i += 1) await members.look();
  expect(members.current()?.url).toBe(home);
});
