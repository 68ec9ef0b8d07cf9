/** Post-start hooks and other parts of the start, which health checks report as `poststarthook/<name>`. */
import { Backoff } from '../base/backoff.ts';
import type { Environment } from '../base/environment.ts';
import { pause } from '../base/pause.ts';
import type { Logger } from '../observe/log.ts';
import type { Replica } from './build-replica.ts';
import { DamagedObjects } from './damaged-objects.ts';
import { ensureBootstrapPolicy } from './ensure-bootstrap-policy.ts';
import type { ClusterServices } from './services/cluster-services.ts';
import { ensureSystemNamespaces } from './system-namespaces.ts';
import { ensureSystemPriorityClasses } from './system-priority-classes.ts';

type StartedReplica = Replica & { readonly clusterServices: ClusterServices };

/** Where and until when hooks are tried. */
interface HookContext {
  readonly environment: Environment;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

interface RunContext extends Omit<HookContext, 'environment'> {
  /** The objects are there that every service of these flags begins with: hooks that make no others are skipped. */
  readonly hasBegun: boolean;
}

export interface StartReport {
  /** A part of the start that needs no hook is over. */
  finished(part: keyof typeof parts): void;
  /** Others run the hooks. */
  skipHooks(): void;
  /** Runs the hooks in order, each until it succeeds; rejects when `signal` aborts. */
  runHooks(replica: StartedReplica, context: RunContext): Promise<void>;
}

const hookPause = { firstMs: 100, maxMs: 5_000 };

interface StartHook {
  readonly name: string;
  readonly run: (replica: StartedReplica, signal: AbortSignal, damaged: DamagedObjects) => Promise<void>;
  /** What it makes depends on this process, and not on flags alone. */
  readonly isOfProcess?: boolean;
}

/** Post-start hooks, retried until they succeed; reported as `poststarthook/<name>`. */
const startHooks: readonly StartHook[] = [
  { name: 'system-namespaces', run: ensureSystemNamespaces },
  { name: 'rbac/bootstrap-roles', run: ensureBootstrapPolicy },
  { name: 'scheduling/bootstrap-system-priority-classes', run: ensureSystemPriorityClasses },
  {
    name: 'priority-and-fairness-config-producer',
    run: ({ flowControl }, signal) => flowControl.ensureObjects(signal),
  },
  {
    name: 'apiservice-registration-controller',
    run: ({ apiServices }, signal) => apiServices.ensure(signal),
  },
  {
    name: 'bootstrap-controller',
    run: ({ clusterServices }, signal) => clusterServices.ensure(signal),
    isOfProcess: true,
  },
];

/** What is ready after these parts, under the names that kube-apiserver gives it and its clients look for. */
const parts = {
  load: [
    'generic-apiserver-start-informers',
    'start-kube-apiserver-admission-initializer',
    'start-apiextensions-informers',
    'crd-informer-synced',
    'start-kube-aggregator-informers',
  ],
  controllers: [
    'start-apiextensions-controllers',
    'start-cluster-authentication-info-controller',
    'kube-apiserver-autoregistration',
    'apiservice-status-available-controller',
    'apiservice-openapi-controller',
  ],
} as const;

/** Adds a health check for each part of the start; all fail until it is over. */
export function reportStart({ health, startup }: Pick<Replica, 'health' | 'startup'>): StartReport {
  health.add({
    name: 'informer-sync',
    groups: ['readyz'],
    run: () => (startup.isLoaded ? '' : 'the state is not loaded'),
  });
  const hooksDone = startHooks.map(({ name }) => health.addStartHook(name));
  const add = (names: readonly string[]): (() => void)[] => names.map((name) => health.addStartHook(name));
  const partsDone = { load: add(parts.load), controllers: add(parts.controllers) };
  return {
    finished: (part) => {
      for (const done of partsDone[part]) done();
    },
    skipHooks: () => {
      for (const done of hooksDone) done();
    },
    runHooks: async (replica, { logger, signal, hasBegun }) => {
      const { environment } = replica;
      const damaged = new DamagedObjects(logger.child({ component: 'start' }));
      for (const [i, { name, run, isOfProcess = false }] of startHooks.entries()) {
        if (!hasBegun || isOfProcess)
          await untilDone(name, () => run(replica, signal, damaged), { environment, logger, signal });
        hooksDone[i]?.();
      }
    },
  };
}

async function untilDone(
  name: string,
  work: () => Promise<void>,
  { environment, logger, signal }: HookContext,
): Promise<void> {
  const backoff = new Backoff(hookPause, environment.random);
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      // What a stop interrupts has not failed.
      signal.throwIfAborted();
      logger.warn('a post-start hook failed; retrying', { hook: name, err: error });
    }
    await pause(environment.clock, backoff.nextMs(), signal);
    signal.throwIfAborted();
  }
}
