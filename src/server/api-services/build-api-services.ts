/** Maintains the local APIServices of a replica, at start and while it runs. */
import type { Environment } from '../../base/environment.ts';
import type { ControllerWork } from '../../controllers/work-left.ts';
import { expandNames } from '../../meta/naming.ts';
import type { CustomResources } from '../../extension/custom-resources/index.ts';
import type { HealthCheck } from '../../observe/health-checks.ts';
import type { Logger } from '../../observe/log.ts';
import type { ResourceCatalogue, ResourceVerbs } from '../../registry/types.ts';
import { followCollection } from '../../storage/follow-collection.ts';
import type { Entry, Storage } from '../../storage/types.ts';
import { DamagedObjects } from '../damaged-objects.ts';
import { ReconcileLoop } from '../reconcile-loop.ts';
import { builtInServices, customServices, ownGroup, type DesiredService } from './desired-services.ts';
import { apiServiceName, ApiServiceReconciler, type ReconcileTrigger } from './api-service-reconciler.ts';

export interface ApiServicesParts {
  readonly environment: Environment;
  readonly builtIn: ResourceCatalogue;
  readonly custom: Pick<CustomResources['catalogue'], 'fresh' | 'onChange'>;
  readonly storage: Pick<Storage, 'watch' | 'view'>;
  readonly verbs: ResourceVerbs;
  readonly logger: Logger;
  readonly controllerWork: ControllerWork;
}

export interface ApiServices {
  /** Fails while built-in APIServices have not been seen since the start; a damaged one is not waited for. */
  readonly check: HealthCheck;
  /**
   * Reconciles all APIServices.
   * @throws StatusError if etcd is unavailable
   */
  ensure(signal: AbortSignal): Promise<void>;
  /**
   * Maintains them until the returned function is called.
   * @param isReconciled they are as they should be: nothing is compared before a change
   */
  keep(isReconciled?: boolean): () => Promise<void>;
}

/** Does nothing if the kind is not served in its storage version. */
export function buildApiServices(parts: ApiServicesParts): ApiServices {
  const { builtIn, custom, verbs, logger } = parts;
  const { naming } = builtIn;
  const resource = builtIn.resource(expandNames(ownGroup, naming), 'v1', 'apiservices');
  if (!resource) return notServed;
  const ownServices = builtInServices(builtIn);
  const { collection } = resource.storage;
  const entries = (): Iterable<Entry> => parts.storage.view(collection).entries('', '');
  const ownLogger = logger.child({ component: 'apiservices' });
  const damaged = new DamagedObjects(ownLogger);
  const reconciler = new ApiServiceReconciler({ naming, resource, verbs, entries, damaged });
  const reconcileAt = async (trigger: ReconcileTrigger, signal: AbortSignal): Promise<void> => {
    // A definition that existed when its APIService was created must not be missed.
    const catalogue = await custom.fresh(signal);
    await reconciler.reconcile([...ownServices, ...customServices(catalogue, builtIn)], trigger, signal);
  };
  const reconcile = (signal: AbortSignal): Promise<void> => reconcileAt('change', signal);
  const loop = new ReconcileLoop({
    ...parts.environment,
    what: 'APIServices',
    reconcile,
    logger: ownLogger,
    work: parts.controllerWork,
  });
  const isSettled = (name: string): boolean =>
    parts.storage.view(collection).get(name) !== undefined || damaged.has(apiServiceName(name));
  return {
    check: completionCheck(ownServices, isSettled),
    ensure: (signal) => reconcileAt('start', signal),
    keep: (isReconciled) => startReconciling(loop, parts, { collection, isReconciled }),
  };
}

function startReconciling(
  loop: ReconcileLoop,
  { environment, custom, storage }: ApiServicesParts,
  { collection, isReconciled }: { readonly collection: string; readonly isReconciled: boolean | undefined },
): () => Promise<void> {
  const stopping = new AbortController();
  const changed = (): void => {
    loop.noteChange();
  };
  custom.onChange(changed);
  followCollection(
    { ...environment, storage },
    collection,
    { onState: changed, onEvents: changed },
    stopping.signal,
  );
  const end = loop.start(isReconciled);
  return () => {
    stopping.abort();
    return end();
  };
}

/** An APIService that was seen once counts as registered. */
function completionCheck(
  services: readonly DesiredService[],
  isThere: (name: string) => boolean,
): HealthCheck {
  const pending = new Set(services.map(({ name }) => name));
  const run = (): string => {
    for (const name of pending) if (isThere(name)) pending.delete(name);
    return pending.size === 0 ? '' : `missing APIServices: ${[...pending].join(', ')}`;
  };
  return { ...completion, run };
}

const completion = {
  name: 'autoregister-completion',
  groups: ['healthz', 'livez', 'readyz'],
  startup: true,
} as const;

const notServed: ApiServices = {
  check: { ...completion, run: () => '' },
  ensure: () => Promise.resolve(),
  keep: () => () => Promise.resolve(),
};
