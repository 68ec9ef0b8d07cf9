/** A registry over a real etcd, in this process: what the HTTP room would call, without HTTP. */
import { createAdmissionChain } from '../../src/admission/admission-chain.ts';
import { createNamespaceLifecycle } from '../../src/admission/namespace-lifecycle.ts';
import { builtInGroups } from '../../src/api/index.ts';
import { loadCatalogueSchemas } from '../../src/api/schemas.ts';
import { systemEnvironment } from '../../src/base/environment.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { namingProfiles } from '../../src/meta/naming.ts';
import type { ApiObject } from '../../src/meta/object.ts';
import { StatusError } from '../../src/meta/status.ts';
import type { RegistryDeps } from '../../src/registry/registry-context.ts';
import { buildCatalogue } from '../../src/registry/catalogue/catalogue.ts';
import { entryObject } from '../../src/registry/written-entry.ts';
import { ParsedObjects } from '../../src/registry/write/parsed-objects.ts';
import { createRegistry } from '../../src/registry/registry.ts';
import type {
  DeleteOptions,
  ListOptions,
  RequestScope,
  ResourceVerbs,
  WatchItem,
  WatchQuery,
  WatchSink,
} from '../../src/registry/types.ts';
import type { StorageOptions } from '../../src/storage/options.ts';
import { createEtcdStorage, type EtcdStorage } from '../../src/storage/storage.ts';
import type { Entry, Storage } from '../../src/storage/types.ts';
import { deepFrozen } from './deep-frozen.ts';
import { startEtcdCluster, type EtcdCluster } from './etcd/cluster.ts';
import { memoryLines } from './etcd/memory-cluster.ts';
import { shareEtcd, type SharedEtcd } from './etcd/shared.ts';
import { mayCreate } from '../../src/registry/write/own-writes.ts';

const naming = namingProfiles.orch;
const schemas = loadCatalogueSchemas(naming);

export const catalogue = buildCatalogue({ naming, groups: builtInGroups, schemas, isEnabled: () => true });

export interface TestRegistry {
  readonly verbs: ResourceVerbs;
  readonly storage: EtcdStorage;
  readonly etcd: SharedEtcd | EtcdCluster;
  close(): Promise<void>;
}

const silent = {
  debug: (): void => undefined,
  info: (): void => undefined,
  warn: (): void => undefined,
  error: (): void => undefined,
};

/** @param which an etcd of its own is for tests that reach behind the registry, or compare revisions of lists */
export async function startRegistry(
  which: 'shared' | 'own' = 'shared',
  more: Pick<StorageOptions, 'recode'> = {},
): Promise<TestRegistry> {
  const etcd = which === 'own' ? await startEtcdCluster({ how: 'process' }) : await shareEtcd();
  const storage = await createEtcdStorage({
    endpoints: etcd.endpoints,
    ...memoryLines(etcd.endpoints),
    ...('prefix' in etcd && { prefix: etcd.prefix, compactionIntervalMs: 0 }),
    logger: silent,
    metrics: { observeEtcdRequest: () => undefined },
    ...more,
  });
  await storage.ready();
  const close = async (): Promise<void> => {
    await storage.close();
    await etcd.close();
  };
  return { verbs: verbsOver(storage), storage, etcd, close };
}

/** Gates that are on. */
const specified: ReadonlySet<string> = new Set([
  'APIListChunking',
  'RemainingItemCount',
  'RetryGenerateName',
]);

/** The verbs as a replica has them whose storage this is. */
export function verbsOver(
  storage: Storage,
  isFeatureEnabled: (gate: string) => boolean = (gate) => specified.has(gate),
  changes: Partial<RegistryDeps> = {},
): ResourceVerbs {
  const namespaces = createNamespaceLifecycle({
    peek: (name) => asObject(storage.peek('core/namespaces', name)),
    read: async (name, signal) =>
      asObject(await storage.get('core/namespaces', name, { kind: 'mostRecent' }, signal)),
  });
  const admission = createAdmissionChain([namespaces]);
  return createRegistry({
    storage,
    catalogue,
    admission,
    isFeatureEnabled,
    collectsGarbage: true,
    ...systemEnvironment,
    written: new FrozenObjects(),
    ...changes,
  });
}

/** What writes share fails whoever changes it. */
class FrozenObjects extends ParsedObjects {
  override get(entry: Entry): ApiObject | undefined {
    return deepFrozen(super.get(entry));
  }
}

function asObject(
  entry: Parameters<typeof entryObject>[0] | undefined,
): ReturnType<typeof entryObject> | undefined {
  return entry && entryObject(entry);
}

export interface ScopeOptions {
  readonly group?: string;
  readonly namespace?: string;
  readonly subresource?: string;
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
}

/** A request's scope on a resource of version v1. Its signal is inherited, as that of HTTP requests is: a copy loses it. */
export function scope(plural: string, options: ScopeOptions = {}): RequestScope {
  const resource = catalogue.resource(options.group ?? '', 'v1', plural);
  if (!resource) throw new Error(`no resource ${plural}`);
  const signal = options.signal ?? new AbortController().signal;
  const own: Omit<RequestScope, 'signal'> = {
    resource,
    namespace: options.namespace ?? '',
    subresource: options.subresource ?? '',
    user: { name: 'tester', uid: '', groups: [], extra: {} },
    dryRun: options.dryRun ?? false,
    fieldManager: 'test',
    assertMayCreate: mayCreate,
    warn: () => undefined,
  };
  return Object.assign(Object.create({ signal }) as Pick<RequestScope, 'signal'>, own);
}

export const everything: ListOptions = {
  ...{
    labelSelector: '',
    fieldSelector: '',
    resourceVersion: '',
    resourceVersionMatch: '',
    limit: 0,
    continue: '',
  },
};

/** A deletion without options. */
export const plainDelete: DeleteOptions = {
  ...{
    gracePeriodSeconds: undefined,
    propagationPolicy: undefined,
    orphanDependents: undefined,
    preconditions: undefined,
  },
};

export const fromNow: WatchQuery = {
  ...{ labelSelector: '', fieldSelector: '', resourceVersion: '', resourceVersionMatch: '', name: '' },
  ...{ allowWatchBookmarks: false, sendInitialEvents: undefined },
};

export function configMap(name: string, data: JsonObject = {}, labels: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels }, data };
}

/** The Status that a call is answered with. */
export async function statusOf(call: Promise<unknown>): Promise<StatusError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof StatusError) return error;
  throw error instanceof Error ? error : new Error('the call was expected to be refused');
}

/** Gathers what a watch gives. */
export class RecordingSink implements WatchSink {
  readonly seen: string[] = [];
  readonly errors: unknown[] = [];
  readonly bookmarks: number[] = [];

  onItems(items: readonly WatchItem[]): void {
    for (const { type, event } of items) this.seen.push(`${type} ${event.key}`);
  }

  onBookmark(revision: number): void {
    this.bookmarks.push(revision);
  }

  onError(status: unknown): void {
    this.errors.push(status);
  }

  ready(): Promise<void> {
    return Promise.resolve();
  }
}
