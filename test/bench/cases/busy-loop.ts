/** Gets, and the delay of the event loop, while four clients list everything and many watch what others write. */
import { check, type BenchCase } from '../support/case.ts';
import { podsIn, stored, type Lab } from '../support/lab.ts';
import { LoadGenerator } from '../support/load.ts';
import { figureIn } from '../support/metrics.ts';
import { podTemplate } from '../support/pod.ts';
import { alternate, warmUp, type RunReport } from '../support/run.ts';

const collection = podsIn('watched');
const watchers = 200;
const events = 50;
/** What prom-client measures with: its figures hold one such tick each. */
const tickMs = 10;
let turns = 0;

export const busyLoopCase: BenchCase = {
  name: 'get while 4 list all, 200 watch',
  unit: 'requests',
  run: async (lab) => {
    using lists = new LoadGenerator();
    using watches = new LoadGenerator();
    const body = await lab.replica.admin.get(`${stored}/pod-1`);
    check(body.status === 200, 'a stored pod can be read');
    await lab.bareServer.serve(`${stored}/pod-1`, body.body);
    await lab.bareServer.serve(stored, (await lab.replica.admin.get(stored)).body);
    const delays: Record<'opening' | 'under load', number[]> = { opening: [], 'under load': [] };
    const sides = {
      service: async () => {
        await delayMs(lab);
        const report = await underLoad(lab, { lists, watches }, async () => {
          delays.opening.push(await delayMs(lab));
        });
        delays['under load'].push(await delayMs(lab));
        return report;
      },
      bare: async () => {
        const [report] = await Promise.all([gets(lab, lab.bare), listing(lab, lists, lab.bare)]);
        return report;
      },
    };
    await warmUp(sides);
    for (const figures of Object.values(delays)) figures.length = 0;
    const comparison = await alternate(lab.options.rounds, sides);
    return {
      ...comparison,
      remarks: [
        `p99 of the event loop's delay: ${inWords(delays['under load'])} ms`,
        `while ${watchers} watches are opened at once, handshakes and all: ${inWords(delays.opening)} ms`,
      ],
    };
  },
};

function inWords(delays: readonly number[]): string {
  return delays.map((ms) => ms.toFixed(1)).join(', ');
}

/** p99 since it was asked for the last time. */
async function delayMs({ replica }: Lab): Promise<number> {
  const { text } = await replica.admin.get('/metrics');
  return figureIn(text, 'nodejs_eventloop_lag_p99_seconds') * 1000 - tickMs;
}

interface Generators {
  readonly lists: LoadGenerator;
  readonly watches: LoadGenerator;
}

/** The gets; all else only keeps the replica busy. `onStanding`: all watches are answered. */
async function underLoad(
  lab: Lab,
  { lists, watches }: Generators,
  onStanding: () => Promise<void>,
): Promise<RunReport> {
  turns += 1;
  const { metadata } = await lab.replica.admin.list(`${collection}?limit=1`);
  const path = `${collection}?watch=true&resourceVersion=${metadata.resourceVersion}`;
  const { promise, resolve } = Promise.withResolvers<RunReport>();
  await watches.watch({ kind: 'watch', target: lab.service, watchers, path, events }, async () => {
    await onStanding();
    const [report] = await Promise.all([
      gets(lab, lab.service),
      listing(lab, lists, lab.service),
      lab.writer.run({
        ...{ kind: 'requests', target: lab.service, connections: 2, seconds: 600, total: events },
        ...{ method: 'POST', paths: [collection], body: podTemplate },
        ...{ namePrefix: `busy-${turns}`, expect: 201 },
      }),
    ]);
    resolve(report);
  });
  return promise;
}

function gets(lab: Lab, target: Lab['service']): Promise<RunReport> {
  return lab.load.run({
    ...{ kind: 'requests', target, connections: 4, seconds: lab.turnSeconds, method: 'GET' },
    ...{ paths: [`${stored}/pod-1`], expect: 200 },
  });
}

function listing(lab: Lab, lists: LoadGenerator, target: Lab['service']): Promise<RunReport> {
  return lists.run({
    ...{ kind: 'requests', target, connections: 4, seconds: lab.turnSeconds, method: 'GET' },
    ...{ paths: [stored], expect: 200 },
  });
}
