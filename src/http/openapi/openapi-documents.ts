/** The documents of one catalogue. Those of groups that did not change are taken over from the catalogue before it. */
import { Slice } from '../../base/cooperate.ts';
import type { ResourceCatalogue } from '../../registry/types.ts';
import { apiVersionOf } from '../../meta/gvk.ts';
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
import type { Merged } from './remote/job.ts';
import type { CheckedDescription, RemoteOpenApi } from './remote/remote-openapi.ts';

export interface DocumentsParts extends RenderParts {
  readonly catalogue: ResourceCatalogue;
  /** Of other servers, which describe their group versions themselves. */
  readonly remote?: readonly CheckedDescription[];
  /** Needed where there are descriptions of other servers. */
  readonly remoteOpenApi?: Pick<RemoteOpenApi, 'merge'> | undefined;
  /** Of whatever is served at the time: documents outlive a catalogue. */
  readonly types: WireTypes;
}

export class OpenApiDocuments {
  readonly catalogue: ResourceCatalogue;
  readonly remote: readonly CheckedDescription[];
  private readonly remoteByKey: ReadonlyMap<string, CheckedDescription>;
  private readonly remoteOpenApi: DocumentsParts['remoteOpenApi'];
  private readonly parts: GroupDocumentParts;
  private readonly groups: ReadonlyMap<string, GroupDocument>;
  private mergedV2: Promise<Merged | undefined> | undefined;
  private readonly madeV2 = new Map<DocumentForm, Promise<CachedDocument>>();

  /** @param before the documents of the catalogue before, if there was one */
  constructor(
    { catalogue, types, remote = [], remoteOpenApi, ...parts }: DocumentsParts,
    before?: OpenApiDocuments,
  ) {
    this.catalogue = catalogue;
    this.remote = remote;
    this.remoteOpenApi = remoteOpenApi;
    this.remoteByKey = new Map(remote.map((description) => [keyOf(description), description]));
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
    const keys = [...new Set([...this.groups.keys(), ...this.remoteByKey.keys()])].sort();
    const made = await Promise.all(keys.map(async (key) => [key, await this.v3(key, 'json')] as const));
    return new Map(made.flatMap(([key, document]) => (document ? [[key, document]] : [])));
  }

  /** A version 3 document; undefined for an unknown key. */
  async v3(key: string, form: DocumentForm): Promise<CachedDocument | undefined> {
    const remote = this.remoteByKey.get(key);
    return remote ? remote.v3?.[form] : this.groups.get(key)?.v3(form);
  }

  /** What other servers add. Their definitions are compared with those of this service in JSON. */
  private async addedV2(form: DocumentForm): Promise<{ paths: Buffer[]; definitions: Buffer[] }> {
    if (this.remote.length === 0 || !this.remoteOpenApi) return { paths: [], definitions: [] };
    const merged = await (this.mergedV2 ??= this.mergeV2(this.remoteOpenApi));
    if (!merged) return { paths: [], definitions: [] };
    const buffers = (all: readonly Uint8Array[]): Buffer[] => all.map((bytes) => Buffer.from(bytes.buffer));
    return { paths: buffers(merged.paths[form]), definitions: buffers(merged.definitions[form]) };
  }

  private async mergeV2(remoteOpenApi: Pick<RemoteOpenApi, 'merge'>): Promise<Merged | undefined> {
    try {
      const definitions = new Map<string, Buffer>();
      for (const [key, group] of this.groups) {
        if (this.remoteByKey.has(key)) continue;
        for (const [name, definition] of (await group.v2('json')).definitions)
          definitions.set(name, definition);
      }
      const paths = [...this.groups.keys()].map((key) => `/${key}/`);
      return await remoteOpenApi.merge(this.remote, { paths, definitions: [...definitions.values()] });
    } catch (error) {
      this.mergedV2 = undefined;
      throw error;
    }
  }

  private async makeV2(form: DocumentForm): Promise<CachedDocument> {
    const own: Buffer[] = [];
    const definitions = new Map<string, Buffer>();
    for (const [key, group] of this.groups) {
      if (this.remoteByKey.has(key)) continue;
      const part: EncodedPart = await group.v2(form);
      own.push(...part.paths);
      for (const [name, definition] of part.definitions)
        if (!definitions.has(name)) definitions.set(name, definition);
    }
    const added = await this.addedV2(form);
    const paths = [...own, ...added.paths];
    const all = [...definitions.values(), ...added.definitions];
    const join = form === 'json' ? joinedV2 : assembleV2;
    const bytes = await this.parts.runSerially(() =>
      join(headOfV2(this.parts), { paths, definitions: all }, new Slice()),
    );
    return cacheDocument(documentTypes.v2[form], bytes);
  }
}

/** The path below `/openapi/v3/`. */
function keyOf({ group, version }: CheckedDescription): string {
  return `${group === '' ? 'api' : 'apis'}/${apiVersionOf({ group, version })}`;
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
