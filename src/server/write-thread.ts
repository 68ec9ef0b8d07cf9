/** What a write thread runs: the write path over the storage of the serving thread. */
import { loadCatalogueSchemas } from '../api/schemas.ts';
import { systemEnvironment } from '../base/environment.ts';
import { Representations } from '../http/representation/negotiation.ts';
import { createWireTypes } from '../http/wire-types.ts';
import { namingProfiles } from '../meta/naming.ts';
import { createFeatureGates } from '../observe/feature-gates.ts';
import { featuresOf } from '../observe/release-gates.ts';
import { createLogger, levelOfVerbosity } from '../observe/log.ts';
import { createServerMetrics } from '../observe/server-metrics.ts';
import type { ThreadWritePath, WritePathParts } from '../write-threads/thread-life.ts';
import { runThread } from '../write-threads/thread-process.ts';
import { buildWritePath } from './write-path.ts';

const neverOver = { aborted: false, reason: undefined };

/** The same write path as in the serving thread, over the storage of that thread. */
function openWritePath({ config, logFd, ...parts }: WritePathParts): ThreadWritePath {
  const gates = createFeatureGates(config.featureGates, featuresOf(config.emulatedRelease));
  const serverMetrics = createServerMetrics(parts.metrics);
  const schemas = loadCatalogueSchemas(namingProfiles[config.naming], config.emulatedRelease.minor);
  const { verbs, ownVerbs, catalogue, customResources, authorization } = buildWritePath(config, {
    ...{ ...parts, environment: systemEnvironment, schemas },
    isFeatureEnabled: (gate) => gates.isEnabled(gate),
    serverMetrics,
    logger: createLogger({
      clock: systemEnvironment.clock,
      level: levelOfVerbosity(config.verbosity),
      format: config.logFormat,
      fields: { thread: 'write' },
      ...(logFd !== undefined && { fd: logFd }),
    }),
  });
  return {
    verbs,
    ownVerbs,
    catalogue,
    types: createWireTypes(() => customResources.catalogue.current(), schemas, {
      speaksCbor: gates.isEnabled('CBORServingAndStorage'),
    }),
    // The serving thread caches what is worth it.
    representations: new Representations({ ...systemEnvironment, metrics: serverMetrics, cacheBytes: 0 }),
    freshCatalogue: () => customResources.catalogue.fresh(neverOver),
    authorizationLoaded: authorization.loaded,
    use: (credentials) => {
      authorization.use(credentials);
    },
  };
}

await runThread(openWritePath);
