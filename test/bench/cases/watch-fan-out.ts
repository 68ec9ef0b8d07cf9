/** Events to many watchers, against a loop that writes one ready buffer to every open response. */
import { check, type BenchCase } from '../support/case.ts';
import { podsIn, type Lab } from '../support/lab.ts';
import { gained } from '../support/metrics.ts';
import { podNamed, podTemplate } from '../support/pod.ts';
import { alternate } from '../support/run.ts';
import type { RunReport } from '../support/run.ts';

const collection = podsIn('watched');
/** Enough writers that etcd is not what everybody waits for. */
const writers = 16;
let turns = 0;

export const watchFanOutCase: BenchCase = {
  name: 'watch fan-out',
  unit: 'events',
  run: async (lab) => {
    const event = await oneEvent(lab);
    const { load, bareServer, bare, options } = lab;
    const burst = await bareServer.prepareBurst(event, options.writes);
    const frames = ['apiserver_watch_frames_encoded_total', 'kind="Pod"'] as const;
    const compared = gained(lab.replica.admin, frames, () =>
      alternate(options.rounds, {
        service: () => serviceTurn(lab),
        bare: () =>
          load.watch(
            {
              kind: 'watch',
              target: bare,
              watchers: options.watchers,
              path: '/watch',
              events: options.writes,
            },
            burst,
          ),
      }),
    );
    const { result, gain } = await compared;
    const written = options.rounds * options.writes;
    check(gain === written, `each of ${written} events is serialised once, not ${gain} times in all`);
    return { ...result, remarks: [`${written} events were serialised ${gain} times`] };
  },
};

async function serviceTurn({ load, writer, replica, service, options }: Lab): Promise<RunReport> {
  turns += 1;
  const { metadata } = await replica.admin.list(`${collection}?limit=1`);
  const path = `${collection}?watch=true&resourceVersion=${metadata.resourceVersion}`;
  const { watchers, writes: events } = options;
  return load.watch({ kind: 'watch', target: service, watchers, path, events }, () =>
    writer.run({
      ...{
        kind: 'requests',
        target: service,
        connections: writers,
        seconds: 600,
        total: events,
        method: 'POST',
      },
      ...{ paths: [collection], body: podTemplate, namePrefix: `turn-${turns}`, expect: 201 },
    }),
  );
}

/** An event as the service writes it, with `##` where the time of sending goes. */
async function oneEvent({ replica }: Lab): Promise<Buffer> {
  const { metadata } = await replica.admin.list(`${collection}?limit=1`);
  const watch = await replica.admin.watch(`${collection}?resourceVersion=${metadata.resourceVersion}`);
  await replica.admin.ok('POST', collection, podNamed('sample').replace('"sent":"0"', '"sent":"##"'));
  const event = await watch.next();
  watch.close();
  check(event?.type === 'ADDED' && event.object.metadata.name === 'sample', 'a watch tells of a creation');
  return Buffer.from(`${JSON.stringify(event)}\n`);
}
