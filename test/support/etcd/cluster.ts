/** Starts etcd clusters for tests, as containers or as processes. */
import { findDockerEngine, type DockerEngine } from '../docker.ts';
import { makeTempFolder } from '../temp-folder.ts';
import { waitFor } from '../wait-for.ts';
import { containerRunner } from './container-runner.ts';
import { planCluster, type ClusterPlan } from './plan.ts';
import { processRunner } from './process-runner.ts';
import { isHealthy, memberStatus, transferLeadership } from './status.ts';
import type {
  EtcdCluster,
  EtcdClusterOptions,
  EtcdMember,
  EtcdTls,
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
    process.stderr.write(`etcd cluster: ${describe(members.length, runner)}${choice.note}\n`);
    const cluster = clusterOf(runner, [...members], plan.tls, close);
    await cluster.healthy();
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
  if (how === 'process') return { runner: processRunner(folder), note: '' };
  const engine = await findDockerEngine();
  if (engine !== undefined) return { runner: await prepared(engine), note: ` (${engine.description})` };
  if (how === 'container') throw new Error('etcd in containers asked for, but no Docker engine answers');
  return { runner: processRunner(folder), note: ' (no Docker engine)' };
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

function clusterOf(
  runner: MemberRunner,
  members: readonly EtcdMember[],
  tls: EtcdTls | undefined,
  close: () => Promise<void>,
): EtcdCluster {
  const stopped = new Set<string>();
  return {
    how: runner.how,
    endpoints: members.map(({ endpoint }) => endpoint),
    tls,
    members: members.map((member) => tracked(member, stopped)),
    leader: () => findLeader(() => members.filter(({ name }) => !stopped.has(name)), tls),
    moveLeader: () => moveLeader(() => members.filter(({ name }) => !stopped.has(name)), tls),
    healthy: async () => {
      for (const member of members) {
        if (!stopped.has(member.name)) await waitHealthy(member, tls);
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  };
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
