/** Named health checks and the three groups that serve them (Kubernetes documentation, "API health endpoints"). */
import { messageOf } from '../base/errors.ts';
import { withDeadline } from '../base/pause.ts';
import type { Clock } from '../base/clock.ts';

export type HealthGroup = 'healthz' | 'livez' | 'readyz';

export interface HealthCheck {
  /** `ping`, `etcd`, `poststarthook/start-follower`. */
  readonly name: string;
  /** Groups (`livez`, `readyz`, `healthz`) that include it. */
  readonly groups: readonly HealthGroup[];
  /**
   * Returns '' if healthy, otherwise the reason (for the log; clients only see that it failed, unless `isPublic`).
   * Throwing counts as a failure.
   */
  readonly run: () => string | Promise<string>;
  /** Belongs to the start: ignored by `livez` during the grace period. */
  readonly startup?: boolean;
  /** The reason is not confidential and is shown to clients. */
  readonly isPublic?: boolean;
}

export interface HealthResult {
  readonly name: string;
  readonly outcome: 'ok' | 'failed' | 'excluded';
  /** '' unless it failed. */
  readonly problem: string;
  /** The problem is shown to clients. */
  readonly isPublic: boolean;
}

export interface HealthChecksOptions {
  readonly clock: Clock;
  /** `--livez-grace-period` in milliseconds. */
  readonly livezGraceMs?: number;
  /** Timeout of a check. */
  readonly timeoutMs?: number;
  /** Called with each result of a group that was asked for. */
  readonly onResult?: (group: HealthGroup, result: HealthResult) => void;
}

const everyGroup: readonly HealthGroup[] = ['healthz', 'livez', 'readyz'];

/** The checks of a replica. `ping` is always included; `shutdown` fails readiness after `beginShutdown`. */
export class HealthChecks {
  private readonly checks: HealthCheck[] = [];
  private readonly graceEnd: number;
  private readonly timeoutMs: number;
  private readonly clock: Clock;
  private readonly onResult: NonNullable<HealthChecksOptions['onResult']>;
  private stopping = false;
  private isLoading = false;

  constructor(options: HealthChecksOptions) {
    this.clock = options.clock;
    this.timeoutMs = options.timeoutMs ?? 2_000;
    this.onResult = options.onResult ?? ((): void => undefined);
    this.graceEnd = this.clock.monotonic() + (options.livezGraceMs ?? 0);
    this.add({ name: 'ping', groups: everyGroup, run: () => '' });
    this.add({
      name: 'shutdown',
      groups: ['readyz'],
      run: () => (this.stopping ? 'the process is shutting down' : ''),
    });
  }

  /** @throws Error if the name exists */
  add(check: HealthCheck): void {
    if (this.checks.some((c) => c.name === check.name)) throw new Error(`health check ${check.name} exists`);
    this.checks.push(check);
  }

  /** A check that fails until the returned function is called: `poststarthook/<hook>`. */
  addStartHook(hook: string): () => void {
    let done = false;
    const run = (): string => (done ? '' : 'not finished');
    this.add({ name: `poststarthook/${hook}`, groups: everyGroup, run, startup: true });
    return () => {
      done = true;
    };
  }

  /** Until the returned function is called, `livez` ignores start checks, as the load reports its progress. */
  beginLoading(): () => void {
    this.isLoading = true;
    return () => {
      this.isLoading = false;
    };
  }

  /** Fails readiness from now on. */
  beginShutdown(): void {
    this.stopping = true;
  }

  names(group: HealthGroup): string[] {
    return this.of(group).map((c) => c.name);
  }

  /** Runs all checks of a group concurrently; results are in order of registration. */
  async run(group: HealthGroup, excluded: ReadonlySet<string> = new Set()): Promise<HealthResult[]> {
    const results = await Promise.all(this.of(group).map((check) => this.runOne(check, group, excluded)));
    for (const result of results) this.onResult(group, result);
    return results;
  }

  private of(group: HealthGroup): HealthCheck[] {
    return this.checks.filter((c) => c.groups.includes(group));
  }

  private async runOne(
    check: HealthCheck,
    group: HealthGroup,
    excluded: ReadonlySet<string>,
  ): Promise<HealthResult> {
    const { name, isPublic = false } = check;
    if (excluded.has(name)) return { name, outcome: 'excluded', problem: '', isPublic };
    const problem = await this.problemOf(check);
    const isInGracePeriod = group === 'livez' && check.startup === true && this.isInStartGrace();
    return problem === '' || isInGracePeriod
      ? { name, outcome: 'ok', problem: '', isPublic }
      : { name, outcome: 'failed', problem, isPublic };
  }

  private isInStartGrace(): boolean {
    return this.isLoading || this.clock.monotonic() < this.graceEnd;
  }

  private async problemOf(check: HealthCheck): Promise<string> {
    const late = (): Error => new Error(`no response within ${String(this.timeoutMs)} ms`);
    try {
      return await withDeadline(this.clock, Promise.resolve(check.run()), this.timeoutMs, late);
    } catch (error) {
      return messageOf(error);
    }
  }
}
