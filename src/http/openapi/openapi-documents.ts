/** The documents of one catalogue. Those of groups that did not change are taken over from the catalogue before it. */
import { Slice } from '../../base/cooperate.ts';
import type { ResourceCatalogue } from '../../registry/types.ts';
import type { CachedDocument } from '../cached-document.ts';
import { cacheDocument } from '../cached-document.ts';
import type { WireTypes } from '../wire-types.ts';
import { assembleV2 } from './gnostic/sliced-protobuf.ts';
import {
  documentTypes,
  GroupDocument,
  type DocumentForm,
  type EncodedPart,
  type GroupDocumentParts,
} from './group-document.ts';
import { servedKinds } from './kinds.ts';
import { documentSources, type DocumentSource } from './models.ts';
import type { RenderParts } from './render.ts';
import { headOfV2 } from './render-v2.ts';
import { joinedV2 } from './sliced-json.ts';

export interface DocumentsParts extends RenderParts {
  readonly catalogue: ResourceCatalogue;
  /** Of whatever is served at the time: documents outlive a catalogue. */
  readonly types: WireTypes;
}

export class OpenApiDocuments {
  readonly catalogue: ResourceCatalogue;
  private readonly parts: GroupDocumentParts;
  private readonly groups: ReadonlyMap<string, GroupDocument>;
  private readonly madeV2 = new Map<DocumentForm, Promise<CachedDocument>>();

  /** @param before the documents of the catalogue before, if there was one */
  constructor({ catalogue, types, ...parts }: DocumentsParts, before?: OpenApiDocuments) {
    this.catalogue = catalogue;
    this.parts = before?.parts ?? {
      ...parts,
      kindsOf: servedKinds(catalogue, types),
      runSerially: serialQueue(),
    };
    const groupOf = (source: DocumentSource): GroupDocument => {
      const known = before?.groups.get(source.key);
      return known?.isOf(source.resources) ? known : new GroupDocument(this.parts, source);
    };
    this.groups = new Map(documentSources(catalogue, types).map((source) => [source.key, groupOf(source)]));
  }

  /** The one document of version 2. */
  v2(form: DocumentForm): Promise<CachedDocument> {
    let document = this.madeV2.get(form);
    if (document) return document;
    document = this.makeV2(form);
    this.madeV2.set(form, document);
    document.catch(() => this.madeV2.delete(form));
    return document;
  }

  /** All documents of version 3 as JSON, by key (`apis/apps/v1`), sorted. */
  async v3All(): Promise<ReadonlyMap<string, CachedDocument>> {
    const made = [...this.groups].map(async ([key, group]) => [key, await group.v3('json')] as const);
    return new Map((await Promise.all(made)).sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** A version 3 document; undefined for an unknown key. */
  async v3(key: string, form: DocumentForm): Promise<CachedDocument | undefined> {
    return this.groups.get(key)?.v3(form);
  }

  private async makeV2(form: DocumentForm): Promise<CachedDocument> {
    const paths: Buffer[] = [];
    const definitions = new Map<string, Buffer>();
    for (const group of this.groups.values()) {
      const part: EncodedPart = await group.v2(form);
      paths.push(...part.paths);
      for (const [name, definition] of part.definitions)
        if (!definitions.has(name)) definitions.set(name, definition);
    }
    const join = form === 'json' ? joinedV2 : assembleV2;
    const bytes = await this.parts.runSerially(() =>
      join(headOfV2(this.parts), { paths, definitions: [...definitions.values()] }, new Slice()),
    );
    return cacheDocument(documentTypes.v2[form], bytes);
  }
}

/** One after the other: pieces of several documents in the same turn of the loop would add up. */
function serialQueue(): GroupDocumentParts['runSerially'] {
  let last: Promise<unknown> = Promise.resolve();
  return (make) => {
    const made = last.then(make);
    last = made.catch(() => undefined);
    return made;
  };
}
