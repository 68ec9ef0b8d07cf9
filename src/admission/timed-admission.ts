/** Times the phases of admission and each plugin, by operation and whether the write was rejected. */
import type { PassiveClock } from '../base/clock.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { inStep } from '../base/span.ts';
import { GrownWrite } from '../meta/grown-write.ts';
import type { HistogramSeries } from '../observe/metric-series.ts';
import type { AdmissionMetrics } from '../observe/admission-metrics.ts';
import type { AdmissionAttributes } from '../registry/types.ts';

/** The metrics of a chain. */
export type ChainMetrics = Pick<AdmissionMetrics, 'stepDuration' | 'pluginDuration'> & {
  readonly clock: PassiveClock;
};

export type AdmissionPhase = 'admit' | 'validate';

/** What a phase or a plugin does, with what else it takes. No list of parameters: one would be made for every call. */
type Call<C> = (attributes: AdmissionAttributes, context: C) => MaybePromise<void>;

/** The whole phase, timed, as a step of its request. */
export function timedPhase<C>(
  run: Call<C>,
  type: AdmissionPhase,
  { stepDuration, clock }: ChainMetrics,
): Call<C> {
  const name = `admission ${type}`;
  const step: Call<C> = (attributes, context) => inStep(name, () => run(attributes, context));
  return timed(clock, step, (operation, rejected) => stepDuration.series({ type, operation, rejected }));
}

/** What a plugin does in a phase, timed. */
export function timedPlugin<C>(
  run: Call<C>,
  { name, type }: { readonly name: string; readonly type: AdmissionPhase },
  { pluginDuration, clock }: ChainMetrics,
): Call<C> {
  return timed(clock, run, (operation, rejected) =>
    pluginDuration.series({ name, type, operation, rejected }),
  );
}

function timed<C>(
  clock: PassiveClock,
  run: Call<C>,
  seriesOf: (operation: string, rejected: string) => HistogramSeries,
): Call<C> {
  // Looked up once, as every write passes every plugin.
  const [admitted, rejected] = [new Map<string, HistogramSeries>(), new Map<string, HistogramSeries>()];
  const observe = (operation: string, since: number, isRejected: boolean): void => {
    const known = isRejected ? rejected : admitted;
    let series = known.get(operation);
    if (!series) known.set(operation, (series = seriesOf(operation, String(isRejected))));
    series.observe((clock.monotonic() - since) / 1_000);
  };
  const fail = (error: unknown, operation: string, since: number): never => {
    // Such a write is admitted once more elsewhere, and counts there.
    if (!(error instanceof GrownWrite)) observe(operation, since, true);
    throw error;
  };
  return (attributes, context) => {
    const { operation } = attributes;
    const since = clock.monotonic();
    let pending: MaybePromise<void>;
    try {
      pending = run(attributes, context);
    } catch (error) {
      return fail(error, operation, since);
    }
    if (!pending) {
      observe(operation, since, false);
      return undefined;
    }
    return pending.then(
      () => observe(operation, since, false),
      (error: unknown) => fail(error, operation, since),
    );
  };
}
