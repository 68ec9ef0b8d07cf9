/** Runs the chosen controllers in this process while it holds their lease. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { createGarbageCollector } from '../../controllers/garbage-collector/garbage-collector.ts';
import { electLeader } from '../../controllers/leader-election.ts';
import { createNamespaceController } from '../../controllers/namespace/namespace-controller.ts';
import type {
  ApiClient,
  Controller,
  ControllerLog,
  ControllerMetrics,
  ResourceRef,
} from '../../controllers/types.ts';
import { systemNamespace, type NamingProfile } from '../../meta/naming.ts';
import type { ControllerName } from './controller-names.ts';

export interface ControllerManagerOptions {
  readonly client: ApiClient;
  readonly naming: NamingProfile;
  readonly names: ReadonlySet<ControllerName>;
  readonly log: ControllerLog;
  readonly metrics: ControllerMetrics;
}

/** Resolves when the signal is aborted and every controller has ended; the lease is given back then. */
export async function runControllers(options: ControllerManagerOptions, signal: AbortSignal): Promise<void> {
  const { client, naming, log, metrics } = options;
  const controllers = createControllers(options);
  if (controllers.length === 0) return;
  await electLeader(
    {
      ...{ client, log, metrics },
      leases: leasesOf(naming),
      namespace: systemNamespace(naming),
      leaseName: `${naming.systemPrefix}-controller-manager`,
      identity: `${hostname()}_${String(process.pid)}_${randomUUID()}`,
      lead: async (term) => {
        await Promise.all(controllers.map((controller) => controller.run(term)));
      },
    },
    signal,
  );
}

function createControllers(options: ControllerManagerOptions): Controller[] {
  const { client, naming, log, metrics } = options;
  const makers: Readonly<Record<ControllerName, () => Controller>> = {
    namespace: () =>
      createNamespaceController({
        ...{ client, log, metrics },
        namespaces: namespacesResource,
        finalizer: naming.namespaceFinalizer,
      }),
    // Events own nothing and are owned by nothing; following them would cost the most and give nothing.
    garbagecollector: () =>
      createGarbageCollector({
        client,
        log,
        metrics,
        ignored: new Set(['/events', `events.${naming.apiDomain}/events`]),
      }),
  };
  return [...options.names].map((name) => makers[name]());
}

const allVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

const namespacesResource: ResourceRef = {
  ...{ group: '', version: 'v1', resource: 'namespaces', kind: 'Namespace' },
  ...{ namespaced: false, verbs: allVerbs },
};

function leasesOf(naming: NamingProfile): ResourceRef {
  const group = `coordination.${naming.apiDomain}`;
  return { group, version: 'v1', resource: 'leases', kind: 'Lease', namespaced: true, verbs: allVerbs };
}
