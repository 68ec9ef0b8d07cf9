/**
 * Racers write through one replica and read through others at once while etcd's leader is frozen, thaws, and is killed;
 * the history of each object is checked. All that they, and watchers of the collection and its parts, were told is held
 * against etcd's own history.
 */
import type { EtcdCluster } from '../../support/etcd/cluster.ts';
import { isLinearizable, objectModel, withoutUnseen } from '../../support/linearizability.ts';
import type { ApiClient } from '../../support/client.ts';
import { waitFor, within } from '../../support/wait-for.ts';
import { HistoryRecorder, RecordingClient } from './history-recorder.ts';
import { judgedHistory } from './judged-history.ts';
import { Race, Racer, valueOf } from './racer.ts';
import { RecordingWatcher } from './recording-watcher.ts';

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

async function leaderChanges(etcd: EtcdCluster, race: Race, meanwhile: () => Promise<void>): Promise<void> {
  await more(race, 'before any failure');
  await meanwhile();
  const frozen = await etcd.leader();
  await frozen.pause();
  await meanwhile();
  await more(race, 'while the former leader is frozen');
  await frozen.resume();
  await more(race, 'after it thawed');
  const killed = await etcd.leader();
  await killed.kill();
  await meanwhile();
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

/**
 * Races at an etcd of three members through the clients of several replicas, or of several threads of one.
 * @param meanwhile called before the leader changes, and after each change
 */
export async function raceUnderLeaderChanges(
  etcd: EtcdCluster,
  clients: readonly ApiClient[],
  meanwhile: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  await clients[0]?.ok('POST', '/api/v1/namespaces', { metadata: { name: 'race' } });
  const race = new Race(new HistoryRecorder(recorded), names);
  const ending = new AbortController();
  const running = Array.from({ length: racers }, (_none, index) =>
    new Racer(race, clientsOf(race, clients, `racer-${String(index)}`)).run(ending.signal),
  );
  const watchers = watchersOf(race, clients);
  const watching = watchers.map((watcher) => watcher.run());
  try {
    await leaderChanges(etcd, race, meanwhile);
    ending.abort();
    await within('the racers to end', 60_000, Promise.all(running));
    await allTold(race, clients, watchers);
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
}

function clientsOf({ recorder }: Race, clients: readonly ApiClient[], client: string): RecordingClient[] {
  return clients.map(
    (api, index) => new RecordingClient(recorder, { client, replica: `replica-${String(index)}` }, api),
  );
}

/** Watchers of all and of either color; each goes on at another replica after every few seconds. */
function watchersOf({ recorder }: Race, clients: readonly ApiClient[]): RecordingWatcher[] {
  return ['', 'color=red', 'color=blue'].map((selector, which) => {
    let turn = which;
    const target = (): ReturnType<ConstructorParameters<typeof RecordingWatcher>[0]['target']> => {
      turn += 1;
      const index = turn % clients.length;
      return { api: clients[index]!, replica: `replica-${String(index)}` };
    };
    return new RecordingWatcher({ name: `watcher-${String(which)}`, recorder, target, selector, seconds: 3 });
  });
}

/** Waits until each watcher knows all that was written before. */
async function allTold(
  race: Race,
  [client]: readonly ApiClient[],
  watchers: readonly RecordingWatcher[],
): Promise<void> {
  const list = await client?.list(race.recorder.collection.path);
  const end = Number(list?.metadata.resourceVersion);
  await waitFor('all watchers to be told all', () => watchers.every(({ last }) => last >= end), {
    timeout: 30_000,
  });
}
