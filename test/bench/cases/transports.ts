/** Writes and fresh reads over the service's own HTTP/2 to etcd, against a replica over that of Node and the same etcd. */
import type { Replica } from '../../support/replica.ts';
import { check, type BenchCase } from '../support/case.ts';
import { podsIn, stored, type Lab } from '../support/lab.ts';
import type { RequestLoad } from '../support/load-types.ts';
import { podTemplate } from '../support/pod.ts';
import { alternate, warmUp, type Comparison, type Run, type RunReport } from '../support/run.ts';
import { withCpu } from '../support/usage.ts';

type Requests = Pick<RequestLoad, 'method' | 'paths' | 'body' | 'namePrefix' | 'expect'>;

/** The figures of the replica over Node's stand where other cases have their bare ones; the ratio is the gain. */
function transportCase(name: string, requests: Requests): BenchCase {
  return {
    name: `own transport, bare: Node's; ${name}`,
    unit: 'requests',
    beside: '--etcd-transport=node',
    run: async (lab) => {
      const other = lab.beside.replica();
      const [one, same] = [
        await lab.replica.admin.get(`${stored}/pod-1`),
        await other.admin.get(`${stored}/pod-1`),
      ];
      check(one.status === 200 && one.body.equals(same.body), 'both replicas give the same pod');
      return await compare(lab, other, requests);
    },
  };
}

async function compare(lab: Lab, other: Replica, requests: Requests): Promise<Comparison> {
  const turn =
    ({ pid, port }: Replica) =>
    (): Promise<RunReport> =>
      withCpu(pid, () =>
        lab.load.run({
          ...{
            kind: 'requests',
            target: { ...lab.service, port },
            connections: 32,
            seconds: lab.turnSeconds,
          },
          ...requests,
        }),
      );
  const sides = { service: turn(lab.replica), bare: turn(other) };
  await warmUp(sides);
  const comparison = await alternate(lab.options.rounds, sides);
  check(comparison.service.errors + comparison.bare.errors === 0, 'both answer all that is asked');
  const { service, bare } = comparison;
  return { ...comparison, remarks: [`${micros(service)} µs of processor time, ${micros(bare)} over Node's`] };
}

function micros({ cpuSeconds, count }: Run): string {
  return ((cpuSeconds / count) * 1e6).toFixed(0);
}

export const transportCases: Readonly<Record<string, BenchCase>> = {
  'transport-create': transportCase('create, 32 conn.', {
    ...{ method: 'POST', paths: [podsIn('created')], body: podTemplate, namePrefix: 'sent', expect: 201 },
  }),
  'transport-get': transportCase('fresh get, 32 conn.', {
    ...{ method: 'GET', paths: [`${stored}/pod-1`], expect: 200 },
  }),
};
