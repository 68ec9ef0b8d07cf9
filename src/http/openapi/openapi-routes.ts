/** `/openapi/v2` and `/openapi/v3`: OpenAPI documents for kubectl and generated clients. */
import { negotiate } from '../../codec/media-type.ts';
import type { JsonObject } from '../../base/json.ts';
import { notAcceptable } from '../../meta/status.ts';
import type { ResourceCatalogue } from '../../registry/types.ts';
import type { SchemaSet } from '../../schema/load-proto.ts';
import { sendCached } from '../cached-document.ts';
import type { RequestContext } from '../request-context.ts';
import type { PlainRoute } from '../plain/plain-route.ts';
import { sendJson, sendNotFoundPage, writeHead } from '../respond.ts';
import { createWireTypes } from '../wire-types.ts';
import { OpenApiDocuments } from './openapi-documents.ts';
import type { DocumentForm } from './document-encoding.ts';
import { documentTypes } from './group-document.ts';
import type { CheckedDescription, RemoteOpenApi } from './remote/remote-openapi.ts';

export interface OpenApiParts {
  /** Called for every request: custom resources change the catalogue. */
  readonly catalogue: () => ResourceCatalogue;
  readonly schemas: SchemaSet;
  /** CBOR is accepted and offered; absent: it is not. */
  readonly speaksCbor?: boolean;
  /** Descriptions of other servers; absent if there are none. */
  readonly remoteOpenApi?: Pick<RemoteOpenApi, 'current' | 'merge'> | undefined;
  /** The version in the documents. */
  readonly release: string;
  /** Fields of later releases, as `<schema name>.<field>`. Absent: none. */
  readonly hiddenFields?: ReadonlySet<string> | undefined;
}

const prefix = '/openapi/v3';

const none: readonly CheckedDescription[] = [];

export function openApiRoutes(parts: OpenApiParts): PlainRoute[] {
  const types = createWireTypes(parts.catalogue, parts.schemas, parts);
  let current: OpenApiDocuments | undefined;
  const documents = (): OpenApiDocuments => {
    const catalogue = parts.catalogue();
    const { remoteOpenApi } = parts;
    const remote = remoteOpenApi?.current() ?? none;
    if (current?.catalogue !== catalogue || current.remote !== remote) {
      const { naming } = catalogue;
      current = new OpenApiDocuments({ ...parts, catalogue, types, naming, remote, remoteOpenApi }, current);
    }
    return current;
  };
  return [
    { path: '/openapi/v2', serve: (context) => serveV2(context, documents()) },
    {
      path: `${prefix}{/*document}`,
      listed: () => [prefix],
      serve: (context) => serveV3(context, documents()),
    },
  ];
}

async function serveV2(context: RequestContext, documents: OpenApiDocuments): Promise<void> {
  const form = formOf(context, documentTypes.v2);
  await sendCached(context, await documents.v2(form));
}

async function serveV3(context: RequestContext, documents: OpenApiDocuments): Promise<void> {
  const key = context.info.path.slice(prefix.length + 1).replace(/\/+$/, '');
  if (key === '') {
    sendJson(context, 200, { paths: await addresses(documents) });
    return;
  }
  const form = formOf(context, documentTypes.v3);
  const json = await documents.v3(key, 'json');
  const document = await documents.v3(key, form);
  if (!json || !document) {
    sendNotFoundPage(context);
    return;
  }
  // The hash in the URL is that of the JSON form, for every requested form.
  const asked = context.query.get('hash');
  if (asked === '' || asked === json.hash) await sendCached(context, document, asked !== '');
  else redirect(context, addressOf(key, json.hash));
}

/** The URL of each document contains a hash of its content. */
async function addresses(documents: OpenApiDocuments): Promise<JsonObject> {
  const all = [...(await documents.v3All())];
  return Object.fromEntries(all.map(([key, { hash }]) => [key, { serverRelativeURL: addressOf(key, hash) }]));
}

function addressOf(key: string, hash: string): string {
  return `${prefix}/${key}?hash=${hash}`;
}

/** Redirects from an outdated hash to the current URL. */
function redirect(context: RequestContext, location: string): void {
  const head = { code: 301, contentType: 'text/plain; charset=utf-8', length: 0 };
  writeHead(context, { ...head, extra: ['Location', location] }).end();
}

/**
 * The usual spelling of the Protobuf types contains `@`, which is invalid in a media type.
 * @throws StatusError 406
 */
function formOf(context: RequestContext, mediaTypes: Readonly<Record<DocumentForm, string>>): DocumentForm {
  const offers = (['json', 'protobuf'] as const).map((form) => ({ essence: mediaTypes[form], form }));
  const chosen = negotiate(context.header('accept').replaceAll('@', '.'), offers);
  if (!chosen) throw notAcceptable(offers.map(({ essence }) => essence));
  return chosen.offer.form;
}
