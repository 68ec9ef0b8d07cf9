/** Metrics of the process, of which many replicas may print their own. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Metrics } from '../../../src/observe/metrics.ts';
import { waitFor } from '../../support/wait-for.ts';

test('each replica prints them', async () => {
  for (const metrics of [new Metrics({ processMetrics: true }), new Metrics({ processMetrics: true })])
    for (const name of [
      'process_cpu_seconds_total',
      'nodejs_heap_size_used_bytes',
      'nodejs_eventloop_lag_p99_seconds',
    ])
      expect(await metrics.text()).toMatch(new RegExp(`^${name} [0-9.e-]+$`, 'm'));
});

test('what a replica that has stopped registered is not kept', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const registered = () =>
    new WeakRef(new Metrics({ processMetrics: true }).gauge({ name: 'one', help: 'One' }));
  const kept = [registered(), registered(), registered()];
  await waitFor('the garbage collector', () => {
    collectGarbage();
    return kept.every((each) => each.deref() === undefined);
  });
});
