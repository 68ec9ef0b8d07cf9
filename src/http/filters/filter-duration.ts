/** Times a filter of the chain; what comes behind it does not count. */
import { isPromise } from 'node:util/types';
import type { HistogramFamily } from '../../observe/metric-series.ts';
import type { RequestContext } from '../request-context.ts';
import type { Step } from './step.ts';

/** The step, whose time is observed under the name of the filter, whatever becomes of it. */
export function timedFilter(filter: string, step: Step, family: HistogramFamily): Step {
  const series = family.series({ filter });
  return function timed(context: RequestContext): void | Promise<void> {
    const { clock } = context.phase;
    const since = clock.monotonic();
    const done = (): void => {
      series.observe((clock.monotonic() - since) / 1_000);
    };
    let pending: void | Promise<void> = undefined;
    try {
      pending = step(context);
    } finally {
      if (!isPromise(pending)) done();
    }
    return pending?.finally(done);
  };
}
