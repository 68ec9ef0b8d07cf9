/**
 * Three replicas over three etcd members, under load, while one member stops and comes back and then one replica
 * is killed: no acknowledged write is lost or told twice, watches that resume miss nothing and repeat nothing, and
 * what one replica acknowledged the others read at once. All that writers and watchers were told is held against etcd's
 * own history, too.
 */
import { findDockerEngine } from '../support/docker.ts';
import { startEtcdCluster, type EtcdCluster, type EtcdRunner } from '../support/etcd/cluster.ts';
import { withStreamingLists } from '../support/read-path.ts';
import { makeServicePki, startReplica, type Replica } from '../support/replica.ts';
import { waitFor, within } from '../support/wait-for.ts';
import type { ApiClient } from '../support/client.ts';
import { HistoryRecorder } from './support/history-recorder.ts';
import { judgedHistory } from './support/judged-history.ts';
import { Ledger } from './support/ledger.ts';
import { Observer } from './support/observer.ts';
import { RecordingWatcher } from './support/recording-watcher.ts';
import { judgeEvents, judgeList } from './support/verdict.ts';
import { valueOf, Writer } from './support/writer.ts';

const collection = '/api/v1/namespaces/load/configmaps';
const recorded = { path: collection, id: 'core/configmaps', prefix: 'load/', valueOf };
const writesPerPhase = 250;

async function possibleRunners(): Promise<EtcdRunner[]> {
  if (process.env['ORCH_TEST_ETCD'] === 'process') return ['process'];
  const engine = await findDockerEngine();
  await engine?.close();
  return engine === undefined ? ['process'] : ['process', 'container'];
}

/** Replicas that are meant to be up. */
class Fleet {
  readonly all: readonly Replica[];
  readonly #dead = new Set<Replica>();

  constructor(all: readonly Replica[]) {
    this.all = all;
  }

  alive(): Replica[] {
    return this.all.filter((replica) => !this.#dead.has(replica));
  }

  /** The replica, or where its clients go when it is gone. */
  at(index: number): Replica {
    const own = this.all[index];
    const [other] = this.alive();
    const chosen = own !== undefined && !this.#dead.has(own) ? own : other;
    if (chosen === undefined) throw new Error('no replica is left');
    return chosen;
  }

  /** Clients of a replica with the name of this life of it. */
  targets(): { readonly api: ApiClient; readonly replica: string }[] {
    return this.alive().map(({ admin, url }) => ({ api: admin, replica: url }));
  }

  async kill(index: number): Promise<void> {
    const replica = this.at(index);
    await replica.kill();
    this.#dead.add(replica);
  }
}

async function more(ledger: Ledger, what: string): Promise<void> {
  const goal = ledger.acked.length + writesPerPhase;
  await waitFor(`${writesPerPhase} more acknowledged writes ${what}`, () => ledger.acked.length >= goal, {
    timeout: 30_000,
    details: () => `${ledger.acked.length} of ${goal}; errors: ${ledger.errors.join('\n')}`,
  });
}

async function troubles(etcd: EtcdCluster, fleet: Fleet, ledger: Ledger): Promise<void> {
  await more(ledger, 'before any failure');
  const leader = await etcd.leader();
  await leader.stop();
  await more(ledger, 'while one etcd member is down');
  await leader.start();
  await etcd.healthy();
  await more(ledger, 'after it came back');
  await fleet.kill(2);
  await more(ledger, 'after a replica was killed');
}

async function loadWithTroubles(etcd: EtcdCluster, fleet: Fleet): Promise<void> {
  const ledger = new Ledger();
  const { metadata } = await fleet.at(0).admin.list(collection);
  const observers = fleet.all.map(
    (_replica, index) =>
      new Observer({
        name: `watcher ${index}`,
        client: () => fleet.at(index).admin,
        collection,
        from: metadata.resourceVersion,
      }),
  );
  const recorder = new HistoryRecorder(recorded);
  const watchers = watchersOf(recorder, fleet);
  const watching = [...observers, ...watchers].map((observer) => observer.run());
  const load = new AbortController();
  const targets = { replicas: () => fleet.targets(), recorder, ledger };
  const writing = [1, 2, 3, 4, 5, 6].map((n) => new Writer(`writer-${n}`, targets).run(load.signal));
  try {
    await troubles(etcd, fleet, ledger);
    load.abort();
    await within('the writers to end', 30_000, Promise.all(writing));
    await judge(fleet, ledger, observers);
    await toldAll(watchers, observers);
  } finally {
    load.abort();
    for (const observer of [...observers, ...watchers]) observer.stop();
    await Promise.all([...writing, ...watching]);
  }
  const { violations, summary } = await judgedHistory(etcd, recorder);
  process.stderr.write(summary);
  expect(violations).toEqual([]);
}

/** Watchers of all and of either color; each goes on at another replica after every few seconds. */
function watchersOf(recorder: HistoryRecorder, fleet: Fleet): RecordingWatcher[] {
  return ['', 'color=red', 'color=blue'].map((selector, which) => {
    let turn = which;
    const target = (): { readonly api: ApiClient; readonly replica: string } => {
      const targets = fleet.targets();
      turn += 1;
      return targets[turn % targets.length]!;
    };
    return new RecordingWatcher({ name: `part ${which}`, recorder, target, selector, seconds: 3 });
  });
}

async function toldAll(watchers: readonly RecordingWatcher[], observers: readonly Observer[]): Promise<void> {
  const end = Math.max(...observers.map(({ last }) => Number(last)));
  await waitFor('the watchers of parts to be told all', () => watchers.every(({ last }) => last >= end), {
    timeout: 30_000,
  });
  expect(watchers.flatMap(({ errors }) => errors)).toEqual([]);
}

async function judge(fleet: Fleet, ledger: Ledger, observers: readonly Observer[]): Promise<void> {
  const lists: string[] = [];
  for (const replica of fleet.alive()) {
    const list = await replica.admin.list(collection);
    lists.push(...judgeList(replica.url, list, ledger));
  }
  expect(lists).toEqual([]);
  const marker = await fleet.at(0).admin.ok('POST', collection, { metadata: { name: 'the-end' } });
  const end = BigInt(marker.metadata.resourceVersion);
  await waitFor('all watchers to see the end', () => observers.every(({ last }) => last >= end));
  for (const { name, events, errors } of observers) {
    expect(judgeEvents(name, events, ledger)).toEqual([]);
    expect(errors).toEqual([]);
  }
  const told = observers.map(({ events }) =>
    events.map(({ type, object }) => `${type} ${object.metadata.resourceVersion}`),
  );
  expect(told[1]).toEqual(told[0]);
  expect(told[2]).toEqual(told[0]);
  expect(observers[2]?.starts).toBeGreaterThan(1);
  expect(ledger.errors).toEqual([]);
  process.stderr.write(
    `${ledger.acked.length} writes and ${ledger.deleted.size} deletions acknowledged, ` +
      `watches started ${observers.map(({ starts }) => starts).join(', ')} times\n`,
  );
}

test('no acknowledged write is lost and no watch misses or repeats, whichever part fails', async () => {
  for (const how of await possibleRunners()) {
    await using etcd = await startEtcdCluster({ members: 3, tls: true, how });
    await using pki = await makeServicePki();
    await using stack = new AsyncDisposableStack();
    const replicas = await Promise.all(
      [0, 1, 2].map(() => startReplica({ etcd, pki, args: withStreamingLists })),
    );
    for (const replica of replicas) stack.use(replica);
    await replicas[0]?.admin.ok('POST', '/api/v1/namespaces', { metadata: { name: 'load' } });
    try {
      await loadWithTroubles(etcd, new Fleet(replicas));
    } catch (error) {
      for (const replica of replicas)
        process.stderr.write(`${replica.url}:\n${replica.logs().slice(-4000)}\n`);
      throw error;
    }
  }
}, 180_000);
