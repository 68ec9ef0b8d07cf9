/**
 * The documents of one catalogue, made when they are first asked for and kept as bytes. They are made piece by piece,
 * so that other requests get their turn.
 */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { Slice } from '../../base/cooperate.ts';
import type { GroupVersionKind } from '../../meta/gvk.ts';
import type { ResourceCatalogue } from '../../registry/types.ts';
import { openApiDefinitions } from '../../schema/openapi/openapi-definitions.ts';
import type { CachedDocument } from '../cached-document.ts';
import { cacheDocument } from '../cached-document.ts';
import type { WireTypes } from '../wire-types.ts';
import { assembleV2, encodeDefinitionsV2, encodePathsV2, encodeV3 } from './gnostic/sliced-protobuf.ts';
import { customDefinitions } from './custom-definitions.ts';
import { servedKinds } from './kinds.ts';
import type { DocumentModel, PathModel } from './model.ts';
import { rootsOf } from './model.ts';
import { documentModels } from './models.ts';
import type { RenderParts } from './render.ts';
import { headOfV2, pathItemV2 } from './render-v2.ts';
import { documentV3, pathItemV3 } from './render-v3.ts';
import { encodeSliced } from './sliced-json.ts';

export type DocumentForm = 'json' | 'protobuf';

/** Both spellings that clients use are answered by the one that is a media type. */
export const documentTypes = {
  v2: { json: 'application/json', protobuf: 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf' },
  v3: { json: 'application/json', protobuf: 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf' },
} as const;

export interface DocumentsParts extends RenderParts {
  readonly catalogue: ResourceCatalogue;
  readonly types: WireTypes;
}

/** Pieces of the document of version 2. */
interface Piece {
  readonly paths: JsonObject;
  readonly definitions: JsonObject;
}

export class OpenApiDocuments {
  readonly catalogue: ResourceCatalogue;
  private readonly parts: DocumentsParts;
  private readonly made = new Map<string, Promise<CachedDocument>>();
  private readonly kindsOf: (schemaName: string) => readonly GroupVersionKind[];
  private all: Promise<ReadonlyMap<string, CachedDocument>> | undefined;
  private last: Promise<unknown> = Promise.resolve();

  constructor(parts: DocumentsParts) {
    this.parts = parts;
    this.catalogue = parts.catalogue;
    this.kindsOf = servedKinds(parts.catalogue, parts.types);
  }

  /** The one document of version 2. */
  v2(form: DocumentForm): Promise<CachedDocument> {
    return this.once(`v2 ${form}`, async () => {
      const bytes = form === 'json' ? await this.v2Json() : await this.v2Protobuf();
      return cacheDocument(documentTypes.v2[form], bytes);
    });
  }

  /** All documents of version 3 as JSON, by key (`apis/apps/v1`). */
  v3All(): Promise<ReadonlyMap<string, CachedDocument>> {
    return (this.all ??= this.inTurn(() => this.makeV3()));
  }

  /** One document of version 3; undefined when there is none of that key. */
  async v3(key: string, form: DocumentForm): Promise<CachedDocument | undefined> {
    const json = (await this.v3All()).get(key);
    if (!json || form === 'json') return json;
    return this.once(`v3 ${key}`, async () => {
      const document = JSON.parse(json.bytes.toString()) as JsonObject;
      const slice = new Slice();
      await slice.yieldNow();
      return cacheDocument(documentTypes.v3.protobuf, await encodeV3(document, slice));
    });
  }

  private once(key: string, make: () => Promise<CachedDocument>): Promise<CachedDocument> {
    let document = this.made.get(key);
    if (!document) this.made.set(key, (document = this.inTurn(make)));
    return document;
  }

  /** One after the other: pieces of several documents in the same turn would add up. */
  private inTurn<T>(make: () => Promise<T>): Promise<T> {
    const made = this.last.then(make);
    this.last = made.catch(() => undefined);
    return made;
  }

  private async makeV3(): Promise<ReadonlyMap<string, CachedDocument>> {
    const made: [string, Promise<CachedDocument>][] = [];
    const slice = new Slice();
    for (const model of documentModels(this.catalogue, this.parts.types)) {
      const paths = await this.rendered(model, pathItemV3, slice);
      const document = documentV3(this.parts, paths, this.definitions(model, 3));
      await slice.yieldNow();
      // Down to each path and each type.
      const bytes = await encodeSliced(document, 3, slice);
      made.push([model.key, cacheDocument(documentTypes.v3.json, bytes)]);
    }
    const documents = await Promise.all(made.map(async ([key, document]) => [key, await document] as const));
    return new Map(documents.sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  private async v2Json(): Promise<Buffer> {
    const slice = new Slice();
    const paths: [string, JsonValue | undefined][] = [];
    const definitions: [string, JsonValue | undefined][] = [];
    for await (const piece of this.v2Pieces(slice)) {
      paths.push(...Object.entries(piece.paths));
      definitions.push(...Object.entries(piece.definitions));
    }
    const all = { paths: Object.fromEntries(paths), definitions: Object.fromEntries(definitions) };
    return encodeSliced({ ...headOfV2(this.parts), ...all }, 2, slice);
  }

  private async v2Protobuf(): Promise<Buffer> {
    const paths: Buffer[] = [];
    const definitions: Buffer[] = [];
    const slice = new Slice();
    for await (const piece of this.v2Pieces(slice)) {
      paths.push(...(await encodePathsV2(piece.paths, slice)));
      definitions.push(...(await encodeDefinitionsV2(piece.definitions, slice)));
    }
    return assembleV2(headOfV2(this.parts), paths, definitions);
  }

  /** Types that several group versions use are in the first piece that has them. */
  private async *v2Pieces(slice: Slice): AsyncGenerator<Piece, void, undefined> {
    const known = new Set<string>();
    for (const model of documentModels(this.catalogue, this.parts.types)) {
      const paths = await this.rendered(model, pathItemV2, slice);
      const fresh = Object.entries(this.definitions(model, 2)).filter(([name]) => !known.has(name));
      for (const [name] of fresh) known.add(name);
      await slice.yieldNow();
      yield { paths, definitions: Object.fromEntries(fresh) };
      await slice.yieldNow();
    }
  }

  private async rendered(
    { paths }: DocumentModel,
    render: (parts: RenderParts, path: PathModel) => JsonObject,
    slice: Slice,
  ): Promise<JsonObject> {
    const items: [string, JsonObject][] = [];
    for (const path of paths) {
      items.push([path.path, render(this.parts, path)]);
      if (slice.shouldYield()) await slice.yieldNow();
    }
    await slice.yieldNow();
    return Object.fromEntries(items);
  }

  private definitions(model: DocumentModel, version: 2 | 3): JsonObject {
    const { naming, schemas } = this.parts;
    const known = openApiDefinitions(schemas, {
      naming,
      version,
      roots: rootsOf(model),
      kindsOf: this.kindsOf,
    });
    return model.custom.length === 0 ? known : { ...known, ...customDefinitions(model.custom, version) };
  }
}
