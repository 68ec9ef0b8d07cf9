/** Two hundred clients send the worst large bodies that are known, and everybody else is served as before. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { Child } from '../support/child-process.ts';
import type { ApiClient } from '../support/client.ts';
import { nodeBinary } from '../support/paths.ts';
import { waitFor } from '../support/wait-for.ts';
import { startServices, type Services } from '../support/authorized-server.ts';

const clients = 200;
const attackMs = 8_000;
/** Of a machine that serves, attacks and measures on two processors. */
const mostMs = 100;
const mostMegabytes = 1_000;

let services: Services;

beforeAll(async () => {
  services = await startServices(1, ['--authorization-mode=AlwaysAllow']);
}, 60_000);
afterAll(() => services[Symbol.asyncDispose]());

test('health, reads, lease renewals and authentication stay quick; memory stays bounded', async () => {
  const pid = services.replicas[0]?.pid ?? 0;
  const attack = await startAttack();
  const seen = await probe();
  await attack.closed;
  const answers = JSON.parse(attack.output().replace('begun', '')) as Record<string, number>;
  const summary = summaryOf(seen);
  console.log(JSON.stringify({ ...summary, answers }));
  expect(summary.megabytes).toBeLessThan(mostMegabytes);
  for (const times of Object.values(seen.times)) expect(quantile(times, 0.95)).toBeLessThan(mostMs);
  for (const status of Object.keys(answers)) expect(['413', '422', '429', '504', 'cut']).toContain(status);
  expect(services.replicas[0]?.pid).toBe(pid);
}, 120_000);

interface Seen {
  readonly times: Record<'livez' | 'get' | 'lease' | 'review', number[]>;
  megabytes: number;
}

async function startAttack(): Promise<Child> {
  const [replica] = services.replicas;
  const caFile = join(replica!.pki.folder, 'attacked-ca.crt');
  writeFileSync(caFile, replica!.pki.authority.ca);
  const program = join(import.meta.dirname, 'support', 'attack.ts');
  const args = [program, replica!.url, caFile, 'ann-token', String(clients), String(attackMs)];
  const attack = await Child.start({ name: 'attack', program: nodeBinary(), args });
  // Its bodies take seconds to make.
  await waitFor('the attack begins', () => attack.output().includes('begun'), { timeout: 60_000 });
  return attack;
}

async function probe(): Promise<Seen> {
  const seen: Seen = { times: { livez: [], get: [], lease: [], review: [] }, megabytes: 0 };
  const anonymous = services.replicas[0]!.client();
  const eve = services.as('eve');
  const lease = await newLease(eve);
  const end = performance.now() + attackMs;
  while (performance.now() < end) {
    seen.times.livez.push(await timed(() => anonymous.get('/livez'), 200));
    seen.times.get.push(await timed(() => eve.get('/api/v1/namespaces/web'), 200));
    seen.times.lease.push(
      await timed(() => eve.patch(lease, 'merge', { spec: { holderIdentity: String(seen.megabytes) } }), 200),
    );
    seen.times.review.push(
      await timed(() => eve.get('/api/v1/namespaces/api', { authorization: 'Bearer wrong' }), 401),
    );
    seen.megabytes = Math.max(seen.megabytes, residentMegabytes(services.replicas[0]!.pid));
  }
  anonymous.close();
  return seen;
}

async function newLease(client: ApiClient): Promise<string> {
  const leases = '/apis/coordination.orch.io/v1/namespaces/web/leases';
  await client.ok('POST', leases, { metadata: { name: 'probe' } });
  return `${leases}/probe`;
}

async function timed(ask: () => Promise<{ readonly status: number }>, status: number): Promise<number> {
  const begin = performance.now();
  expect((await ask()).status).toBe(status);
  return performance.now() - begin;
}

function residentMegabytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))?.[1]) / 1024;
}

function quantile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Infinity;
}

function summaryOf({ times, megabytes }: Seen): { megabytes: number; milliseconds: object } {
  const lines = Object.entries(times).map(([name, all]) => [
    name,
    {
      count: all.length,
      p50: round(quantile(all, 0.5)),
      p95: round(quantile(all, 0.95)),
      max: round(quantile(all, 1)),
    },
  ]);
  return { megabytes: round(megabytes), milliseconds: Object.fromEntries(lines) as object };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
