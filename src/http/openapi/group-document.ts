/** What one group version, group or root says of itself: its document of version 3, and its part of that of version 2. */
import { Slice } from '../../base/cooperate.ts';
import type { JsonObject } from '../../base/json.ts';
import type { GroupVersionKind } from '../../meta/gvk.ts';
import type { ServedResource } from '../../registry/types.ts';
import { openApiDefinitions } from '../../schema/openapi/openapi-definitions.ts';
import type { CachedDocument } from '../cached-document.ts';
import { cacheDocument } from '../cached-document.ts';
import { customDefinitions } from './custom-definitions.ts';
import { encodeDefinitionsV2, encodePathsV2, encodeV3 } from './gnostic/sliced-protobuf.ts';
import type { DocumentModel, PathModel } from './model.ts';
import { rootsOf } from './model.ts';
import type { DocumentSource } from './models.ts';
import type { RenderParts } from './render.ts';
import { pathItemV2 } from './render-v2.ts';
import { documentV3, pathItemV3 } from './render-v3.ts';
import { encodeMembers, encodeSliced } from './sliced-json.ts';

export type DocumentForm = 'json' | 'protobuf';

/** Both spellings that clients use are answered by the one that is a media type. */
export const documentTypes = {
  v2: { json: 'application/json', protobuf: 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf' },
  v3: { json: 'application/json', protobuf: 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf' },
} as const;

export interface GroupDocumentParts extends RenderParts {
  /** Which kinds each type is served as, by schema name. */
  readonly kindsOf: (schemaName: string) => readonly GroupVersionKind[];
  /** Runs what it is given when what it was given before is done. */
  readonly runSerially: <T>(make: () => Promise<T>) => Promise<T>;
}

/** Encoded members of the document of version 2. */
export interface EncodedPart {
  readonly paths: readonly Buffer[];
  /** By name: several group versions have the same types. */
  readonly definitions: ReadonlyMap<string, Buffer>;
}

/** Made piece by piece when it is first asked for, so that other requests get their turn, and kept as bytes. */
export class GroupDocument {
  readonly #parts: GroupDocumentParts;
  readonly #source: DocumentSource;
  readonly #v3 = new Map<DocumentForm, Promise<CachedDocument>>();
  readonly #v2 = new Map<DocumentForm, Promise<EncodedPart>>();

  constructor(parts: GroupDocumentParts, source: DocumentSource) {
    this.#parts = parts;
    this.#source = source;
  }

  /** Whether it says the same as one of these resources. */
  isOf(resources: readonly ServedResource[]): boolean {
    const own = this.#source.resources;
    return own.length === resources.length && own.every((resource, index) => resource === resources[index]);
  }

  /** The document of version 3. */
  v3(form: DocumentForm): Promise<CachedDocument> {
    return this.#once(this.#v3, form, async (slice) => {
      const model = await this.#source.model(slice);
      const paths = await this.#rendered(model, pathItemV3, slice);
      const document = documentV3(this.#parts, paths, await this.#definitions(model, 3, slice));
      // Down to each path and each type.
      const bytes =
        form === 'json' ? await encodeSliced(document, 3, slice) : await encodeV3(document, slice);
      return cacheDocument(documentTypes.v3[form], bytes);
    });
  }

  /** Its part of the document of version 2. */
  v2(form: DocumentForm): Promise<EncodedPart> {
    return this.#once(this.#v2, form, async (slice) => {
      const model = await this.#source.model(slice);
      const paths = await this.#rendered(model, pathItemV2, slice);
      const definitions = await this.#definitions(model, 2, slice);
      const encoded =
        form === 'json'
          ? await encodeMembers(definitions, slice)
          : await encodeDefinitionsV2(definitions, slice);
      return {
        paths: form === 'json' ? await encodeMembers(paths, slice) : await encodePathsV2(paths, slice),
        definitions: new Map(
          Object.keys(definitions).map((name, index) => [name, encoded[index] ?? Buffer.alloc(0)]),
        ),
      };
    });
  }

  /** What could not be made is made again when it is asked for again. */
  #once<T>(
    made: Map<DocumentForm, Promise<T>>,
    form: DocumentForm,
    make: (slice: Slice) => Promise<T>,
  ): Promise<T> {
    let document = made.get(form);
    if (document) return document;
    document = this.#parts.runSerially(() => make(new Slice()));
    made.set(form, document);
    document.catch(() => made.delete(form));
    return document;
  }

  async #rendered(
    { paths }: DocumentModel,
    render: (parts: RenderParts, path: PathModel) => JsonObject,
    slice: Slice,
  ): Promise<JsonObject> {
    const items: [string, JsonObject][] = [];
    for (const path of paths) {
      items.push([path.path, render(this.#parts, path)]);
      await slice.breathe();
    }
    await slice.yieldNow();
    return Object.fromEntries(items);
  }

  async #definitions(model: DocumentModel, version: 2 | 3, slice: Slice): Promise<JsonObject> {
    const { naming, schemas, kindsOf, hiddenFields } = this.#parts;
    const definitions = openApiDefinitions(schemas, {
      ...{ naming, version, roots: rootsOf(model) },
      ...{ kindsOf, hiddenFields },
    });
    await slice.yieldNow();
    for (const resource of model.custom) {
      Object.assign(definitions, customDefinitions(resource, version));
      await slice.breathe();
    }
    await slice.yieldNow();
    return definitions;
  }
}
