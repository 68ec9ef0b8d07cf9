/** Maintains the local APIServices of a replica, at start and while it runs. */
import { expandNames } from '../../meta/naming.ts';
import type { CustomResources } from '../../extension/custom-resources/index.ts';
import type { HealthCheck } from '../../observe/health-checks.ts';
import type { Logger } from '../../observe/log.ts';
import type { ResourceCatalogue, ResourceVerbs } from '../../registry/types.ts';
import { followCollection } from '../../storage/follow-collection.ts';
import type { Storage } from '../../storage/types.ts';
import { Keeper } from '../keeper.ts';
import { builtInServices, customServices, ownGroup, type WantedService } from './wanted.ts';
import { ServiceWriter, type Occasion } from './writer.ts';

export interface ApiServicesParts {
  readonly builtIn: ResourceCatalogue;
  readonly custom: Pick<CustomResources['catalogue'], 'fresh' | 'onChange'>;
  readonly storage: Pick<Storage, 'watch' | 'view'>;
  readonly verbs: ResourceVerbs;
  readonly logger: Logger;
}

export interface ApiServices {
  /** Fails while built-in APIServices have not been seen since the start. */
  readonly check: HealthCheck;
  /**
   * Reconciles all APIServices.
   * @throws StatusError if etcd is unavailable
   */
  ensure(signal: AbortSignal): Promise<void>;
  /** Maintains them until the returned function is called. */
  keep(): () => Promise<void>;
}

/** Does nothing if the kind is not served in its storage version. */
export function buildApiServices(parts: ApiServicesParts): ApiServices {
  const { builtIn, custom, verbs, logger } = parts;
  const { naming } = builtIn;
  const resource = builtIn.resource(expandNames(ownGroup, naming), 'v1', 'apiservices');
  if (!resource) return notServed;
  const ownServices = builtInServices(builtIn);
  const writer = new ServiceWriter({ naming, resource, verbs });
  const settle = async (occasion: Occasion, signal: AbortSignal): Promise<void> => {
    // A definition that existed when its APIService was created must not be missed.
    const catalogue = await custom.fresh(signal);
    await writer.settle([...ownServices, ...customServices(catalogue, builtIn)], occasion, signal);
  };
  const look = (signal: AbortSignal): Promise<void> => settle('change', signal);
  const keeper = new Keeper({ what: 'APIServices', look, logger: logger.child({ room: 'apiservices' }) });
  const { collection } = resource.storage;
  return {
    check: completionCheck(ownServices, (name) => parts.storage.view(collection).get(name) !== undefined),
    ensure: (signal) => settle('start', signal),
    keep: () => keepFollowing(keeper, parts, collection),
  };
}

function keepFollowing(
  keeper: Keeper,
  { custom, storage }: ApiServicesParts,
  collection: string,
): () => Promise<void> {
  const stopping = new AbortController();
  const changed = (): void => {
    keeper.noteChange();
  };
  custom.onChange(changed);
  followCollection(storage, collection, { onState: changed, onEvents: changed }, stopping.signal);
  const end = keeper.start();
  return () => {
    stopping.abort();
    return end();
  };
}

/** An APIService that was seen once counts as registered. */
function completionCheck(
  services: readonly WantedService[],
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
