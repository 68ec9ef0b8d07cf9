/** Discovery: `/api`, `/apis` and the group and version paths below. Bytes are cached per catalogue and form. */
import type { JsonValue } from '../../base/json.ts';
import { Slice } from '../../base/cooperate.ts';
import { withoutEndSlashes } from '../../base/end-slashes.ts';
import { resultInSlices } from '../../base/sliced-work.ts';
import { concatSliced } from '../concat-sliced.ts';
import { cborMediaType } from '../../codec/decode-body.ts';
import { apiVersionOf } from '../../meta/gvk.ts';
import { protobufMediaType } from '../../meta/naming.ts';
import type { ResourceCatalogue } from '../../registry/types.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { CachedDocument } from '../cached-document.ts';
import { cacheDocument, sendCached } from '../cached-document.ts';
import type { RequestContext } from '../request-context.ts';
import type { PlainRoute } from '../plain/plain-route.ts';
import { negotiateValueForm, valueFormOf } from '../representation/value-form.ts';
import { sendNotFoundPage } from '../respond.ts';
import type { RegisteredApi } from '../remote-apis.ts';
import { sendValue } from '../send-value.ts';
import { sendSliced, slicedBytes } from '../sliced-stream.ts';
import type { WireTypes } from '../wire-types.ts';
import type { AggregatedForm, DiscoveryRoot } from './aggregated.ts';
import { aggregatedDocument, aggregatedForm, aggregatedMediaType, aggregatedVersions } from './aggregated.ts';
import { discoveryGroups, type DiscoveryGroup } from './discovery-groups.ts';
import {
  apiGroupDocument,
  apiGroupListDocument,
  apiResourceListDocument,
  apiVersionsDocument,
} from './discovery-documents.ts';

export interface DiscoveryParts {
  /** Called for every request: custom resources change the catalogue. */
  readonly catalogue: () => ResourceCatalogue;
  /** In the order of discovery; the same value until it changes. */
  readonly registered: () => readonly RegisteredApi[];
  /** `host:port` for clients; '' for the host of the request. */
  readonly serverAddress: string;
  readonly isFeatureEnabled: (gate: string) => boolean;
}

/** Makes a document in steps. */
type MakeDocument = () => Generator<void, object, void>;

/** What makes documents by path, and bytes by path and form. */
interface Documents {
  readonly catalogue: ResourceCatalogue;
  readonly registered: readonly RegisteredApi[];
  readonly naming: NamingProfile;
  readonly groups: readonly DiscoveryGroup[];
  readonly byPath: ReadonlyMap<string, MakeDocument>;
  readonly bytes: Map<string, Promise<Buffer>>;
  /** By root and version. */
  readonly aggregated: Map<string, Promise<CachedDocument>>;
}

export function discoveryRoutes(parts: DiscoveryParts): PlainRoute[] {
  const documents = new CurrentDocuments(parts);
  const versions = aggregatedVersions(parts.isFeatureEnabled);
  const serveDocument = async (context: RequestContext): Promise<void> => {
    const path = withoutEndSlashes(context.info.path);
    const { naming } = parts.catalogue();
    const isRoot = path === '/api' || path === '/apis';
    const essences = essencesOf(context.phase.types);
    const form = isRoot
      ? aggregatedForm(context.header('accept'), naming, { essences, versions })
      : undefined;
    const current = await documents.get();
    if (isRoot && form) return sendAggregated(context, current, [path, form]);
    if (path === '/api') {
      const serverAddress = parts.serverAddress || (context.req.headers.host ?? '');
      sendValue(context, 200, apiVersionsDocument(current.groups, serverAddress));
      return undefined;
    }
    return sendDocument(context, current, path);
  };
  const listed = async (root: DiscoveryRoot): Promise<readonly string[]> =>
    resultInSlices(pathsBelow(root, (await documents.get()).groups));
  return [
    { path: '/api{/*version}', listed: () => listed('/api'), serve: serveDocument },
    { path: '/apis{/*version}', listed: () => listed('/apis'), serve: serveDocument },
  ];
}

/** The documents of what is served and registered now; requests that come while they are prepared share them. */
class CurrentDocuments {
  readonly #parts: DiscoveryParts;
  readonly #hasHashes: boolean;
  #current: (Pick<Documents, 'catalogue' | 'registered'> & { readonly made: Promise<Documents> }) | undefined;

  constructor(parts: DiscoveryParts) {
    this.#parts = parts;
    this.#hasHashes = parts.isFeatureEnabled('StorageVersionHash');
  }

  get(): Promise<Documents> {
    const catalogue = this.#parts.catalogue();
    const registered = this.#parts.registered();
    if (this.#current?.catalogue !== catalogue || this.#current.registered !== registered)
      this.#current = {
        catalogue,
        registered,
        made: resultInSlices(documentsOf(catalogue, registered, this.#hasHashes)),
      };
    return this.#current.made;
  }
}

function* documentsOf(
  catalogue: ResourceCatalogue,
  registered: readonly RegisteredApi[],
  hasHashes: boolean,
): Generator<void, Documents, void> {
  const groups = yield* discoveryGroups(catalogue, registered);
  const byPath = yield* documentsByPath(groups, { hasHashes });
  const { naming } = catalogue;
  return { catalogue, registered, naming, groups, byPath, bytes: new Map(), aggregated: new Map() };
}

function* pathsBelow(
  root: DiscoveryRoot,
  groups: readonly DiscoveryGroup[],
): Generator<void, string[], void> {
  const paths: string[] = [root];
  for (const group of groups) {
    if ((group.group === '') === (root === '/api')) paths.push(...pathsOf(group));
    yield;
  }
  return paths;
}

function pathsOf({ group, versions }: DiscoveryGroup): string[] {
  return [
    ...(group === '' ? [] : [`/apis/${group}`]),
    ...versions.map(({ version }) => versionPath(group, version)),
  ];
}

function versionPath(group: string, version: string): string {
  return `${group === '' ? '/api' : '/apis'}/${apiVersionOf({ group, version })}`;
}

/**
 * Each is made when somebody asks for it: there may be thousands of groups, and each change of one makes all anew. Other
 * servers answer for the paths of their group versions.
 */
function* documentsByPath(
  groups: readonly DiscoveryGroup[],
  form: { readonly hasHashes: boolean },
): Generator<void, ReadonlyMap<string, MakeDocument>, void> {
  const makers = new Map<string, MakeDocument>([['/apis', () => apiGroupListDocument(groups)]]);
  for (const group of groups) {
    if (group.group !== '')
      makers.set(`/apis/${group.group}`, () => inOneStep(() => apiGroupDocument(group)));
    for (const { version, local } of group.versions)
      if (local)
        makers.set(versionPath(group.group, version), () =>
          apiResourceListDocument(group.group, local, form),
        );
    yield;
  }
  return makers;
}

function* inOneStep(make: () => object): Generator<void, object, void> {
  yield;
  return make();
}

async function sendAggregated(
  context: RequestContext,
  { naming, groups, aggregated }: Documents,
  [root, form]: readonly [root: DiscoveryRoot, form: AggregatedForm],
): Promise<void> {
  const mediaType = aggregatedMediaType(naming, form);
  const key = `${root} ${mediaType}`;
  let document = aggregated.get(key);
  if (!document) {
    const { inSteps } = valueFormOf(context, form.essence);
    document = resultInSlices(aggregatedDocument(naming, groups, [root, form.version]))
      .then((value) => resultInSlices(inSteps(value)))
      .then((parts) => cacheDocument(mediaType, parts));
    aggregated.set(key, document);
    document.catch(() => aggregated.delete(key));
  }
  await sendCached(context, await document);
}

/** Media types of the aggregated document. */
function essencesOf(types: WireTypes | undefined): string[] {
  if (!types) return ['application/json'];
  const binary = [protobufMediaType(types.naming), ...(types.speaksCbor ? [cborMediaType] : [])];
  return ['application/json', ...binary];
}

async function sendDocument(
  context: RequestContext,
  { byPath, bytes: made }: Documents,
  path: string,
): Promise<void> {
  const make = byPath.get(path);
  if (!make) {
    sendNotFoundPage(context);
    return;
  }
  const form = negotiateValueForm(context);
  const key = `${form.id} ${path}`;
  let bytes = made.get(key);
  if (!bytes) {
    bytes = resultInSlices(make())
      .then((document) => resultInSlices(form.inSteps(document as JsonValue)))
      .then((parts) => concatSliced(parts, new Slice()));
    made.set(key, bytes);
    bytes.catch(() => made.delete(key));
  }
  await sendSliced(context, 200, form.mediaType, slicedBytes(await bytes));
}
