/** Starts etcd clusters for tests, as containers or as processes. */
import { findDockerEngine, type DockerEngine } from '../docker.ts';
import { makeTempFolder } from '../temp-folder.ts';
import { waitFor } from '../wait-for.ts';
import { containerRunner } from './container-runner.ts';
import { startMemoryCluster } from './memory-cluster.ts';
import { planCluster, type ClusterPlan } from './plan.ts';
import { processRunner } from './process-runner.ts';
import {
  announceMember,
  dismissMember,
  idByPeer,
  isHealthy,
  memberStatus,
  transferLeadership,
} from './status.ts';
import type {
  EtcdCluster,
  EtcdClusterOptions,
  EtcdMember,
  EtcdTls,
  MemberPlan,
  MemberRunner,
  OwnedMember,
} from './types.ts';

export type { EtcdCluster, EtcdClusterOptions, EtcdMember, EtcdRunner, EtcdTls } from './types.ts';

/**
 * Starts a cluster and resolves when each member serves linearizable reads; the log says which way it runs.
 * Whoever starts it closes it.
 * @throws Error with the members' logs when the cluster does not come up
 */
export async function startEtcdCluster(options: EtcdClusterOptions = {}): Promise<EtcdCluster> {
  const inMemory = startMemoryCluster();
  if (inMemory !== undefined) return inMemory;
  const folder = await makeTempFolder('etcd');
  const members: OwnedMember[] = [];
  let runner: MemberRunner | undefined;
  const close = async (): Promise<void> => {
    const removed = await Promise.allSettled(members.splice(0).map((member) => member.remove()));
    await runner?.close();
    await folder.remove();
    for (const result of removed) if (result.status === 'rejected') throw result.reason;
  };
  try {
    const choice = await chooseRunner(folder.path, options);
    runner = choice.runner;
    const plan = await planCluster(folder.path, options);
    await launchAll(runner, plan, members);
    const cluster = clusterOf({ runner, plan, owned: members, close });
    await cluster.healthy();
    const { version } = await memberStatus(plan.members[0]?.endpoint ?? '', plan.tls);
    const what = `${describe(members.length, runner)} of etcd ${version}`;
    process.stderr.write(`etcd cluster: ${what}${choice.note}\n`);
    return cluster;
  } catch (error) {
    await close();
    throw error;
  }
}

/** Starts all at once, because a member alone waits for the others; `into` holds also those beside a failed one. */
async function launchAll(runner: MemberRunner, plan: ClusterPlan, into: OwnedMember[]): Promise<void> {
  const launched = await Promise.allSettled(plan.members.map((member) => runner.launch(member)));
  for (const result of launched) if (result.status === 'fulfilled') into.push(result.value);
  for (const result of launched) if (result.status === 'rejected') throw result.reason;
}

interface Choice {
  readonly runner: MemberRunner;
  /** Why it runs so, for the log. */
  readonly note: string;
}

async function chooseRunner(folder: string, options: EtcdClusterOptions): Promise<Choice> {
  const how = options.how ?? process.env['ORCH_TEST_ETCD'];
  const processes = (): MemberRunner => processRunner(options.dataIn ?? folder);
  if (how === 'process') return { runner: processes(), note: '' };
  const engine = await findDockerEngine();
  if (engine !== undefined) return { runner: await prepared(engine), note: ` (${engine.description})` };
  if (how === 'container') throw new Error('etcd in containers asked for, but no Docker engine answers');
  return { runner: processes(), note: ' (no Docker engine)' };
}

async function prepared(engine: DockerEngine): Promise<MemberRunner> {
  try {
    return await containerRunner(engine);
  } catch (error) {
    await engine.close();
    throw error;
  }
}

function describe(count: number, runner: MemberRunner): string {
  const noun = runner.how === 'container' ? 'container' : 'local process';
  const plural = runner.how === 'container' ? 'containers' : 'local processes';
  return `${String(count)} ${count === 1 ? noun : plural}`;
}

interface ClusterParts {
  readonly runner: MemberRunner;
  readonly plan: ClusterPlan;
  /** All that were ever started: they are removed at the end. */
  readonly owned: OwnedMember[];
  readonly close: () => Promise<void>;
}

function clusterOf({ runner, plan, owned, close }: ClusterParts): EtcdCluster {
  const { tls } = plan;
  const stopped = new Set<string>();
  const members = owned.map((member) => tracked(member, stopped));
  const plans = new Map(plan.members.map((one) => [one.name, one]));
  const running = (): EtcdMember[] => members.filter(({ name }) => !stopped.has(name));
  const learners = new Set<string>();
  const planOf = ({ name }: EtcdMember): MemberPlan => {
    const found = plans.get(name);
    if (found === undefined) throw new Error(`${name} is no member of this cluster`);
    return found;
  };
  return {
    how: runner.how,
    get endpoints() {
      return members.map(({ endpoint }) => endpoint);
    },
    tls,
    members,
    addMember: async ({ isLearner = false } = {}) => {
      const joining = await plan.joining(members.map(planOf));
      await untilTaken(`${joining.name} to be added`, running(), (endpoint) =>
        announceMember(endpoint, { peer: joining.peer, isLearner }, tls),
      );
      const member = await runner.launch(joining);
      owned.push(member);
      plans.set(member.name, joining);
      if (isLearner) {
        learners.add(member.name);
        await untilCaughtUp(member, running(), tls);
      } else await waitHealthy(member, tls);
      const added = tracked(member, stopped);
      members.push(added);
      return added;
    },
    removeMember: async (member) => {
      const { peer } = planOf(member);
      const others = running().filter(({ name }) => name !== member.name);
      await untilTaken(`${member.name} to be removed`, others, async (endpoint) =>
        dismissMember(endpoint, await idByPeer(endpoint, peer, tls), tls),
      );
      const at = members.findIndex(({ name }) => name === member.name);
      members.splice(at, 1);
    },
    leader: () => findLeader(running, tls),
    moveLeader: () => moveLeader(running, tls),
    healthy: async () => {
      for (const member of running()) if (!learners.has(member.name)) await waitHealthy(member, tls);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A cluster takes a change of its members when all of them have been connected for a while. */
async function untilTaken(
  what: string,
  members: readonly EtcdMember[],
  change: (endpoint: string) => Promise<void>,
): Promise<void> {
  let attempts = 0;
  await waitFor(what, async () => {
    const { endpoint = '' } = members[attempts++ % members.length] ?? {};
    await change(endpoint);
    return true;
  });
}

/** A learner answers no linearizable read: its log tells. */
async function untilCaughtUp(
  learner: EtcdMember,
  others: readonly EtcdMember[],
  tls: EtcdTls | undefined,
): Promise<void> {
  const { applied } = await memberStatus(others[0]?.endpoint ?? '', tls);
  await waitFor(
    `${learner.name} to catch up`,
    async () => (await memberStatus(learner.endpoint, tls)).applied >= applied,
    { timeout: 30_000, details: () => learner.logs() },
  );
}

/** Remembers who is meant to be down, so that nobody waits for them. */
function tracked(member: EtcdMember, stopped: Set<string>): EtcdMember {
  const marking = (isDown: boolean, action: () => Promise<void>) => async (): Promise<void> => {
    await action();
    if (isDown) stopped.add(member.name);
    else stopped.delete(member.name);
  };
  return {
    ...member,
    stop: marking(true, member.stop),
    kill: marking(true, member.kill),
    pause: marking(true, member.pause),
    start: marking(false, member.start),
    resume: marking(false, member.resume),
  };
}

async function waitHealthy(member: EtcdMember, tls: EtcdTls | undefined): Promise<void> {
  await waitFor(`etcd ${member.name} at ${member.endpoint}`, () => isHealthy(member.endpoint, tls), {
    timeout: 30_000,
    details: () => member.logs(),
  });
}

function findLeader(running: () => readonly EtcdMember[], tls: EtcdTls | undefined): Promise<EtcdMember> {
  return waitFor('an etcd leader', async () => {
    for (const member of running()) {
      const status = await memberStatus(member.endpoint, tls).catch(() => undefined);
      if (status !== undefined && status.leaderId !== '0' && status.leaderId === status.memberId)
        return member;
    }
    return undefined;
  });
}

async function moveLeader(
  running: () => readonly EtcdMember[],
  tls: EtcdTls | undefined,
): Promise<EtcdMember> {
  const former = await findLeader(running, tls);
  if (running().length < 2) throw new Error('no other member runs');
  // A member that lags behind, or leads no more, refuses; and an answer may be lost.
  return waitFor('another leader of etcd', async () => {
    const leader = await findLeader(running, tls);
    if (leader.name !== former.name) return leader;
    const next = running().find(({ name }) => name !== leader.name);
    const { memberId } = await memberStatus(next?.endpoint ?? '', tls);
    await transferLeadership(leader.endpoint, memberId, tls);
    return undefined;
  });
}
