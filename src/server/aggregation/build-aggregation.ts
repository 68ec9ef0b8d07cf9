/** Aggregated APIs of a replica: from the APIServices to what the HTTP handler needs of them. */
import type { Environment } from '../../base/environment.ts';
import { Paced } from '../../base/paced.ts';
import { expandNames } from '../../meta/naming.ts';
import type { ApiPlaces } from '../../client/api-places.ts';
import { controllerUser } from '../../client/in-process-client.ts';
import { AggregatedApis, type RegisteredService } from '../../extension/aggregated-apis/index.ts';
import type { ApiHandlerDeps } from '../../http/api-handler.ts';
import type { Step } from '../../http/filters/step.ts';
import { OpenApiThread } from '../../http/openapi/remote/openapi-thread.ts';
import { RemoteOpenApi, type RemoteDescription } from '../../http/openapi/remote/remote-openapi.ts';
import { groupVersionOf, type RegisteredApi, type RemoteApis } from '../../http/remote-apis.ts';
import { createAggregationMetrics } from '../../observe/aggregation-metrics.ts';
import type { Logger } from '../../observe/log.ts';
import type { Metrics } from '../../observe/metrics.ts';
import { RepeatedLines } from '../../observe/repeated-lines.ts';
import type { ServerMetrics } from '../../observe/server-metrics.ts';
import type { CompletedConfig } from '../../options/complete-config.ts';
import type { Credentials } from '../../options/credentials.ts';
import type { ResourceCatalogue, ResourceVerbs, ServedResource } from '../../registry/types.ts';
import type { Storage } from '../../storage/types.ts';
import { createStorageReader } from '../admission/storage-reader.ts';
import { serviceRouting } from '../services/service-routing.ts';
import { openApiThreadProgram } from '../programs.ts';
import { RemoteRequests } from './serve-remote.ts';

export interface AggregationParts {
  readonly environment: Environment;
  readonly builtIn: ResourceCatalogue;
  readonly storage: Pick<Storage, 'view' | 'watch' | 'peek' | 'get'>;
  readonly isFeatureEnabled: (gate: string) => boolean;
  readonly credentials: Pick<Credentials, 'proxyClient'>;
  readonly metrics: Metrics;
  readonly serverMetrics: ServerMetrics;
  readonly logger: Logger;
}

export interface Aggregation {
  /** Dependencies of the HTTP handler. */
  readonly http: Pick<ApiHandlerDeps, 'remoteApis' | 'remoteOpenApi' | 'isPassedOn'>;
  /** Where controllers of this process find group versions. */
  readonly places: ApiPlaces;
  /** Starts to check servers and to fetch their documents, until the returned function is called. */
  keep(verbs: ResourceVerbs): () => Promise<void>;
  use(credentials: Pick<Credentials, 'proxyClient'>): void;
  /** Called when group versions may have moved to another server; `isRemote` says which are there now. */
  onMove(listener: (isRemote: (group: string, version: string) => boolean) => void): void;
  /** Call it before the storage is closed. */
  close(): Promise<void>;
}

export function buildAggregation(config: CompletedConfig, parts: AggregationParts): Aggregation {
  const { builtIn, storage, credentials, metrics, serverMetrics } = parts;
  const log = parts.logger.child({ component: 'aggregator' });
  const aggregationMetrics = createAggregationMetrics(metrics);
  const passesUid = parts.isFeatureEnabled('RemoteRequestHeaderUID');
  const apis = new AggregatedApis({
    ...{ naming: builtIn.naming, storage, reader: createStorageReader(storage), ...parts.environment, log },
    ...{ routing: serviceRouting(config), certificate: credentials.proxyClient, passesUid },
    metrics: aggregationMetrics,
  });
  const thread = new OpenApiThread(openApiThreadProgram, parts.environment.clock);
  const remoteOpenApi = new RemoteOpenApi({ thread, metrics: aggregationMetrics, log });
  const { clock } = parts.environment;
  const failures = new RepeatedLines({ clock, logger: log, keyOf: ({ apiService }) => String(apiService) });
  const requests = new RemoteRequests({ clock, apis, passesUid, metrics: serverMetrics, log: failures });
  const remoteApis = createRemoteApis(apis, requests);
  // It looks at all of them: hundreds of servers may say another thing each time.
  const describing = new Paced(describer(apis, remoteOpenApi), clock);
  const describe = (): void => describing.note();
  apis.onDocumentChange(describe);
  apis.onRegistrationChange(describe);
  endMoved(apis, requests);
  const resource = resourceOf(builtIn);
  return {
    places: apis.placesFor(controllerUser),
    http: { remoteApis, remoteOpenApi, isPassedOn: passedOn(remoteApis) },
    keep: (verbs) => {
      if (resource) apis.keep(resource, verbs);
      return () => apis.close();
    },
    use: ({ proxyClient }) => {
      apis.use(proxyClient);
    },
    onMove: (listener) => {
      whenMoved(apis, listener);
    },
    close: () => {
      thread.close();
      failures.close();
      describing.close();
      return apis.close();
    },
  };
}

function passedOn(apis: RemoteApis): NonNullable<ApiHandlerDeps['isPassedOn']> {
  return (info) => {
    const target = groupVersionOf(info);
    return target !== undefined && apis.serving(target.group, target.version) !== undefined;
  };
}

function resourceOf(builtIn: ResourceCatalogue): ServedResource | undefined {
  return builtIn.resource(expandNames('apiregistration.{api}', builtIn.naming), 'v1', 'apiservices');
}

function createRemoteApis(apis: AggregatedApis, requests: RemoteRequests): RemoteApis {
  const steps = new WeakMap<RegisteredService, Step>();
  let of: unknown;
  let registered: readonly RegisteredApi[] = [];
  apis.onDocumentChange(() => {
    of = undefined;
  });
  return {
    serving: (group, version) => {
      const service = apis.registrations().remote(group, version);
      if (!service) return undefined;
      const step = steps.get(service) ?? requests.stepFor(service);
      steps.set(service, step);
      return step;
    },
    registered: () => {
      const registrations = apis.registrations();
      if (of !== registrations)
        registered = registrations.ordered.map((service) => registeredApi(apis, service));
      of = registrations;
      return registered;
    },
    drain: () => requests.endAll(),
  };
}

function registeredApi(apis: AggregatedApis, service: RegisteredService): RegisteredApi {
  const { name, group, version, isAvailable, backend } = service;
  if (!backend) return { group, version, remote: undefined };
  const { resources } = apis.documents(name);
  return {
    group,
    version,
    remote: { resources: resources ?? [], isFresh: isAvailable && resources !== undefined },
  };
}

/** Hands descriptions over; those that say the same stay the same values. */
function describer(apis: AggregatedApis, remoteOpenApi: RemoteOpenApi): () => void {
  let known = new Map<string, RemoteDescription>();
  return () => {
    const next = apis.registrations().remotes.flatMap(({ name, group, version }) => {
      const { openApiV2: v2, openApiV3: v3 } = apis.documents(name);
      if (!v2 && !v3) return [];
      const before = known.get(name);
      return [before?.v2 === v2 && before?.v3 === v3 && before ? before : { name, group, version, v2, v3 }];
    });
    known = new Map(next.map((description) => [description.name, description]));
    remoteOpenApi.update(next);
  };
}

/** A look at all watches: only where a group version has moved to another server. */
function whenMoved(
  apis: AggregatedApis,
  listener: (isRemote: (group: string, version: string) => boolean) => void,
): void {
  const isRemote = (group: string, version: string): boolean =>
    apis.registrations().remote(group, version) !== undefined;
  const moved = new Set<string>();
  apis.onRegistrationChange((names) => {
    for (const name of names) if (!apis.service(name)?.backend) moved.delete(name);
    const left = moved.size;
    for (const name of names) if (apis.service(name)?.backend) moved.add(name);
    if (moved.size > left) listener(isRemote);
  });
}

/** A service that is registered in another way, or no more, has no long-running requests left. */
function endMoved(apis: AggregatedApis, requests: RemoteRequests): void {
  const wishes = new Map<string, string>();
  apis.onRegistrationChange((names) => {
    for (const name of names) {
      const wish = apis.service(name)?.wish ?? '';
      if ((wishes.get(name) ?? '') !== wish) requests.end(name);
      if (wish === '') wishes.delete(name);
      else wishes.set(name, wish);
    }
  });
}
