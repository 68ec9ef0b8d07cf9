/**
 * 150 clients write one object through three replicas while etcd's leader moves: 50 increment a counter by reading and
 * replacing, 50 apply with force, 50 patch without naming a version. No update is lost, no write is told twice, and
 * nobody is answered anything but 200 or 409. Watchers that go on at another replica every few seconds are told exactly
 * what etcd's own history has.
 */
import type { ApiObject, WatchEvent } from '../support/client.ts';
import { startEtcdCluster, type EtcdCluster } from '../support/etcd/cluster.ts';
import { withStreamingLists } from '../support/read-path.ts';
import { makeServicePki, startReplica, type Replica } from '../support/replica.ts';
import { waitFor, within } from '../support/wait-for.ts';
import { HistoryRecorder } from './support/history-recorder.ts';
import { judgedHistory } from './support/judged-history.ts';
import { RecordingWatcher } from './support/recording-watcher.ts';
import {
  forcedApply,
  increment,
  judgeSteps,
  judgeTold,
  mergePatch,
  rival,
  type Arena,
  type Attempt,
} from './support/rivals.ts';

const rivalsOfAKind = 50;
const writesOfEach = 4;
const collection = '/api/v1/namespaces/contended/configmaps';
const recorded = {
  ...{ path: collection, id: 'core/configmaps', prefix: 'contended/' },
  valueOf: ({ metadata }: ApiObject) => JSON.stringify(metadata.annotations ?? {}),
};

const ways: Readonly<Record<string, Attempt>> = {
  counter: increment,
  applier: forcedApply,
  patcher: mergePatch,
};

function startRivals(arena: Arena): Promise<void>[] {
  return Object.entries(ways).flatMap(([kind, attempt]) =>
    Array.from({ length: rivalsOfAKind }, (_, index) =>
      rival(arena, `${kind}-${String(index)}`, attempt, writesOfEach),
    ),
  );
}

/** Moves the leader after every so many acknowledged writes. @returns how often it moved */
async function moveLeaders(etcd: EtcdCluster, arena: Arena, isOver: () => boolean): Promise<number> {
  const total = 3 * rivalsOfAKind * writesOfEach;
  let moves = 0;
  while (!isOver()) {
    const goal = ((moves + 1) * total) / 6;
    await waitFor('further writes', () => isOver() || arena.told.length >= goal, { timeout: 60_000 });
    if (isOver()) break;
    await etcd.moveLeader();
    moves += 1;
  }
  return moves;
}

interface Outcome {
  readonly arena: Arena;
  readonly moves: number;
  readonly events: readonly ApiObject[];
  readonly last: ApiObject;
}

function watchersOf(recorder: HistoryRecorder, replicas: readonly Replica[]): RecordingWatcher[] {
  return replicas.map((_none, which) => {
    let turn = which;
    const target = (): { readonly api: Replica['admin']; readonly replica: string } => {
      turn += 1;
      const replica = replicas[turn % replicas.length]!;
      return { api: replica.admin, replica: replica.url };
    };
    return new RecordingWatcher({
      ...{ name: `watcher ${String(which)}`, recorder, target },
      ...{ selector: '', seconds: 2 },
    });
  });
}

async function contend(etcd: EtcdCluster, replicas: readonly Replica[]): Promise<Outcome> {
  const [first] = replicas;
  if (!first) throw new Error('no replica');
  await first.admin.ok('POST', '/api/v1/namespaces', { metadata: { name: 'contended' } });
  const made = await first.admin.ok('POST', collection, { metadata: { name: 'prize' } });
  const stream = await first.admin.watch(`${collection}?resourceVersion=${made.metadata.resourceVersion}`);
  const clients = replicas.map(({ admin }) => admin);
  const arena: Arena = { clients, path: `${collection}/prize`, told: [], errors: [], conflicts: 0 };
  let isOver = false;
  const rivals = Promise.all(startRivals(arena)).finally(() => {
    isOver = true;
  });
  const moving = moveLeaders(etcd, arena, () => isOver);
  await within('all rivals to be done', 150_000, rivals);
  const moves = await moving;
  const last = await first.admin.ok('GET', `${collection}/prize`);
  const events = await eventsUntil(stream, last.metadata.resourceVersion);
  stream.close();
  return { arena, moves, events, last };
}

async function eventsUntil(
  stream: { next(): Promise<WatchEvent | undefined> },
  version: string,
): Promise<ApiObject[]> {
  const events: ApiObject[] = [];
  while (events.at(-1)?.metadata.resourceVersion !== version) {
    const event = await stream.next();
    if (event?.type !== 'MODIFIED') throw new Error(`a watch gave ${event?.type ?? 'its end'}`);
    events.push(event.object);
  }
  return events;
}

test('no update is lost or delivered twice, while all write the same object', async () => {
  await using etcd = await startEtcdCluster({ members: 3, how: 'process' });
  await using pki = await makeServicePki();
  await using stack = new AsyncDisposableStack();
  const args = [...withStreamingLists, '--controllers=-namespace,-garbagecollector'];
  const replicas = await Promise.all([0, 1, 2].map(() => startReplica({ etcd, pki, args })));
  for (const replica of replicas) stack.use(replica);
  const recorder = new HistoryRecorder(recorded);
  const watchers = watchersOf(recorder, replicas);
  const watching = watchers.map((watcher) => watcher.run());
  stack.defer(async () => {
    for (const watcher of watchers) watcher.stop();
    await Promise.all(watching);
  });
  const started = performance.now();
  const { arena, moves, events, last } = await contend(etcd, replicas);
  const seconds = (performance.now() - started) / 1000;
  const end = Number(last.metadata.resourceVersion);
  await waitFor('all watchers to be told all', () => watchers.every((watcher) => watcher.last >= end), {
    timeout: 30_000,
  });
  for (const watcher of watchers) watcher.stop();
  await within('the watchers to end', 30_000, Promise.all(watching));
  const { told, errors, conflicts } = arena;
  process.stderr.write(
    `${String(told.length)} writes told, ${String(events.length)} events, ${String(conflicts)} conflicts, ` +
      `${String(moves)} moves of the leader, ${seconds.toFixed(1)} s\n`,
  );
  expect(errors).toEqual([]);
  expect(told).toHaveLength(3 * rivalsOfAKind * writesOfEach);
  expect(moves).toBeGreaterThanOrEqual(3);
  expect(last.metadata.annotations?.['counter']).toBe(String(rivalsOfAKind * writesOfEach));
  expect(judgeTold(told, events)).toEqual([]);
  expect(judgeSteps(events)).toEqual([]);
  expect(events).toHaveLength(told.length);
  expect(watchers.flatMap((watcher) => watcher.errors)).toEqual([]);
  const { violations, summary } = await judgedHistory(etcd, recorder);
  process.stderr.write(summary);
  expect(violations).toEqual([]);
}, 240_000);
