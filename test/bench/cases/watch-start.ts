/** Watches that start at a recent revision, over a thousand a second, against a handler that only answers a head. */
import { gained } from '../support/metrics.ts';
import { check, type BenchCase } from '../support/case.ts';
import { stored, type Lab } from '../support/lab.ts';
import { alternate } from '../support/run.ts';

/**
 * Each connection starts a watch of a second again and again: no more than as many in a second can be seen. They begin one
 * after the other: coming all at once, in bursts, they would measure how long a burst takes. At most; fewer with few watchers.
 */
const mostConnections = 1_500;
const connectionsForEachWatcher = 3;
const spreadSeconds = 2;
const query = 'timeoutSeconds=1';

export const watchStartCase: BenchCase = {
  name: 'watch starts',
  unit: 'requests',
  run: async (lab) => {
    const { load, service, bare, turnSeconds, options, replica } = lab;
    const connections = Math.min(mostConnections, connectionsForEachWatcher * options.watchers);
    const { metadata } = await replica.admin.list(`${stored}?limit=1`);
    const path = `${stored}?watch=true&resourceVersion=${metadata.resourceVersion}&${query}`;
    const turn = (target: typeof service, of: string) => () =>
      load.run({
        ...{ kind: 'requests', target, connections, spreadSeconds, seconds: turnSeconds + 1, method: 'GET' },
        ...{ paths: [of], expect: 200 },
      });
    const before = await etcdStreams(lab);
    const { result, gain } = await gained(
      replica.admin,
      ['apiserver_request_total', 'verb="WATCH"', 'code="200"'],
      () => alternate(options.rounds, { service: turn(service, path), bare: turn(bare, `/watch?${query}`) }),
    );
    const opened = (await etcdStreams(lab)) - before;
    check(gain >= result.service.count, 'every start was a watch');
    check(opened <= 0, `etcd saw no stream of a watch, not ${opened}`);
    return {
      ...result,
      remarks: [`${gain} watches started by ${connections} connections, ${opened} streams opened at etcd`],
    };
  },
};

/** Watch streams that are open at etcd. */
async function etcdStreams({ etcd }: Lab): Promise<number> {
  const answers = etcd.endpoints.map(async (endpoint) => (await fetch(`${endpoint}/metrics`)).text());
  const texts = await Promise.all(answers);
  const open = texts.map((text) => Number(/^etcd_debugging_mvcc_watch_stream_total (\d+)/m.exec(text)?.[1]));
  return open.reduce((sum, count) => sum + count, 0);
}
