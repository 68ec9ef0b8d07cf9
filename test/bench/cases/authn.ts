/** Gets by one who shows a certificate, a static token or a token of an account, among many bindings; and by one whom nobody has to be asked about. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startReplica, type Replica } from '../../support/replica.ts';
import { waitFor } from '../../support/wait-for.ts';
import { check, type BenchCase } from '../support/case.ts';
import type { Target } from '../support/http-connection.ts';
import { stored, type Lab } from '../support/lab.ts';
import { Run, type Comparison } from '../support/run.ts';
import { residentMegabytes, withCpu } from '../support/usage.ts';

/** At most; fewer with few pods. */
const mostBindings = 5_000;
const rbac = '/apis/rbac.authorization.orch.io/v1';
const bindings = `${rbac}/namespaces/stored/rolebindings`;
const token = 'static-token-of-ann';

export const authnCase: BenchCase = {
  name: 'account token, bare: certificate; get',
  unit: 'requests',
  run: async (lab) => {
    const tokens = join(lab.folder, 'tokens.csv');
    writeFileSync(tokens, `${token},ann,1\n`);
    const { etcd, replica: shared } = lab;
    const args = [`--token-auth-file=${tokens}`];
    await using replica = await startReplica({ etcd, pki: shared.pki, args });
    const count = Math.min(mostBindings, lab.options.pods);
    await bind(lab, replica, count);
    try {
      return await compare(lab, replica, count);
    } finally {
      await shared.admin.ok('DELETE', bindings);
    }
  },
};

/** Many bindings of others, and those that count here. */
async function bind(lab: Lab, replica: Replica, count: number): Promise<void> {
  const role = { apiGroup: 'rbac.authorization.orch.io', kind: 'ClusterRole', name: 'view' };
  const subject = (name: string): object => ({ apiGroup: 'rbac.authorization.orch.io', kind: 'User', name });
  const account = { kind: 'ServiceAccount', name: 'bench', namespace: 'stored' };
  const body = (name: string, ...subjects: object[]): object => ({
    metadata: { name },
    roleRef: role,
    subjects,
  });
  const others = await lab.load.run({
    ...{ kind: 'requests', target: lab.service, connections: 32, seconds: 600, total: count },
    ...{ method: 'POST', paths: [bindings], namePrefix: 'other', expect: 201 },
    body: JSON.stringify(body('@@', subject('user-%%'), subject('other-%%'))),
  });
  check(others.errors === 0, 'every binding is stored');
  const accounts = '/api/v1/namespaces/stored/serviceaccounts';
  await replica.admin.request('POST', accounts, { metadata: { name: 'bench' } });
  await replica.admin.ok('POST', bindings, body('ours', subject('ann'), account));
}

async function compare(lab: Lab, replica: Replica, count: number): Promise<Comparison> {
  const targets = await targetsOf(lab, replica);
  const runs = Object.fromEntries(Object.keys(targets).map((name) => [name, new Run()])) as Record<Side, Run>;
  const turn = async (side: Side, run: Run): Promise<void> => {
    const load = { kind: 'requests', connections: 32, seconds: lab.turnSeconds, method: 'GET' } as const;
    const get = () =>
      lab.load.run({ ...load, target: targets[side], paths: [`${stored}/pod-1`], expect: 200 });
    run.add(await withCpu(replica.pid, get));
  };
  const sides = Object.keys(targets) as Side[];
  // What is new to the replica is compiled first.
  for (const side of sides) await turn(side, new Run());
  for (let round = 0; round < lab.options.rounds; round++) {
    // Each begins as often as the others.
    const order = [...sides.slice(round % sides.length), ...sides.slice(0, round % sides.length)];
    for (const side of order) await turn(side, runs[side]);
  }
  const { account, certificate } = runs;
  return {
    service: account,
    bare: certificate,
    usage: { cpu: account.cpuSeconds, residentMegabytes: await residentMegabytes(replica.pid) },
    remarks: remarksOf(runs, count),
  };
}

type Side = 'certificate' | 'token' | 'account' | 'master';

/** All once they are let in; the master has a certificate, too, and no binding is looked at for it. */
async function targetsOf({ service }: Lab, replica: Replica): Promise<Record<Side, Target>> {
  const { pki, port } = replica;
  const ann = await pki.authority.client({ commonName: 'ann' });
  const path = '/api/v1/namespaces/stored/serviceaccounts/bench/token';
  const made = (await replica.admin.ok('POST', path, {})) as unknown as { status: { token: string } };
  const credentials = {
    certificate: { cert: ann.cert, key: ann.key },
    token: { token },
    account: { token: made.status.token },
    master: { cert: pki.admin.cert, key: pki.admin.key },
  };
  for (const [side, credential] of Object.entries(credentials)) {
    const client = replica.client(credential);
    await waitFor(`a get by ${side}`, async () => (await client.get(`${stored}/pod-1`)).status === 200);
    const refused = (await client.get('/api/v1/nodes')).status;
    check((refused === 403) === (side !== 'master'), `${side} may do what it may and no more`);
    client.close();
  }
  const target = (side: Side): Target => ({ port, ca: service.ca, ...credentials[side] });
  return {
    ...{ certificate: target('certificate'), token: target('token') },
    ...{ account: target('account'), master: target('master') },
  };
}

function remarksOf(runs: Record<Side, Run>, count: number): string[] {
  const micros = ({ cpuSeconds, count: requests }: Run): number => (cpuSeconds / requests) * 1e6;
  const rates = [runs.certificate, runs.token, runs.account].map(({ perSecond }) => perSecond);
  const [slowest, fastest] = [Math.min(...rates), Math.max(...rates)];
  const told = Object.entries(runs).map(
    ([side, run]) => `${side} ${run.perSecond.toFixed(0)}/s, ${micros(run).toFixed(1)} µs`,
  );
  const cost = micros(runs.certificate) - micros(runs.master);
  return [
    `rate and processor time of a get: ${told.join('; ')}`,
    `the slowest of the three at ${(slowest / fastest).toFixed(2)} of the fastest`,
    `RBAC among ${count} bindings: ${cost.toFixed(1)} µs of processor time a request more than for a master`,
  ];
}
