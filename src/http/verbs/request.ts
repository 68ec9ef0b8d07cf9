/** What every verb gets: the request as routed, and the services it works with. */
import type { NamingProfile } from '../../meta/naming.ts';
import type { Logger } from '../../observe/log.ts';
import type { ServerMetrics } from '../../observe/server-metrics.ts';
import type { RequestScope, ResourceVerbs, ServedResource } from '../../registry/types.ts';
import type { BodyLimits } from '../body.ts';
import type { RequestContext } from '../context.ts';
import type { WriteOptions } from '../options/write-options.ts';
import type { Representations } from '../representation/negotiation.ts';
import type { WatchLimits, WatchRoom } from '../watch/watch-room.ts';

export interface VerbDeps {
  readonly verbs: ResourceVerbs;
  readonly naming: NamingProfile;
  readonly representations: Representations;
  readonly metrics: ServerMetrics;
  readonly logger: Logger;
  readonly bodyLimits: BodyLimits;
  readonly watchLimits: WatchLimits;
  readonly watches: WatchRoom;
}

export interface ResourceRequest {
  readonly context: RequestContext;
  readonly resource: ServedResource;
  /** Name in the path, '' for a collection. */
  readonly name: string;
}

/** Answers a routed request; throws StatusError. */
export type VerbHandler = (request: ResourceRequest, deps: VerbDeps) => Promise<void>;

/** The scope of a read. */
export function readScope(request: ResourceRequest): RequestScope {
  return writeScope(request, { dryRun: false, fieldManager: '' });
}

/** The scope of a write; also notes the dry run for the metrics. */
export function writeScope({ context, resource }: ResourceRequest, options: WriteOptions): RequestScope {
  context.dryRun = options.dryRun;
  return {
    resource,
    namespace: resource.namespaced ? context.info.namespace : '',
    subresource: context.info.subresource,
    user: context.user,
    dryRun: options.dryRun,
    fieldManager: options.fieldManager,
    ...(options.fieldValidation && { fieldValidation: options.fieldValidation }),
    get signal(): AbortSignal {
      return context.signal;
    },
    warn: (text) => {
      context.warn(text);
    },
  };
}
