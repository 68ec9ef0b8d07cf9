/** Reads and writes with two workers, or two serving threads, against one process of the same service over the same etcd. */
import type { Replica } from '../../support/replica.ts';
import { check, type BenchCase } from '../support/case.ts';
import { podsIn, stored, type Lab } from '../support/lab.ts';
import type { RequestLoad } from '../support/load-types.ts';
import { podTemplate } from '../support/pod.ts';
import { applying } from '../support/update-ways.ts';
import { alternate, type Comparison, type RunReport } from '../support/run.ts';
import { processTree, residentMegabytes, sumOver, withCpu } from '../support/usage.ts';

/** What serves twice, and how many processes that takes with the supervisor. */
interface Sides {
  readonly name: string;
  readonly flag: string;
  readonly processes: number;
}

const workers: Sides = { name: '2 workers', flag: '--workers=2', processes: 3 };
const threads: Sides = { name: '2 threads', flag: '--serving-threads=2', processes: 2 };

interface Shape {
  readonly name: string;
  readonly connections: number;
  readonly showsBytes: boolean;
  /** What is sent, given how many pods there are. */
  readonly requests: (pods: number) => Requests;
}

type Requests = Pick<RequestLoad, 'method' | 'paths' | 'contentType' | 'body' | 'namePrefix'> & {
  /** Status of the answers; 200 when absent. */
  readonly expect?: number;
};

/** The figures of the one process stand where other cases have their bare ones; the ratio is the gain. */
function severalCase(sides: Sides, { name, requests, connections, showsBytes }: Shape): BenchCase {
  return {
    name: `${sides.name}, bare: 1; ${name}`,
    unit: 'requests',
    showsBytes,
    beside: sides.flag,
    run: async (lab) => {
      const replica = lab.beside.replica();
      const path = `${stored}?limit=500`;
      const [one, several] = [await lab.replica.admin.get(path), await replica.admin.get(path)];
      check(one.body.length === several.body.length, `${path} gives the same at both`);
      const load = { expect: 200, ...requests(lab.options.pods), connections };
      return await compare(lab, replica, { load, processes: sides.processes });
    },
  };
}

async function compare(
  lab: Lab,
  replica: Replica,
  { load, processes }: { load: Omit<RequestLoad, 'kind' | 'target' | 'seconds'>; processes: number },
): Promise<Comparison> {
  const turn = (port: number) => (): Promise<RunReport> =>
    lab.load.run({
      kind: 'requests',
      target: { ...lab.service, port },
      seconds: lab.turnSeconds,
      ...load,
    });
  // The shared replica has compiled its hot paths while the pods were stored; the other gets the same chance.
  await turn(replica.port)();
  const pids = await processTree(replica.supervisorPid);
  check(pids.length === processes, 'every process runs');
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

const gets: Shape = {
  name: 'get, 32 conn.',
  requests: () => ({ method: 'GET', paths: [`${stored}/pod-1`] }),
  connections: 32,
  showsBytes: false,
};
const pages: Shape = {
  name: 'pages of 500, 8 conn.',
  requests: () => ({ method: 'GET', paths: [`${stored}?limit=500`] }),
  connections: 8,
  showsBytes: true,
};
const applied: Shape = {
  name: 'apply, 32 conn.',
  requests: applications,
  connections: 32,
  showsBytes: false,
};
const created: Shape = {
  name: 'create, 32 conn.',
  requests: () => ({
    ...{ method: 'POST', paths: [podsIn('created')], body: podTemplate, namePrefix: 'several', expect: 201 },
  }),
  connections: 32,
  showsBytes: false,
};

export const severalCases: Readonly<Record<string, BenchCase>> = {
  'workers-get': severalCase(workers, gets),
  'workers-list': severalCase(workers, pages),
  'workers-apply': severalCase(workers, applied),
  'threads-get': severalCase(threads, gets),
  'threads-list': severalCase(threads, pages),
  'threads-create': severalCase(threads, created),
};
