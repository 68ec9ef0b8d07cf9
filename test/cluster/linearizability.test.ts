/**
 * Reads without a version are linearizable at every replica: racers write through one replica and read through
 * others at once while etcd's leader is frozen, thaws, and is killed; the history of each object is checked.
 */
import { startEtcdCluster, type EtcdCluster } from '../support/etcd/cluster.ts';
import { isLinearizable, objectModel, withoutUnseen } from '../support/linearizability.ts';
import { makeServicePki, startReplica, type Replica } from '../support/replica.ts';
import { waitFor, within } from '../support/wait-for.ts';
import { Race, Racer } from './support/racer.ts';

const collection = '/api/v1/namespaces/race/configmaps';
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
  const starting = [0, 1, 2].map(() => startReplica({ etcd, pki, args: ['--controllers='] }));
  for (const started of await Promise.allSettled(starting)) {
    if (started.status === 'fulfilled') stack.use(started.value);
  }
  const replicas: Replica[] = await Promise.all(starting);
  await replicas[0]?.admin.ok('POST', '/api/v1/namespaces', { metadata: { name: 'race' } });
  const race = new Race(collection, names);
  const ending = new AbortController();
  const clients = replicas.map(({ admin }) => admin);
  const running = Array.from({ length: racers }, () => new Racer(race, clients).run(ending.signal));
  try {
    await leaderChanges(etcd, race);
  } finally {
    ending.abort();
    await within('the racers to end', 60_000, Promise.all(running));
  }
  judge(race);
}, 180_000);
