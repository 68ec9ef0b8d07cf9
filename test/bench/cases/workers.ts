/** Reads and writes with two workers, against one process of the same service over the same etcd. */
import { startReplica, type Replica } from '../../support/replica.ts';
import { check, type BenchCase } from '../support/case.ts';
import { stored, type Lab } from '../support/lab.ts';
import type { RequestLoad } from '../support/load-types.ts';
import { applying } from '../support/update-ways.ts';
import { alternate, type Comparison, type RunReport } from '../support/run.ts';
import { processTree, residentMegabytes, sumOver, withCpu } from '../support/usage.ts';

const workers = 2;

interface Shape {
  readonly name: string;
  readonly connections: number;
  readonly showsBytes: boolean;
  /** What is sent, given how many pods there are. */
  readonly requests: (pods: number) => Requests;
}

type Requests = Pick<RequestLoad, 'method' | 'paths' | 'contentType' | 'body'>;

/** The figures of the one process stand where other cases have their bare ones; the ratio is the gain. */
function workersCase({ name, requests, connections, showsBytes }: Shape): BenchCase {
  return {
    name: `${workers} workers, bare: 1; ${name}`,
    unit: 'requests',
    showsBytes,
    run: async (lab) => {
      await using replica = await startReplica({
        etcd: lab.etcd,
        pki: lab.replica.pki,
        args: [`--workers=${workers}`],
      });
      const path = `${stored}?limit=500`;
      const [one, several] = [await lab.replica.admin.get(path), await replica.admin.get(path)];
      check(one.body.length === several.body.length, `${path} gives the same at both`);
      return await compare(lab, replica, { ...requests(lab.options.pods), connections });
    },
  };
}

async function compare(
  lab: Lab,
  replica: Replica,
  requests: Requests & Pick<RequestLoad, 'connections'>,
): Promise<Comparison> {
  const turn = (port: number) => (): Promise<RunReport> =>
    lab.load.run({
      kind: 'requests',
      target: { ...lab.service, port },
      seconds: lab.turnSeconds,
      expect: 200,
      ...requests,
    });
  // The shared replica has compiled its hot paths while the pods were stored; the other gets the same chance.
  await turn(replica.port)();
  const pids = await processTree(replica.supervisorPid);
  check(pids.length === workers + 1, 'every worker runs');
  const comparison = await alternate(lab.options.rounds, {
    service: () => withCpu(pids, turn(replica.port)),
    bare: () => withCpu(lab.replica.pid, turn(lab.replica.port)),
  });
  const cpu = comparison.service.cpuSeconds;
  return { ...comparison, usage: { cpu, residentMegabytes: await sumOver(pids, residentMegabytes) } };
}

function applications(pods: number): Requests {
  const { method, contentType, query, body } = applying;
  const paths = Array.from({ length: pods }, (_, index) => `${stored}/pod-${index + 1}${query}`);
  return { method, contentType, paths, body: JSON.stringify(body()) };
}

export const workerCases: Readonly<Record<string, BenchCase>> = {
  'workers-get': workersCase({
    name: 'get, 32 conn.',
    requests: () => ({ method: 'GET', paths: [`${stored}/pod-1`] }),
    connections: 32,
    showsBytes: false,
  }),
  'workers-list': workersCase({
    name: 'pages of 500, 8 conn.',
    requests: () => ({ method: 'GET', paths: [`${stored}?limit=500`] }),
    connections: 8,
    showsBytes: true,
  }),
  'workers-apply': workersCase({
    name: 'apply, 32 conn.',
    requests: applications,
    connections: 32,
    showsBytes: false,
  }),
};
