/** Hundreds of clients send the worst large bodies that are known, and everybody else is served as before. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { Child } from '../support/child-process.ts';
import type { ApiClient } from '../support/client.ts';
import { nodeBinary } from '../support/paths.ts';
import { longestTurnMs, measuredTurns } from '../support/longest-turn.ts';
import { waitFor } from '../support/wait-for.ts';
import { startServices, type Services } from '../support/authorized-server.ts';

const attackMs = 8_000;
/** Of every turn of the serving thread, and of answers on a machine that serves, attacks and measures on two processors. */
const mostMs = 100;
/** Of answers while clients do nothing but encrypt bodies of 3 MB on the same two processors. */
const mostMsBesideReviews = 300;
/** Nobody waits longer; where a processor is not to be had for a moment, that is not the service's. */
const worstMs = 1_000;
const mostMegabytes = 1_000;

/**
 * Times that go by are judged once more where the machine had other work; one quiet attempt is enough. Of the last one the
 * time is left out in which a thread was ready and had no processor.
 */
const attempts = 3;

let services: Services;

beforeAll(async () => {
  services = await startServices(1, ['--authorization-mode=AlwaysAllow'], measuredTurns);
}, 60_000);
afterAll(() => services[Symbol.asyncDispose]());

interface Attack {
  readonly what: string;
  readonly user: string;
  readonly clients: number;
  /** Of the paths of the bodies that are sent. */
  readonly part: string;
  readonly statuses: readonly string[];
  /** Of 95 of 100 answers to others. */
  readonly answeredWithin: number;
}

const reviews = {
  ...{ user: 'carl', part: 'selfsubjectaccessreviews', statuses: ['413', '429', 'cut'] },
  answeredWithin: mostMsBesideReviews,
};
const attacks: readonly Attack[] = [
  {
    what: 'the worst bodies that are known',
    user: 'ann',
    clients: 200,
    part: '',
    // Dry runs of a few are carried out.
    statuses: ['201', '413', '422', '429', '504', 'cut'],
    answeredWithin: mostMs,
  },
  // Everybody may review what they may do.
  { what: 'reviews of 3 MB', clients: 20, ...reviews },
  { what: 'reviews of 3 MB', clients: 190, ...reviews },
];

test.each(attacks)(
  '$clients clients with $what: health, reads, lease renewals and authentication stay quick, memory bounded',
  async (how) => {
    const { pid } = services.replicas[0]!;
    let slow: string[] = [];
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const seen = await attacked(how, `probe-${how.user}-${String(how.clients)}-${String(attempt)}`);
      slow = slowest(attempt < attempts - 1 ? seen.times : seen.served, how.answeredWithin);
      if (slow.length === 0) break;
    }
    expect(slow).toEqual([]);
    expect(services.replicas[0]?.pid).toBe(pid);
  },
  180_000,
);

/** Holds whatever else the machine does: turns by processor time, memory, and what is answered. */
async function attacked(how: Attack, name: string): Promise<Seen> {
  const replica = services.replicas[0]!;
  const attack = await startAttack(how);
  let seen = nothingSeen();
  const turnMs = await longestTurnMs({ pid: replica.pid, output: () => replica.logs() }, async () => {
    seen = await probe(name);
    await attack.closed;
  });
  const answers = JSON.parse(attack.output().replace('begun', '')) as Record<string, number>;
  const summary = summaryOf(seen);
  console.log(JSON.stringify({ turnMs, ...summary, answers }));
  expect(turnMs).toBeLessThan(mostMs);
  expect(summary.megabytes).toBeLessThan(mostMegabytes);
  for (const status of Object.keys(answers)) expect(how.statuses).toContain(status);
  const all = Object.values(answers).reduce((sum, count) => sum + count, 0);
  expect(all).toBeGreaterThanOrEqual(how.clients);
  return seen;
}

/** What took longer than it may, in words. */
function slowest(times: Times, answeredWithin: number): string[] {
  return Object.entries(times).flatMap(([name, all]) => {
    const [most, worst] = [quantile(all, 0.95), quantile(all, 1)];
    return most < answeredWithin && worst < worstMs
      ? []
      : `${name}: ${String(round(most))}, ${String(round(worst))} ms`;
  });
}

type Times = Record<'livez' | 'get' | 'lease' | 'review', number[]>;

interface Seen {
  /** Milliseconds that went by. */
  readonly times: Times;
  /** Of those, without the wait for a processor. */
  readonly served: Times;
  megabytes: number;
}

async function startAttack({ user, clients, part }: Attack): Promise<Child> {
  const [replica] = services.replicas;
  const caFile = join(replica!.pki.folder, 'attacked-ca.crt');
  writeFileSync(caFile, replica!.pki.authority.ca);
  const program = join(import.meta.dirname, 'support', 'attack.ts');
  const words = [replica!.url, caFile, `${user}-token`, String(clients), String(attackMs), part];
  const args = [program, ...words];
  const attack = await Child.start({ name: 'attack', program: nodeBinary(), args });
  // Its bodies take seconds to make.
  await waitFor('the attack begins', () => attack.output().includes('begun'), { timeout: 60_000 });
  return attack;
}

function nothingSeen(): Seen {
  const none = (): Times => ({ livez: [], get: [], lease: [], review: [] });
  return { times: none(), served: none(), megabytes: 0 };
}

async function probe(name: string): Promise<Seen> {
  const seen = nothingSeen();
  const { pid } = services.replicas[0]!;
  const anonymous = services.replicas[0]!.client();
  const eve = services.as('eve');
  const lease = await newLease(eve, name);
  const end = performance.now() + attackMs;
  const note = async (name: keyof Times, ask: () => Promise<{ readonly status: number }>, status = 200) => {
    const [begin, waited] = [performance.now(), waitedMs(pid)];
    expect((await ask()).status).toBe(status);
    const passed = performance.now() - begin;
    seen.times[name].push(passed);
    seen.served[name].push(Math.max(0, passed - (waitedMs(pid) - waited)));
  };
  while (performance.now() < end) {
    const spec = { holderIdentity: String(seen.megabytes) };
    await note('livez', () => anonymous.get('/livez'));
    await note('get', () => eve.get('/api/v1/namespaces/web'));
    await note('lease', () => eve.patch(lease, 'merge', { spec }));
    await note('review', () => eve.get('/api/v1/namespaces/api', { authorization: 'Bearer wrong' }), 401);
    seen.megabytes = Math.max(seen.megabytes, residentMegabytes(pid));
  }
  anonymous.close();
  return seen;
}

async function newLease(client: ApiClient, name: string): Promise<string> {
  const leases = '/apis/coordination.orch.io/v1/namespaces/web/leases';
  await client.ok('POST', leases, { metadata: { name } });
  return `${leases}/${name}`;
}

/** Milliseconds that the serving thread and this one were ready to run and waited for a processor, so far (schedstat of proc(5)). */
function waitedMs(serving: number): number {
  return [serving, process.pid].reduce((sum, pid) => {
    const [, nanoseconds] = readFileSync(`/proc/${String(pid)}/schedstat`, 'utf8').split(' ');
    return sum + Number(nanoseconds) / 1e6;
  }, 0);
}

function residentMegabytes(pid: number): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))?.[1]) / 1024;
}

function quantile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Infinity;
}

function summaryOf({ times, served, megabytes }: Seen): { megabytes: number; [figure: string]: unknown } {
  return { megabytes: round(megabytes), milliseconds: figuresOf(times), served: figuresOf(served) };
}

function figuresOf(times: Times): object {
  const lines = Object.entries(times).map(([name, all]) => [
    name,
    {
      count: all.length,
      p50: round(quantile(all, 0.5)),
      p95: round(quantile(all, 0.95)),
      max: round(quantile(all, 1)),
    },
  ]);
  return Object.fromEntries(lines) as object;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
