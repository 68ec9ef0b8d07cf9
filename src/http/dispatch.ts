/**
 * Dispatches resource requests by path and verb to handlers. There is no route per kind: the catalogue lists the
 * resources.
 */
import type { ResourceCatalogue, ServedResource } from '../registry/types.ts';
import { methodNotSupported, unknownResource } from '../meta/status.ts';
import type { SubresourceDefinition } from '../api/types.ts';
import type { Lifetime } from '../storage/types.ts';
import { groupVersionOf, type RemoteApis } from './remote-apis.ts';
import type { RequestContext } from './request-context.ts';
import { isReadOnly } from './filters/request-metrics.ts';
import type { Step } from './filters/step.ts';
import { sendNotFoundPage } from './respond.ts';
import { serveAction } from './verbs/serve-action.ts';
import { serveConnect } from './verbs/serve-connect.ts';
import { serveCreate } from './verbs/serve-create.ts';
import { serveDeleteCollection } from './verbs/serve-delete-collection.ts';
import { serveDelete } from './verbs/serve-delete.ts';
import { serveGet } from './verbs/serve-get.ts';
import { serveList } from './verbs/serve-list.ts';
import { servePatch } from './verbs/serve-patch.ts';
import { serveReplace } from './verbs/serve-replace.ts';
import { serveWatch } from './verbs/serve-watch.ts';
import type { VerbDeps, VerbHandler } from './verbs/verb-request.ts';

interface VerbRoute {
  readonly handler: VerbHandler;
  /** `one` requires a name, `many` must have none, `any` allows both (watch). */
  readonly target: 'one' | 'many' | 'any';
  /** Works on all namespaces at once. */
  readonly acrossNamespaces: boolean;
}

const verbRoutes: ReadonlyMap<string, VerbRoute> = new Map([
  ['get', { handler: serveGet, target: 'one', acrossNamespaces: false }],
  ['list', { handler: serveList, target: 'many', acrossNamespaces: true }],
  ['watch', { handler: serveWatch, target: 'any', acrossNamespaces: true }],
  ['create', { handler: serveCreate, target: 'many', acrossNamespaces: false }],
  ['update', { handler: serveReplace, target: 'one', acrossNamespaces: false }],
  ['patch', { handler: servePatch, target: 'one', acrossNamespaces: false }],
  ['delete', { handler: serveDelete, target: 'one', acrossNamespaces: false }],
  ['deletecollection', { handler: serveDeleteCollection, target: 'many', acrossNamespaces: false }],
]);

/** Verbs that read or write the object itself under a subresource path. */
const objectSubresourceVerbs: ReadonlySet<string> = new Set(['get', 'update', 'patch']);

export interface DispatchDeps extends VerbDeps {
  readonly catalogue: () => ResourceCatalogue;
  /**
   * Returns a catalogue with every change that any client has seen; called only for resources that this one lacks.
   */
  readonly freshCatalogue?: (lifetime: Lifetime) => Promise<ResourceCatalogue>;
  readonly noteDeprecation: (context: RequestContext, resource: ServedResource) => void;
  /** Absent if other servers answer for nothing. */
  readonly remoteApis?: Pick<RemoteApis, 'serving'> | undefined;
  /** Serves non-resource requests. */
  readonly plain: Step;
}

/** The last step of the chain. */
export function createDispatch(deps: DispatchDeps): Step {
  return function dispatch(context: RequestContext): void | Promise<void> {
    const { info } = context;
    const remote = deps.remoteApis && servingElsewhere(context, deps.remoteApis);
    if (remote) return remote(context);
    if (!info.isResourceRequest) return deps.plain(context);
    const resource = deps.catalogue().resource(info.apiGroup, info.apiVersion, info.resource);
    return resource ? serve(context, resource, deps) : serveUnknown(context, deps);
  };
}

/** Serves the request if another server answers for its group version. */
function servingElsewhere(
  { info }: RequestContext,
  remoteApis: Pick<RemoteApis, 'serving'>,
): Step | undefined {
  const target = groupVersionOf(info);
  return target && remoteApis.serving(target.group, target.version);
}

function serve(context: RequestContext, resource: ServedResource, deps: DispatchDeps): Promise<void> {
  context.resource = resource;
  const handler = route(context, resource);
  deps.noteDeprecation(context, resource);
  const serveIt = (): Promise<void> =>
    handler({ context, resource, name: context.info.parts[1] ?? '' }, deps);
  const ready = isReadOnly(context) ? undefined : resource.prepare?.();
  return ready ? ready.then(serveIt) : serveIt();
}

/** Another replica may already serve a resource that this catalogue lacks. */
async function serveUnknown(context: RequestContext, deps: DispatchDeps): Promise<void> {
  const { apiGroup, apiVersion, resource: plural } = context.info;
  const catalogue = (await deps.freshCatalogue?.(context)) ?? deps.catalogue();
  const resource = catalogue.resource(apiGroup, apiVersion, plural);
  if (resource) return serve(context, resource, deps);
  // As in kube-apiserver: a plain page for an unknown group version, a Status for an unknown resource of a known one.
  if (hasGroupVersion(catalogue, apiGroup, apiVersion)) throw unknownResource();
  sendNotFoundPage(context);
}

function hasGroupVersion(catalogue: ResourceCatalogue, group: string, version: string): boolean {
  return catalogue.groups().some((g) => g.group === group && g.versions.some((v) => v.version === version));
}

/** @throws StatusError 404 for an unknown resource, 405 for an unsupported verb */
function route(context: RequestContext, resource: ServedResource): VerbHandler {
  const { info } = context;
  assertScope(context, resource);
  if (info.subresource !== '') return subresourceRoute(context, resource);
  const found = verbRoutes.get(info.verb);
  if (!found || !isAllowedMethod(context) || !resource.definition.verbs.includes(info.verb)) {
    throw methodNotSupported();
  }
  const isNamed = info.parts.length > 1;
  if (found.target !== 'any' && (found.target === 'one') !== isNamed) throw methodNotSupported();
  const isAcross = resource.namespaced && info.namespace === '';
  if (isAcross && !found.acrossNamespaces) throw methodNotSupported();
  return resource.definition.virtual === true ? serveAction : found.handler;
}

function subresourceRoute({ info, req }: RequestContext, resource: ServedResource): VerbHandler {
  const subresource = resource.subresource(info.subresource);
  if (!subresource) throw unknownResource();
  if (!isAllowedThere(subresource, info.verb, req.method ?? '')) throw methodNotSupported();
  if (subresource.type === 'connect') return serveConnect;
  if (subresource.type === 'action') return serveAction;
  const handler = objectSubresourceVerbs.has(info.verb) ? verbRoutes.get(info.verb)?.handler : undefined;
  if (!handler) throw methodNotSupported();
  return handler;
}

/** What is passed on as it is may have any method; HEAD has the verb of GET, OPTIONS has none. */
function isAllowedThere(subresource: SubresourceDefinition, verb: string, method: string): boolean {
  if (subresource.hasPath === true && (method === 'HEAD' || method === 'OPTIONS')) return true;
  return subresource.verbs.includes(verb) && method !== 'HEAD';
}

/** HEAD is not supported, and the deprecated watch paths accept only GET. */
function isAllowedMethod({ req, info }: RequestContext): boolean {
  return req.method !== 'HEAD' && (info.verb !== 'watch' || req.method === 'GET');
}

const emptySegment = /[^/]\/{2,}[^/]/;

/** A path must fit the scope of its resource, and have no empty or surplus segments. */
function assertScope({ info }: RequestContext, resource: ServedResource): void {
  const { parts, namespace, path } = info;
  const isOwnNamespace =
    resource.gvr.group === '' && resource.gvr.resource === 'namespaces' && parts[1] === namespace;
  const fitsScope = resource.namespaced
    ? namespace !== '' || parts.length === 1
    : namespace === '' || isOwnNamespace;
  // What follows the name of such a subresource is not a path of this service.
  const hasPath = resource.subresource(info.subresource)?.hasPath === true;
  const isWellFormed = hasPath
    ? !parts.slice(0, 3).includes('')
    : parts.length <= 3 && !emptySegment.test(path);
  if (!fitsScope || !isWellFormed) throw unknownResource();
}
