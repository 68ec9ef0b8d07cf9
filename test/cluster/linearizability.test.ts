/**
 * Reads without a version are linearizable at every replica: racers write through one replica and read through
 * others at once while etcd's leader is frozen, thaws, and is killed; the history of each object is checked. All that
 * they, and watchers of the collection and its parts, were told is held against etcd's own history.
 */
import { startEtcdCluster, type EtcdCluster } from '../support/etcd/cluster.ts';
import { isLinearizable, objectModel, withoutUnseen } from '../support/linearizability.ts';
import { quiet, withStreamingLists } from '../support/read-path.ts';
import { makeServicePki, startReplica, type Replica } from '../support/replica.ts';
import { waitFor, within } from '../support/wait-for.ts';
import { HistoryRecorder, RecordingClient } from './support/history-recorder.ts';
import { judgedHistory } from './support/judged-history.ts';
import { Race, Racer, valueOf } from './support/racer.ts';
import { RecordingWatcher } from './support/recording-watcher.ts';

const path = '/api/v1/namespaces/race/configmaps';
const recorded = { path, id: 'core/configmaps', prefix: 'race/', valueOf };
const names = Array.from({ length: 10 }, (_none, index) => `o-${String(index)}`);
const racers = 9;
const perPhase = 800;

async function more(race: Race, what: string): Promise<void> {
  const goal = race.operations + perPhase;
  await waitFor(`${String(perPhase)} operations ${what}`, () => race.operations >= goal, {
    timeout: 40_000,
    details: () => `${String(race.operations)} of ${String(goal)}`,
  });
}

async function leaderChanges(etcd: EtcdCluster, race: Race): Promise<void> {
  await more(race, 'before any failure');
  const frozen = await etcd.leader();
  await frozen.pause();
  await more(race, 'while the former leader is frozen');
  await frozen.resume();
  await more(race, 'after it thawed');
  const killed = await etcd.leader();
  await killed.kill();
  await more(race, 'after the leader was killed');
  await killed.start();
  await etcd.healthy();
  await more(race, 'after it came back');
}

/** Lists whose version is older than that of a list which had ended before they began. */
function listsBackInTime({ lists }: Race): string[] {
  const errors: string[] = [];
  const byCall = lists.toSorted((a, b) => a.call - b.call);
  const byEnd = lists.toSorted((a, b) => a.end - b.end);
  let newest = 0;
  let next = 0;
  for (const { call, version } of byCall) {
    for (let ended = byEnd[next]; ended !== undefined && ended.end < call; ended = byEnd[next]) {
      newest = Math.max(newest, ended.version);
      next += 1;
    }
    if (version < newest) errors.push(`a list at ${String(version)} after one at ${String(newest)}`);
  }
  return errors;
}

function judge(race: Race): void {
  expect(race.errors).toEqual([]);
  expect(listsBackInTime(race)).toEqual([]);
  for (const [name, history] of race.histories) {
    expect([name, isLinearizable(withoutUnseen(history), objectModel)]).toEqual([name, true]);
  }
  const stale = race.histories.get(names[0] ?? '') ?? [];
  const first = stale.find(({ what }) => what.kind === 'read' && what.value !== undefined);
  const late = { call: race.now(), end: race.now() };
  if (first)
    expect(isLinearizable(withoutUnseen([...stale, { ...first, ...late }]), objectModel)).toBe(false);
  process.stderr.write(
    `${String(race.operations)} operations, ${String(race.unknown)} of unknown outcome, ${String(race.lists.length)} lists\n`,
  );
}

test('what is written through one replica is what all others read next, under leader changes', async () => {
  await using stack = new AsyncDisposableStack();
  const etcd = stack.use(await startEtcdCluster({ members: 3, how: 'process' }));
  const pki = stack.use(await makeServicePki());
  const starting = [0, 1, 2].map(() => startReplica({ etcd, pki, args: [...quiet, ...withStreamingLists] }));
  for (const started of await Promise.allSettled(starting)) {
    if (started.status === 'fulfilled') stack.use(started.value);
  }
  const replicas: Replica[] = await Promise.all(starting);
  await replicas[0]?.admin.ok('POST', '/api/v1/namespaces', { metadata: { name: 'race' } });
  const race = new Race(new HistoryRecorder(recorded), names);
  const ending = new AbortController();
  const running = Array.from({ length: racers }, (_none, index) =>
    new Racer(race, clientsOf(race, replicas, `racer-${String(index)}`)).run(ending.signal),
  );
  const watchers = watchersOf(race, replicas);
  const watching = watchers.map((watcher) => watcher.run());
  try {
    await leaderChanges(etcd, race);
    ending.abort();
    await within('the racers to end', 60_000, Promise.all(running));
    await allTold(race, replicas, watchers);
  } finally {
    ending.abort();
    for (const watcher of watchers) watcher.stop();
    await within('the racers and watchers to end', 60_000, Promise.all([...running, ...watching]));
  }
  judge(race);
  expect(watchers.flatMap(({ errors }) => errors)).toEqual([]);
  const { violations, summary } = await judgedHistory(etcd, race.recorder);
  process.stderr.write(summary);
  expect(violations).toEqual([]);
}, 180_000);

function clientsOf({ recorder }: Race, replicas: readonly Replica[], client: string): RecordingClient[] {
  return replicas.map(
    ({ admin }, index) =>
      new RecordingClient(recorder, { client, replica: `replica-${String(index)}` }, admin),
  );
}

/** Watchers of all and of either color; each goes on at another replica after every few seconds. */
function watchersOf({ recorder }: Race, replicas: readonly Replica[]): RecordingWatcher[] {
  return ['', 'color=red', 'color=blue'].map((selector, which) => {
    let turn = which;
    const target = (): ReturnType<ConstructorParameters<typeof RecordingWatcher>[0]['target']> => {
      turn += 1;
      const index = turn % replicas.length;
      return { api: replicas[index]!.admin, replica: `replica-${String(index)}` };
    };
    return new RecordingWatcher({ name: `watcher-${String(which)}`, recorder, target, selector, seconds: 3 });
  });
}

/** Waits until each watcher knows all that was written before. */
async function allTold(
  race: Race,
  [replica]: readonly Replica[],
  watchers: readonly RecordingWatcher[],
): Promise<void> {
  const list = await replica?.admin.list(race.recorder.collection.path);
  const end = Number(list?.metadata.resourceVersion);
  await waitFor('all watchers to be told all', () => watchers.every(({ last }) => last >= end), {
    timeout: 30_000,
  });
}
