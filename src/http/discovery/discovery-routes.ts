/** `/api`, `/apis` and everything below that is no resource. Bytes are made once per catalogue and form. */
import type { JsonValue } from '../../base/json.ts';
import { apiVersionOf } from '../../meta/gvk.ts';
import type { ResourceCatalogue } from '../../registry/types.ts';
import type { CachedDocument } from '../cached-document.ts';
import { cacheDocument, sendCached } from '../cached-document.ts';
import type { RequestContext } from '../context.ts';
import type { PlainRoute } from '../plain/plain-route.ts';
import { negotiateValueForm } from '../representation/value-form.ts';
import { sendBytes, sendNotFoundPage } from '../respond.ts';
import { sendValue } from '../value.ts';
import type { DiscoveryRoot } from './aggregated.ts';
import { aggregatedDocument, aggregatedMediaType, aggregatedVersion } from './aggregated.ts';
import {
  apiGroupDocument,
  apiGroupListDocument,
  apiResourceListDocument,
  apiVersionsDocument,
} from './documents.ts';

export interface DiscoveryParts {
  /** Asked on every request: custom resources swap in a new catalogue. */
  readonly catalogue: () => ResourceCatalogue;
  /** `host:port` for clients; '' gives the host that the client used. */
  readonly serverAddress: string;
}

/** Documents by path, and their bytes by path and form. */
interface Documents {
  readonly catalogue: ResourceCatalogue;
  readonly byPath: ReadonlyMap<string, object>;
  readonly bytes: Map<string, Buffer>;
  /** By root and version. */
  readonly aggregated: Map<string, Promise<CachedDocument>>;
}

export function discoveryRoutes(parts: DiscoveryParts): PlainRoute[] {
  let current: Documents | undefined;
  const documents = (): Documents => {
    const catalogue = parts.catalogue();
    if (current?.catalogue !== catalogue) {
      const byPath = documentsByPath(catalogue);
      current = { catalogue, byPath, bytes: new Map(), aggregated: new Map() };
    }
    return current;
  };
  const serveDocument = (context: RequestContext): void | Promise<void> => {
    const path = context.info.path.replace(/\/+$/, '');
    const { naming } = parts.catalogue();
    const isRoot = path === '/api' || path === '/apis';
    const version = isRoot ? aggregatedVersion(context.header('accept'), naming) : undefined;
    if (isRoot && version !== undefined) return sendAggregated(context, documents(), [path, version]);
    if (path === '/api') {
      const serverAddress = parts.serverAddress || (context.req.headers.host ?? '');
      sendValue(context, 200, apiVersionsDocument(parts.catalogue(), serverAddress));
    } else sendDocument(context, documents(), path);
  };
  return [
    { path: '/api{/*version}', listed: () => listed(documents(), '/api'), serve: serveDocument },
    { path: '/apis{/*version}', listed: () => listed(documents(), '/apis'), serve: serveDocument },
  ];
}

function listed({ byPath }: Documents, root: string): string[] {
  return [root, ...[...byPath.keys()].filter((path) => path.startsWith(`${root}/`))];
}

function documentsByPath(catalogue: ResourceCatalogue): Map<string, object> {
  const byPath = new Map<string, object>([['/apis', apiGroupListDocument(catalogue)]]);
  for (const group of catalogue.groups()) {
    if (group.group !== '') byPath.set(`/apis/${group.group}`, apiGroupDocument(group));
    for (const version of group.versions) {
      const prefix = group.group === '' ? '/api' : '/apis';
      const gv = apiVersionOf({ group: group.group, version: version.version });
      byPath.set(`${prefix}/${gv}`, apiResourceListDocument(group.group, version));
    }
  }
  return byPath;
}

async function sendAggregated(
  context: RequestContext,
  { catalogue, aggregated }: Documents,
  [root, version]: readonly [root: DiscoveryRoot, version: string],
): Promise<void> {
  const key = `${root} ${version}`;
  let document = aggregated.get(key);
  if (!document) {
    const text = JSON.stringify(aggregatedDocument(catalogue, root, version));
    document = cacheDocument(aggregatedMediaType(catalogue.naming, version), Buffer.from(text));
    aggregated.set(key, document);
  }
  sendCached(context, await document);
}

function sendDocument(context: RequestContext, documents: Documents, path: string): void {
  const document = documents.byPath.get(path);
  if (!document) {
    sendNotFoundPage(context);
    return;
  }
  const form = negotiateValueForm(context);
  const key = `${form.id} ${path}`;
  let bytes = documents.bytes.get(key);
  if (!bytes) {
    bytes = form.bytes(document as JsonValue);
    documents.bytes.set(key, bytes);
  }
  sendBytes(context, 200, form.mediaType, bytes);
}
