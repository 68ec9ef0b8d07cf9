/** When the mutating phase runs again, and what the metrics tell of the chain. */
import { createAdmissionChain, type AdmissionPlugin } from '../../../src/admission/admission-chain.ts';
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

test('a plugin is neither asked nor timed for an operation that it does not handle', async () => {
  const metrics = new Metrics();
  const asked: string[] = [];
  const plugin = (name: string): AdmissionPlugin => ({
    name,
    admit: ({ operation }) => void asked.push(`${name} admits ${operation}`),
    validate: ({ operation }) => void asked.push(`${name} validates ${operation}`),
  });
  const plugins = ['NamespaceLifecycle', 'LimitRanger', 'RuntimeClass', 'MutatingAdmissionWebhook', 'Other'];
  const chain = createAdmissionChain(plugins.map(plugin), {
    ...createAdmissionMetrics(metrics),
    clock: systemClock,
  });
  const askedFor = async (operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'): Promise<string[]> => {
    asked.length = 0;
    await chain.admit({ operation } as never);
    await chain.validate({ operation } as never);
    const admitting = plugins.filter((name) => asked.includes(`${name} admits ${operation}`));
    expect(plugins.filter((name) => asked.includes(`${name} validates ${operation}`))).toEqual(admitting);
    return admitting;
  };
  expect(await askedFor('CREATE')).toEqual(plugins);
  expect(await askedFor('UPDATE')).toEqual(plugins.filter((name) => name !== 'RuntimeClass'));
  expect(await askedFor('DELETE')).toEqual(['NamespaceLifecycle', 'MutatingAdmissionWebhook', 'Other']);
  expect(await askedFor('CONNECT')).toEqual(['MutatingAdmissionWebhook', 'Other']);
  const text = await metrics.text();
  expect(text).toMatch(
    /controller_admission_duration_seconds_count\{name="LimitRanger",.*operation="UPDATE"/,
  );
  expect(text).not.toMatch(/name="LimitRanger",.*operation="DELETE"/);
});
