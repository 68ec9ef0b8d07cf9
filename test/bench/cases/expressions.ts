/** Changes of a custom resource that ten rules judge, of its definition or of a policy, against the same without rules. */
import { startReplica, type Replica } from '../../support/replica.ts';
import { waitFor } from '../../support/wait-for.ts';
import { check, type BenchCase } from '../support/case.ts';
import type { Lab } from '../support/lab.ts';
import { gained } from '../support/metrics.ts';
import { Run, type Comparison } from '../support/run.ts';
import { residentMegabytes, withCpu } from '../support/usage.ts';

const group = 'bench.example';
const sides = ['plain', 'rules', 'policy'] as const;
type Side = (typeof sides)[number];

/** Processor time that ten rules may add to a write, in microseconds. */
const mostMicros = 100;
/** Short turns: some of them have the machine to themselves. */
const turnsEach = 4;
/** At most; fewer with few pods. */
const mostObjects = 10_000;

const conditions = [
  'S.replicas >= 0 && S.replicas < 100',
  "S.mode in ['fast', 'safe', 'off']",
  'S.ports.size() > 0',
  'S.ports.all(p, p.port > 0 && p.port < 65536)',
  "S.mode == 'off' ? S.replicas == 0 : S.replicas > 0",
  'S.min <= S.max',
  "S.host.matches('^[a-z0-9.-]+$')",
  "!S.host.startsWith('www.')",
  'S.ports.exists(p, p.port == 443)',
  'has(S.note)',
];

/** A write that is long, as one may be, is judged by a write thread, which compiles for itself. */
const mostCompilations = 8 * conditions.length;

const [text, integer] = [{ type: 'string', maxLength: 63 }, { type: 'integer' }];
const ports = {
  ...{ type: 'array', maxItems: 16 },
  items: { type: 'object', required: ['port'], properties: { name: text, port: integer } },
};

function definition(kind: Side): object {
  const properties = {
    ...{ replicas: integer, mode: text, min: integer, max: integer, host: text, note: text, ports },
  };
  const validations = conditions.map((rule) => ({ rule: rule.replaceAll('S.', 'self.') }));
  const spec = {
    ...{ type: 'object', properties },
    ...(kind === 'rules' && { 'x-orch-validations': validations }),
  };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  return {
    metadata: { name: `${kind}s.${group}` },
    spec: {
      ...{ group, scope: 'Namespaced', names: { plural: `${kind}s`, kind: `Bench${kind}` } },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}

const spec = {
  ...{ replicas: 3, mode: 'fast', min: 1, max: 5, host: 'a.example.com', note: 'first' },
  ports: [
    { name: 'web', port: 80 },
    { name: 'tls', port: 443 },
  ],
};

function object(side: Side, name: string, more: object = {}): object {
  const type = { apiVersion: `${group}/v1`, kind: `Bench${side}` };
  return { ...type, metadata: { name }, spec: { ...spec, ...more } };
}

function pathOf(side: Side): string {
  return `/apis/${group}/v1/namespaces/default/${side}s`;
}

export const expressionsCase: BenchCase = {
  name: 'ten rules, bare: none; merge patch',
  unit: 'requests',
  run: async (lab) => {
    const { etcd, replica: shared } = lab;
    // The type check of policies compiles, too.
    const args = ['--emulated-release=1.36', '--controllers=namespace'];
    await using replica = await startReplica({ etcd, pki: shared.pki, prefix: '/expressions', args });
    await define(replica);
    const count = Math.min(mostObjects, lab.options.pods);
    return await compare(lab, replica, count);
  },
};

async function define({ admin }: Replica): Promise<void> {
  for (const side of sides) {
    await admin.ok('POST', '/apis/apiextensions.orch.io/v1/customresourcedefinitions', definition(side));
    await waitFor(`${side}s`, async () => (await admin.get(pathOf(side))).status === 200);
  }
  const api = '/apis/admissionregistration.orch.io/v1';
  const rule = { apiGroups: [group], apiVersions: ['v1'], resources: ['policys'], operations: ['*'] };
  const validations = conditions.map((expression) => ({
    expression: expression.replaceAll('S.', 'object.spec.'),
  }));
  const matchConstraints = { resourceRules: [rule] };
  await admin.ok('POST', `${api}/validatingadmissionpolicies`, {
    metadata: { name: 'ten' },
    spec: { matchConstraints, validations },
  });
  const binding = { policyName: 'ten', validationActions: ['Deny'] };
  await admin.ok('POST', `${api}/validatingadmissionpolicybindings`, {
    metadata: { name: 'ten' },
    spec: binding,
  });
  for (const side of ['rules', 'policy'] as const)
    await waitFor(`${side} refuse`, async () => {
      const { status } = await admin.post(pathOf(side), object(side, 'wrong', { min: 9 }));
      return status === 422;
    });
}

async function compare(lab: Lab, replica: Replica, count: number): Promise<Comparison> {
  const { cert, key } = replica.pki.admin;
  const target = { port: replica.port, ca: lab.service.ca, cert, key };
  const load = { kind: 'requests', target, connections: 16 } as const;
  const store = async (side: Side): Promise<void> => {
    const body = JSON.stringify(object(side, '@@'));
    const create = { ...load, method: 'POST', paths: [pathOf(side)], body, expect: 201 } as const;
    const { errors } = await lab.load.run({ ...create, seconds: 600, total: count, namePrefix: 'one' });
    check(errors === 0, `every object of ${side} is stored`);
  };
  const compilations = ['apiserver_cel_compilation_duration_seconds_count'] as const;
  const remarks: string[] = [];
  let compiled = 0;
  const names = new Map<Side, string[]>();
  for (const side of sides) {
    // The first write compiles.
    await replica.admin.ok('POST', pathOf(side), object(side, 'first'));
    const { gain } = await gained(replica.admin, compilations, () => store(side));
    check(gain <= mostCompilations, `rules of ${side} are compiled once, not ${String(gain)} times`);
    compiled += gain;
    const { items } = (await replica.admin.ok('GET', pathOf(side))) as unknown as { items: Named[] };
    names.set(
      side,
      items.map(({ metadata }) => `${pathOf(side)}/${metadata.name}`),
    );
  }
  remarks.push(
    `expressions compiled while ${String(count)} objects of each kind were stored: ${String(compiled)}`,
  );
  const least = new Map<Side, number>();
  const runs: Record<Side, Run> = { plain: new Run(), rules: new Run(), policy: new Run() };
  const turn = async (side: Side, ...into: Run[]): Promise<void> => {
    const change = {
      ...load,
      method: 'PATCH',
      contentType: 'application/merge-patch+json',
      expect: 200,
    } as const;
    const body = '{"spec":{"note":"##"}}';
    const paths = names.get(side) ?? [];
    const seconds = lab.turnSeconds / turnsEach;
    const report = await withCpu(replica.pid, () => lab.load.run({ ...change, seconds, paths, body }));
    for (const run of into) run.add(report);
  };
  for (const side of sides) await turn(side);
  for (let round = 0; round < turnsEach * lab.options.rounds; round++)
    for (const side of [...sides.slice(round % 3), ...sides.slice(0, round % 3)]) {
      const one = new Run();
      await turn(side, one, runs[side]);
      least.set(side, Math.min(least.get(side) ?? Infinity, (one.cpuSeconds / one.count) * 1e6));
    }
  return {
    ...{ service: runs.rules, bare: runs.plain },
    usage: { cpu: runs.rules.cpuSeconds, residentMegabytes: await residentMegabytes(replica.pid) },
    remarks: [...remarks, ...costs(least)],
  };
}

interface Named {
  readonly metadata: { readonly name: string };
}

/** Of each side the turn that took the least processor time: the others had more of other work beside them. */
function costs(least: ReadonlyMap<Side, number>): string[] {
  const of = (side: Side): number => least.get(side) ?? NaN;
  return (['rules', 'policy'] as const).map((side) => {
    const more = of(side) - of('plain');
    const what = side === 'rules' ? 'ten rules of the definition' : 'ten validations of a policy';
    const verdict = more > mostMicros ? ' (exceeded)' : '';
    return (
      `${what}: ${of(side).toFixed(0)} µs of processor time a write, ${more.toFixed(0)} more than without; ` +
      `bound ${String(mostMicros)} µs more${verdict}`
    );
  });
}
