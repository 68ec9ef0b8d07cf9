/** `/openapi/v2` and `/openapi/v3`: OpenAPI documents for kubectl and generated clients. */
import type { Clock } from '../../base/clock.ts';
import { withoutEndSlashes } from '../../base/end-slashes.ts';
import { Slice } from '../../base/cooperate.ts';
import { jsonInSteps } from '../../codec/json-in-steps.ts';
import { negotiate } from '../../codec/media-type.ts';
import type { JsonObject } from '../../base/json.ts';
import { notAcceptable } from '../../meta/status.ts';
import type { ResourceCatalogue } from '../../registry/types.ts';
import type { SchemaSet } from '../../schema/load-proto.ts';
import { sendCached } from '../cached-document.ts';
import type { RequestContext } from '../request-context.ts';
import type { PlainRoute } from '../plain/plain-route.ts';
import { concatSliced } from '../concat-sliced.ts';
import { wantsPretty } from '../pretty.ts';
import { jsonType, sendNotFoundPage, writeHead } from '../respond.ts';
import { sendSliced, slicedBytes } from '../sliced-stream.ts';
import { createWireTypes } from '../wire-types.ts';
import { OpenApiDocuments } from './openapi-documents.ts';
import type { DocumentForm } from './document-encoding.ts';
import { documentTypes } from './group-document.ts';
import type { CheckedDescription, RemoteOpenApi } from './remote/remote-openapi.ts';

export interface OpenApiParts {
  /** Called for every request: custom resources change the catalogue. */
  readonly catalogue: () => ResourceCatalogue;
  readonly clock: Pick<Clock, 'setTimeout'>;
  /** Calls back when resources are gone from the catalogue, or have changed. Absent: none ever do. */
  readonly onResourcesGone?: (listener: () => void) => void;
  readonly schemas: SchemaSet;
  /** CBOR is accepted and offered; absent: it is not. */
  readonly speaksCbor?: boolean;
  /** Descriptions of other servers; absent if there are none. */
  readonly remoteOpenApi?: Pick<RemoteOpenApi, 'current' | 'merge'> | undefined;
  /** The version in the documents. */
  readonly release: string;
  /** Fields of later releases, as `<schema name>.<field>`. Absent: none. */
  readonly hiddenFields?: ReadonlySet<string> | undefined;
  /** Definitions have the values that fields may have; absent: they do. */
  readonly hasEnums?: boolean;
  /** `/openapi/v3` is served; absent: it is. */
  readonly hasVersion3?: boolean;
}

/** What is served of one catalogue. */
interface Served {
  readonly catalogue: ResourceCatalogue;
  readonly remote: readonly CheckedDescription[];
  readonly documents: Promise<OpenApiDocuments>;
  /** The list of documents, by its indentation. */
  readonly index: Map<number, Promise<Buffer>>;
}

const prefix = '/openapi/v3';

/** Milliseconds after which what was made of resources that are gone is let go of: many go at once. */
const goneMs = 1_000;

const none: readonly CheckedDescription[] = [];

export function openApiRoutes(parts: OpenApiParts): PlainRoute[] {
  const types = createWireTypes(parts.catalogue, parts.schemas, parts);
  let current: Served | undefined;
  const served = (): Served => {
    const catalogue = parts.catalogue();
    const { remoteOpenApi } = parts;
    const remote = remoteOpenApi?.current() ?? none;
    if (current?.catalogue === catalogue && current.remote === remote) return current;
    const { naming } = catalogue;
    const all = { ...parts, catalogue, types, naming, remote, remoteOpenApi };
    const before = current?.documents;
    const documents = Promise.resolve(before).then((latest) => OpenApiDocuments.of(all, latest));
    const made: Served = { catalogue, remote, documents, index: new Map() };
    documents.catch(() => {
      if (current === made) current = undefined;
    });
    return (current = made);
  };
  forgetGone(parts, () => {
    if (current) served();
  });
  const v3: PlainRoute = {
    path: `${prefix}{/*document}`,
    listed: () => [prefix],
    serve: (context) => serveV3(context, served()),
  };
  return [
    { path: '/openapi/v2', serve: (context) => serveV2(context, served()) },
    ...(parts.hasVersion3 === false ? [] : [v3]),
  ];
}

/** Otherwise documents of thousands of definitions that are gone would stay until somebody asks for others. */
function forgetGone({ clock, onResourcesGone }: OpenApiParts, renew: () => void): void {
  let isDue = false;
  onResourcesGone?.(() => {
    if (isDue) return;
    isDue = true;
    const forget = (): void => {
      isDue = false;
      renew();
    };
    clock.setTimeout(forget, goneMs).unref();
  });
}

async function serveV2(context: RequestContext, served: Served): Promise<void> {
  const form = formOf(context, documentTypes.v2);
  const documents = await served.documents;
  await sendCached(context, await documents.v2(form));
}

async function serveV3(context: RequestContext, served: Served): Promise<void> {
  const key = withoutEndSlashes(context.info.path.slice(prefix.length + 1));
  const documents = await served.documents;
  if (key === '') {
    await sendSliced(
      context,
      200,
      jsonType,
      slicedBytes(await indexOf(served, wantsPretty(context) ? 2 : 0)),
    );
    return;
  }
  const form = formOf(context, documentTypes.v3);
  const hash = await documents.v3Hash(key);
  const document = await documents.v3(key, form);
  if (hash === undefined || !document) {
    sendNotFoundPage(context);
    return;
  }
  // The hash in the URL is that of the JSON form, for every requested form.
  const asked = context.query.get('hash');
  if (asked === '' || asked === hash) await sendCached(context, document, asked !== '');
  else redirect(context, addressOf(key, hash));
}

/** The list of all documents, made once for each indentation. */
function indexOf({ documents, index }: Served, indent: number): Promise<Buffer> {
  let made = index.get(indent);
  if (!made) {
    made = documents.then((all) => writtenIndex(all, indent));
    index.set(indent, made);
    made.catch(() => index.delete(indent));
  }
  return made;
}

/** The URL of each document contains a hash of its content. */
async function writtenIndex(documents: OpenApiDocuments, indent: number): Promise<Buffer> {
  const slice = new Slice();
  const paths: JsonObject = {};
  for (const [key, hash] of await documents.v3Hashes()) {
    paths[key] = { serverRelativeURL: addressOf(key, hash) };
    await slice.breathe();
  }
  const parts: Buffer[] = [];
  for (const piece of jsonInSteps({ paths }, indent)) {
    parts.push(Buffer.from(piece));
    await slice.breathe();
  }
  return concatSliced([...parts, Buffer.from('\n')], slice);
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
