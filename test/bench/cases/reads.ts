/** Reads, against Express returning the same bytes from memory. */
import { check, type BenchCase } from '../support/case.ts';
import { stored, type Lab } from '../support/lab.ts';
import type { Target } from '../support/http-connection.ts';
import { slots, type RequestLoad } from '../support/load-types.ts';
import { gained } from '../support/metrics.ts';
import { alternate, Run, warmUp, type Comparison, type RunReport, type Sides } from '../support/run.ts';
import { withCpu } from '../support/usage.ts';

const pageSize = 500;

async function compareReads(lab: Lab, paths: readonly string[], connections: number): Promise<Comparison> {
  return alternate(lab.options.rounds, await readers(lab, paths, connections));
}

/** Both sides give the same bytes; warm, and under the same load. */
async function readers(lab: Lab, paths: readonly string[], connections: number): Promise<Sides> {
  const { replica, bareServer, service, bare } = lab;
  for (const path of paths) {
    const { status, body } = await replica.admin.get(path);
    check(status === 200, `${path} answers 200`);
    await bareServer.serve(path, body);
    const again = await replica.admin.get(path);
    check(again.body.length === body.length, `${path} gives the same twice`);
  }
  const turn = (target: Target) => () => read(lab, target, { paths, connections });
  const sides = {
    service: () => withCpu(replica.pid, turn(service)),
    bare: () => withCpu(bareServer.pid, turn(bare)),
  };
  await warmUp(sides);
  return sides;
}

/** A turn of gets. */
function read(
  { load, turnSeconds }: Lab,
  target: Target,
  what: Pick<RequestLoad, 'paths' | 'connections'>,
): Promise<RunReport> {
  return load.run({ kind: 'requests', target, seconds: turnSeconds, method: 'GET', expect: 200, ...what });
}

export const getCase: BenchCase = {
  name: 'get one, fresh, 32 connections',
  unit: 'requests',
  run: async (lab) => {
    const path = `${stored}/pod-1`;
    const pod = await lab.replica.admin.ok('GET', path);
    check(pod.metadata.name === 'pod-1', 'the pod asked for is answered');
    const probes = ['etcd_request_duration_seconds_count', 'operation="probe"'] as const;
    const sides = await readers(lab, [path], 32);
    const fresh = await freshSide(lab, path);
    const { result, gain } = await gained(lab.replica.admin, probes, () =>
      alternate(lab.options.rounds, { ...sides, bare: async () => (await fresh.turn(), sides.bare()) }),
    );
    const { service, bare } = result;
    return {
      ...result,
      remarks: [
        `${(gain / service.count).toFixed(3)} quorum probes per get`,
        `a bare handler that waits for probes, too: ${fresh.run.perSecond.toFixed(0)}/s, ` +
          `${(fresh.run.perSecond / bare.perSecond).toFixed(2)} of bare; the service ` +
          `${(service.perSecond / fresh.run.perSecond).toFixed(2)} of it`,
      ],
    };
  },
};

/** The bare handler, as fresh as the service: what it did in all turns but the first. */
async function freshSide(lab: Lab, path: string): Promise<{ readonly run: Run; turn(): Promise<void> }> {
  await lab.bareServer.probe(lab.etcd.endpoints);
  const run = new Run();
  const turn = () => read(lab, lab.bare, { paths: [`/fresh${path}`], connections: 32 });
  await turn();
  return {
    run,
    turn: async () => {
      run.add(await turn());
    },
  };
}

/** A selector that picks 1 % of all pods. */
export const selectorCase: BenchCase = {
  name: 'list 1 % by a label, one client',
  unit: 'requests',
  run: async (lab) => {
    const path = `${stored}?labelSelector=slot%3D7`;
    const { items } = await lab.replica.admin.list(path);
    check(items.length === Math.round(lab.options.pods / slots), 'the selector picks one slot');
    check(
      items.every(({ metadata }) => metadata.labels?.['slot'] === '7'),
      'and nothing but it',
    );
    return compareReads(lab, [path], 1);
  },
};

/** Lists everything in one answer. */
export function listCase(clients: number): BenchCase {
  return {
    name: `list all, ${clients === 1 ? 'one client' : `${clients} clients`}`,
    unit: 'requests',
    showsBytes: true,
    run: async (lab) => {
      const { items } = await lab.replica.admin.list(stored);
      check(items.length === lab.options.pods, 'the list holds every pod');
      return compareReads(lab, [stored], clients);
    },
  };
}

export const pagesCase: BenchCase = {
  name: `pages of ${pageSize}, 4 connections`,
  unit: 'requests',
  showsBytes: true,
  run: async (lab) => {
    const { paths, seen } = await walkPages(lab);
    check(seen.size === lab.options.pods, 'the pages hold every pod once');
    return compareReads(lab, paths, 4);
  },
};

/** The path of each page, by its continue token, and the names on all of them. */
async function walkPages({ replica }: Lab): Promise<{ paths: string[]; seen: Set<string> }> {
  const paths: string[] = [];
  const seen = new Set<string>();
  let token: string | undefined = '';
  while (token !== undefined) {
    const path = `${stored}?limit=${pageSize}${token === '' ? '' : `&continue=${encodeURIComponent(token)}`}`;
    const { items, metadata } = await replica.admin.list(path);
    for (const item of items) seen.add(item.metadata.name);
    paths.push(path);
    token = metadata.continue;
  }
  return { paths, seen };
}
