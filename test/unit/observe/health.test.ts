import { createHealthMetrics } from '../../../src/observe/health-metrics.ts';
import { HealthChecks } from '../../../src/observe/health-checks.ts';
import { HandClock } from '../../support/hand-clock.ts';
import { waitFor } from '../../support/wait-for.ts';

let clock: HandClock;
beforeEach(() => {
  clock = new HandClock();
});

describe('health checks', () => {
  test('a failing, a throwing and a late check fail; an excluded one does not', async () => {
    const health = new HealthChecks({ clock, timeoutMs: 2_000 });
    health.add({ name: 'bad', groups: ['readyz'], run: () => 'no' });
    health.add({ name: 'thrown', groups: ['readyz'], run: () => Promise.reject(new Error('boom')) });
    health.add({ name: 'late', groups: ['readyz'], run: () => new Promise<string>(() => undefined) });
    const running = health.run('readyz', new Set(['bad']));
    await waitFor('the others', () => clock.timers === 1);
    clock.advance(2_000);
    const results = await running;
    expect(results.map((r) => [r.name, r.outcome])).toEqual([
      ['ping', 'ok'],
      ['shutdown', 'ok'],
      ['bad', 'excluded'],
      ['thrown', 'failed'],
      ['late', 'failed'],
    ]);
    expect(clock.timers).toBe(0);
  });

  test('results are service level indicators, by group; what is excluded is none', async () => {
    const indicators = createHealthMetrics({ major: 1, minor: 32 });
    const health = new HealthChecks({ clock, onResult: indicators.note });
    await health.run('livez');
    await health.run('readyz', new Set(['ping']));
    health.beginShutdown();
    await health.run('readyz');
    const lines = (await indicators.metrics.text()).split('\n').filter((line) => !line.startsWith('#'));
    expect(lines.filter((line) => line !== '').sort()).toEqual([
      'kubernetes_healthchecks_total{name="ping",type="livez",status="success"} 1',
      'kubernetes_healthchecks_total{name="ping",type="readyz",status="success"} 1',
      'kubernetes_healthchecks_total{name="shutdown",type="readyz",status="error"} 1',
      'kubernetes_healthchecks_total{name="shutdown",type="readyz",status="success"} 1',
      'kubernetes_healthcheck{name="ping",type="livez"} 1',
      'kubernetes_healthcheck{name="ping",type="readyz"} 1',
      'kubernetes_healthcheck{name="shutdown",type="readyz"} 0',
    ]);
  });

  test('shutdown makes the replica not ready, but it stays alive', async () => {
    const health = new HealthChecks({ clock });
    health.beginShutdown();
    expect((await health.run('readyz')).some((r) => r.outcome === 'failed')).toBe(true);
    expect((await health.run('livez')).every((r) => r.outcome === 'ok')).toBe(true);
  });

  test('livez forgives start hooks during the grace period only', async () => {
    const health = new HealthChecks({ livezGraceMs: 100, clock });
    const finish = health.addStartHook('load');
    const failing = async (group: 'livez' | 'readyz'): Promise<string[]> =>
      (await health.run(group)).filter((r) => r.outcome === 'failed').map((r) => r.name);
    expect(await failing('livez')).toEqual([]);
    expect(await failing('readyz')).toEqual(['poststarthook/load']);
    clock.advance(101);
    expect(await failing('livez')).toEqual(['poststarthook/load']);
    finish();
    expect(await failing('livez')).toEqual([]);
  });

  test('livez forgives start hooks while the state is loaded, however long that takes', async () => {
    const health = new HealthChecks({ clock });
    health.addStartHook('later');
    const isLive = async (): Promise<boolean> =>
      (await health.run('livez')).every(({ outcome }) => outcome === 'ok');
    const loaded = health.beginLoading();
    expect(await isLive()).toBe(true);
    loaded();
    expect(await isLive()).toBe(false);
  });

  test('names are unique', () => {
    expect(() => new HealthChecks({ clock }).add({ name: 'ping', groups: [], run: () => '' })).toThrow(
      'ping',
    );
  });
});
