/**
 * The write path: catalogue, authorization for admission, admission, registry. A replica has one over its storage;
 * each write thread has one over a remote storage.
 */
import { readyRanges, serviceCidrCollection } from '../registry/allocation/service-cidrs.ts';
import { parseServiceRanges } from '../api/core/service/value-range.ts';
import { builtInGroups } from '../api/index.ts';
import { policyCollections, rbacGroup } from '../authz/rbac/policy-objects.ts';
import type { Environment } from '../base/environment.ts';
import type { SchemaSet } from '../schema/load-proto.ts';
import { KeyedQueue } from '../base/keyed-queue.ts';
import {
  CustomResources,
  definitionCollection,
  type CustomResourcesParts,
} from '../extension/custom-resources/index.ts';
import { namingProfiles, type NamingProfile } from '../meta/naming.ts';
import { countRequests } from '../observe/client-metrics.ts';
import { createExtensionMetrics } from '../observe/extension-metrics.ts';
import type { Logger } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { ServerMetrics } from '../observe/server-metrics.ts';
import { buildCatalogue } from '../registry/catalogue/catalogue.ts';
import type { RegistryDeps } from '../registry/registry-context.ts';
import type { Current } from '../registry/written-entry.ts';
import { createRegistry } from '../registry/registry.ts';
import type { AdmissionChain, ResourceCatalogue, ResourceVerbs } from '../registry/types.ts';
import type { CollectionId, Storage } from '../storage/types.ts';
import {
  policyCollections as admissionPolicyCollections,
  type PolicyPrefix,
} from '../admission/policy/policy-index.ts';
import { configurationsGroup } from '../admission/webhook/configurations.ts';
import { buildAdmission, type Admission } from './admission/build-admission.ts';
import { createServiceResolver } from '../webhook/service-resolver.ts';
import { serviceRouting } from './services/service-routing.ts';
import { createStorageReader } from './admission/storage-reader.ts';
import { WebhookClients } from '../webhook/webhook-clients.ts';
import {
  buildAuthorization,
  type Authorization,
  type AuthorizationParts,
} from './authorization/build-authorization.ts';
import { servedVersions } from '../options/api/served-versions.ts';
import type { CompletedConfig } from '../options/complete-config.ts';
import type { Credentials } from '../options/credentials.ts';

export interface WritePath {
  /** Built-in kinds only. */
  readonly builtIn: ResourceCatalogue;
  /** With custom resources; always current. */
  readonly catalogue: ResourceCatalogue;
  /** The caller closes it before the storage. */
  readonly customResources: CustomResources;
  /** The caller closes it before the storage. */
  readonly authorization: Authorization;
  readonly admission: Admission;
  readonly verbs: ResourceVerbs;
  /** For objects that the service maintains: without admission webhooks. */
  readonly ownVerbs: ResourceVerbs;
}

export interface WritePathParts {
  /** Time and randomness of the replica. */
  readonly environment: Environment;
  readonly schemas: SchemaSet;
  readonly storage: Storage;
  readonly credentials: Pick<Credentials, 'webhooks' | 'structuredAuthorization'>;
  readonly isFeatureEnabled: (gate: string) => boolean;
  readonly metrics: Metrics;
  readonly serverMetrics: ServerMetrics;
  readonly logger: Logger;
  /** As that of `AuthorizationParts`. */
  readonly readRoles?: AuthorizationParts['readRoles'];
  /** Tokens and reviews, which need authentication. Absent if they are not served here. */
  readonly reviews?: (authorization: Authorization) => Pick<RegistryDeps, 'tokens' | 'reviewer'>;
}

/** The collections that a write path follows: a write thread has a copy of each. @param policies kinds of admission policies that count */
export function followedCollections(
  naming: NamingProfile,
  policies: readonly PolicyPrefix[] = [],
): CollectionId[] {
  return [
    definitionCollection(naming),
    ...policyCollections(rbacGroup(naming)),
    ...policies.flatMap((prefix) => admissionPolicyCollections(configurationsGroup(naming), prefix)),
  ];
}

/** Starts to follow policy and definitions; the caller closes the parts before the storage. */
export function buildWritePath(config: CompletedConfig, parts: WritePathParts): WritePath {
  const { environment, schemas, storage, credentials, isFeatureEnabled } = parts;
  const { metrics, serverMetrics, logger } = parts;
  const naming = namingProfiles[config.naming];
  const builtIn = builtInCatalogue(config, naming, parts);
  const customResources = createCustomResources(
    config,
    { ...environment, builtIn, schemas, isFeatureEnabled, storage, logger },
    parts,
  );
  const catalogue = customResources.live();
  const authorizesRequests = parts.reviews !== undefined;
  const authorization = buildAuthorization(config, {
    ...{ environment, credentials, naming, storage, logger, authorizesRequests, metrics, serverMetrics },
    ...{ isFeatureEnabled, readRoles: parts.readRoles },
  });
  const admission = buildAdmission(config, {
    ...{ environment, naming, storage, catalogue, isFeatureEnabled, metrics, serverMetrics, logger },
    authorizer: authorization.authorizer,
    verbs: () => verbs,
  });
  // Writes to the same object are serialized across both.
  const writerQueue = new KeyedQueue<Current>();
  const { clusterIpRanges, nodePortRange } = config.services;
  const ranges = parseServiceRanges(clusterIpRanges, nodePortRange);
  const cidrs = serviceCidrCollection(naming);
  const addedRanges = isFeatureEnabled('MultiCIDRServiceAllocator')
    ? () => readyRanges(storage, cidrs)
    : undefined;
  const withAdmission = (chain: AdmissionChain): ResourceVerbs =>
    createRegistry({
      ...{ storage, catalogue, isFeatureEnabled, writerQueue, ranges, addedRanges },
      admission: authorization.guarded(chain),
      ...environment,
      release: config.emulatedRelease,
      // Without a garbage collector its finalizers would never be removed.
      collectsGarbage: config.collectsGarbage,
      allowsPrivileged: config.allowsPrivileged,
      deleteCollectionWorkers: config.deleteCollectionWorkers,
      ...parts.reviews?.(authorization),
    });
  const verbs = withAdmission(admission.chain);
  const ownVerbs = withAdmission(admission.ownChain);
  return { builtIn, catalogue, customResources, authorization, admission, verbs, ownVerbs };
}

/** Catalogues of replicas of this process, which share them if their flags are equal. */
const catalogues = new WeakMap<SchemaSet, Map<string, ResourceCatalogue>>();
/** For tests of many different flags in one process. */
const mostCatalogues = 4;

function builtInCatalogue(
  config: CompletedConfig,
  naming: NamingProfile,
  parts: Pick<WritePathParts, 'schemas' | 'isFeatureEnabled'>,
): ResourceCatalogue {
  const { emulatedRelease, runtimeConfig, featureGates } = config;
  const decides = JSON.stringify([emulatedRelease, runtimeConfig, featureGates]);
  const made = catalogues.get(parts.schemas) ?? new Map<string, ResourceCatalogue>();
  catalogues.set(parts.schemas, made);
  const catalogue = made.get(decides) ?? makeCatalogue(config, naming, parts);
  // The one that is used comes last.
  made.delete(decides);
  made.set(decides, catalogue);
  if (made.size > mostCatalogues) made.delete([...made.keys()][0] ?? '');
  return catalogue;
}

function makeCatalogue(
  config: CompletedConfig,
  naming: NamingProfile,
  { schemas, isFeatureEnabled }: Pick<WritePathParts, 'schemas' | 'isFeatureEnabled'>,
): ResourceCatalogue {
  const builtIn = { naming, groups: builtInGroups, schemas };
  const isEnabled = servedVersions(config);
  return buildCatalogue({ ...builtIn, isEnabled, isFeatureEnabled, release: config.emulatedRelease });
}

interface Extended
  extends Pick<CustomResourcesParts, 'builtIn' | 'schemas' | 'isFeatureEnabled'>, Environment {
  readonly storage: Storage;
  readonly logger: Logger;
}

function createCustomResources(
  config: CompletedConfig,
  { logger, ...parts }: Extended,
  { metrics, serverMetrics }: Pick<WritePathParts, 'metrics' | 'serverMetrics'>,
): CustomResources {
  const { representationsMade, representationsEvicted, representationBytes } = serverMetrics;
  const resolve = createServiceResolver(
    createStorageReader(parts.storage),
    serviceRouting(config),
    parts.random,
  );
  return new CustomResources({
    ...parts,
    release: config.emulatedRelease,
    log: logger.child({ component: 'extension' }),
    webhooks: new WebhookClients(resolve, parts.builtIn.naming, {
      clock: parts.clock,
      random: parts.random,
      exactNumbers: true,
      onSent: countRequests(serverMetrics),
    }),
    metrics: createExtensionMetrics(metrics),
    cachedCells: {
      made: representationsMade.series(),
      evicted: representationsEvicted.series(),
      size: representationBytes.series({ kind: 'converted' }),
    },
  });
}
