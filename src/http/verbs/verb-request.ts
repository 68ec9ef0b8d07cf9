/** The input of verb handlers: the routed request and the services. */
import type { NamingProfile } from '../../meta/naming.ts';
import type { Logger } from '../../observe/log.ts';
import type { ServerMetrics } from '../../observe/server-metrics.ts';
import type { StreamingLists } from '../../registry/read/streaming-lists.ts';
import type { RequestScope, ResourceVerbs, ServedResource } from '../../registry/types.ts';
import type { BodyLimits } from '../body.ts';
import type { RequestContext } from '../request-context.ts';
import { assertAllowed } from '../filters/authorization.ts';
import type { SentFields, WriteOptions, WriteRules } from '../options/write-options.ts';
import type { PassOn } from '../pass-on.ts';
import type { LargeForms } from '../representation/large-forms.ts';
import type { Representations } from '../representation/negotiation.ts';
import type { WatchLimits, OpenWatches } from '../watch/open-watches.ts';
import type { WireTypes } from '../wire-types.ts';
import type { LargeWrites } from '../writes/large-writes.ts';
import type { WriteScope } from '../writes/perform-write.ts';

export interface VerbDeps {
  readonly verbs: ResourceVerbs;
  readonly naming: NamingProfile;
  readonly representations: Representations;
  readonly metrics: ServerMetrics;
  readonly logger: Logger;
  readonly bodyLimits: BodyLimits;
  /** Types of Protobuf bodies; absent if Protobuf is disabled. */
  readonly types?: WireTypes;
  /** Runs large writes in another thread; without it the serving thread does. */
  readonly largeWrites?: LargeWrites;
  /** Makes the forms of large objects in another thread; without it the serving thread does. */
  readonly largeForms?: LargeForms;
  readonly streamingLists: StreamingLists;
  readonly writeRules: WriteRules;
  readonly watchLimits: WatchLimits;
  readonly watches: OpenWatches;
  /** Makes connections to nodes, pods and services; absent if there are none to be reached. */
  readonly passOn?: PassOn | undefined;
  /** Streams of pods need the verb `create` also where they begin with a GET, as those over a WebSocket do. */
  readonly streamsNeedCreate?: boolean | undefined;
}

/** Whether CBOR is accepted and offered. */
export function speaksCbor({ types }: Pick<VerbDeps, 'types'>): boolean {
  return types?.speaksCbor === true;
}

export interface ResourceRequest {
  readonly context: RequestContext;
  readonly resource: ServedResource;
  /** Name in the path, '' for a collection. */
  readonly name: string;
}

/** Serves a routed request; throws StatusError. */
export type VerbHandler = (request: ResourceRequest, deps: VerbDeps) => Promise<void>;

/** The scope of a read. */
export function readScope(request: ResourceRequest): WriteScope {
  return writeScope(request, { dryRun: false, fieldManager: '' });
}

/** The scope of a write; also notes the dry run for the metrics. */
export function writeScope(
  { context, resource }: ResourceRequest,
  options: WriteOptions,
  growth?: RequestScope['growth'],
): WriteScope {
  context.dryRun = options.dryRun;
  return new HttpScope(context, resource, { ...options, growth });
}

/**
 * A class, not a literal with a getter: V8 creates a hidden class for every such literal, which keeps the request
 * alive until the next full GC (16 MB of each 20 MB survived a scavenge; a get cost 50 % more).
 */
class HttpScope implements WriteScope {
  readonly resource: ServedResource;
  readonly namespace: string;
  readonly subresource: string;
  readonly user: RequestScope['user'];
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation?: SentFields;
  readonly growth?: 'stays' | 'moves';
  readonly lifetime: RequestContext;

  constructor(
    context: RequestContext,
    resource: ServedResource,
    options: WriteOptions & { readonly growth: RequestScope['growth'] },
  ) {
    this.resource = resource;
    this.namespace = resource.namespaced ? context.info.namespace : '';
    this.subresource = context.info.subresource;
    this.user = context.user;
    this.dryRun = options.dryRun;
    this.fieldManager = options.fieldManager;
    if (options.fieldValidation) this.fieldValidation = options.fieldValidation;
    if (options.growth) this.growth = options.growth;
    this.lifetime = context;
  }

  get signal(): AbortSignal {
    return this.lifetime.signal;
  }

  readonly warn = (text: string): void => {
    this.lifetime.warn(text);
  };

  readonly annotate: NonNullable<RequestScope['annotate']> = (key, value, level) => {
    this.lifetime.annotate(key, value, level);
  };

  async assertMayCreate(): Promise<void> {
    const { user, info, phase } = this.lifetime;
    const asked = { user, info: { ...info, verb: 'create' } };
    assertAllowed(user, asked.info, await phase.authorizer.authorize(asked));
  }
}
