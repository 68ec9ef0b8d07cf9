/** A file of its own: a process begins to observe itself once. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Metrics } from '../../../src/observe/metrics.ts';
import { waitFor } from '../../support/wait-for.ts';

test('what happens between the start and the first scrape is counted', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const metrics = new Metrics({ processMetrics: true });
  collectGarbage();
  const isCounted = /^nodejs_gc_duration_seconds_count\{kind="major"\} [1-9]/m;
  await waitFor('the collection to be counted', async () => isCounted.test(await metrics.text()));
});
