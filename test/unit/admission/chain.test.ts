/** When the mutating phase runs again, and what the metrics tell of the chain. */
import { createAdmissionChain } from '../../../src/admission/admission-chain.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { GrownWrite } from '../../../src/meta/grown-write.ts';
import { createAdmissionMetrics } from '../../../src/observe/admission-metrics.ts';
import { Metrics } from '../../../src/observe/metrics.ts';

test('the mutating phase runs again once when a plugin asks for it, with all plugins, in the same round', async () => {
  const told: string[] = [];
  const chain = createAdmissionChain([
    {
      name: 'first',
      admit: (_attributes, { isReinvocation }) => {
        told.push(`first ${String(isReinvocation)}`);
        return Promise.resolve();
      },
    },
    {
      name: 'second',
      admit: (_attributes, round) => {
        told.push(`second ${String(round.isReinvocation)}`);
        round.requestReinvocation();
        return Promise.resolve();
      },
    },
  ]);
  await chain.admit({} as never);
  expect(told).toEqual(['first false', 'second false', 'first true', 'second true']);
});

test('phases and plugins are timed by operation and outcome; a write that begins again elsewhere is not', async () => {
  const metrics = new Metrics();
  const outcomes: (() => void | Promise<void>)[] = [];
  const judge = (): void | Promise<void> => outcomes.shift()?.();
  const chain = createAdmissionChain([{ name: 'Silent' }, { name: 'Judge', admit: judge, validate: judge }], {
    ...createAdmissionMetrics(metrics),
    clock: systemClock,
  });
  const pass = async (outcome: () => void | Promise<void>): Promise<void> => {
    outcomes.push(outcome);
    await chain.admit({ operation: 'CREATE' } as never).catch(() => undefined);
  };
  const refuse = (): never => {
    throw new Error('no');
  };
  await pass(() => undefined);
  await pass(() => Promise.resolve());
  await pass(refuse);
  await pass(() => Promise.reject(new Error('no')));
  await pass(() => Promise.reject(new GrownWrite()));
  outcomes.push(() => undefined);
  await chain.validate({ operation: 'DELETE' } as never);
  const text = await metrics.text();
  const counts = [...text.matchAll(/^apiserver_admission_(\w+)_admission_duration_seconds_count(.*)$/gm)];
  expect(counts.map(([, what, rest]) => `${String(what)}${String(rest)}`)).toEqual([
    'step{type="admit",operation="CREATE",rejected="false"} 2',
    'step{type="admit",operation="CREATE",rejected="true"} 2',
    'step{type="validate",operation="DELETE",rejected="false"} 1',
    'controller{name="Judge",type="admit",operation="CREATE",rejected="false"} 2',
    'controller{name="Judge",type="admit",operation="CREATE",rejected="true"} 2',
    'controller{name="Judge",type="validate",operation="DELETE",rejected="false"} 1',
  ]);
});
