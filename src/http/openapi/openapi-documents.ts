/** The documents of one catalogue. Those of groups that did not change are taken over from the catalogue before it. */
import { Slice } from '../../base/cooperate.ts';
import type { ResourceCatalogue } from '../../registry/types.ts';
import { apiVersionOf } from '../../meta/gvk.ts';
import type { CachedDocument } from '../cached-document.ts';
import type { WireTypes } from '../wire-types.ts';
import type { DocumentForm } from './document-encoding.ts';
import { GroupDocument, type GroupDocumentParts } from './group-document.ts';
import { servedKinds } from './kinds.ts';
import { documentSources } from './models.ts';
import { KeptPieces } from './kept-pieces.ts';
import type { RenderParts } from './render.ts';
import { SharedDefinitions } from './shared-definitions.ts';
import { WriterV2 } from './writer-v2.ts';
import { linesOf } from './remote/local-definitions.ts';
import type { Merged } from './remote/merging.ts';
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

/** A request waits for no more outdated documents than these: under endless changes it gets the next one. */
const mostMoves = 3;

export class OpenApiDocuments {
  readonly catalogue: ResourceCatalogue;
  readonly remote: readonly CheckedDescription[];
  private readonly remoteByKey: ReadonlyMap<string, CheckedDescription>;
  private readonly remoteOpenApi: DocumentsParts['remoteOpenApi'];
  private readonly parts: GroupDocumentParts;
  /** Of all catalogues: documents of version 2 are written one after the other. */
  private readonly writeSerially: GroupDocumentParts['runSerially'];
  private readonly groups = new Map<string, GroupDocument>();
  private mergedV2: Promise<Merged> | undefined;
  private readonly madeV2 = new Map<DocumentForm, Promise<CachedDocument>>();
  /** Of a later catalogue: then this one is outdated. */
  private successor: OpenApiDocuments | undefined;
  /** Requests wait for it that have waited for outdated ones before. */
  private mustBeMade = false;

  /**
   * In slices: there may be thousands of groups.
   * @param before the documents of the catalogue before, if there was one; they are outdated in the end
   */
  static async of(parts: DocumentsParts, before?: OpenApiDocuments): Promise<OpenApiDocuments> {
    const documents = new OpenApiDocuments(parts, before);
    const slice = new Slice();
    for (const source of documentSources(parts.catalogue, parts.types)) {
      const known = before?.groups.get(source.key);
      const group = known?.isOf(source.resources) ? known : new GroupDocument(documents.parts, source, known);
      documents.groups.set(source.key, group);
      await slice.breathe();
    }
    if (!before) return documents;
    before.successor = documents;
    for (const [key, group] of before.groups) if (!documents.groups.has(key)) group.forget();
    return documents;
  }

  private constructor(
    { catalogue, types, remote = [], remoteOpenApi, ...parts }: DocumentsParts,
    before: OpenApiDocuments | undefined,
  ) {
    this.catalogue = catalogue;
    this.remote = remote;
    this.remoteOpenApi = remoteOpenApi;
    this.remoteByKey = new Map(remote.map((description) => [keyOf(description), description]));
    this.writeSerially = before?.writeSerially ?? serialQueue();
    this.parts = before?.parts ?? {
      ...parts,
      kept: new KeptPieces(),
      shared: new SharedDefinitions({ ...parts, kindsOf: servedKinds(catalogue, types) }),
      runSerially: serialQueue(),
    };
  }

  /**
   * The one document of version 2, or that of a later catalogue: whoever waits for an outdated one moves on, so that of
   * many catalogues in a short time few are written.
   * @param moves how many outdated ones the request has waited for
   */
  async v2(form: DocumentForm, moves = 0): Promise<CachedDocument> {
    if (moves >= mostMoves) this.mustBeMade = true;
    let document = this.madeV2.get(form);
    if (!document) {
      document = this.makeV2(form, moves);
      this.madeV2.set(form, document);
      document.catch(() => this.madeV2.delete(form));
    }
    return document;
  }

  /** The hashes of all documents of version 3 as JSON, by key (`apis/apps/v1`), sorted. */
  async v3Hashes(): Promise<ReadonlyMap<string, string>> {
    const keys = [...new Set([...this.groups.keys(), ...this.remoteByKey.keys()])].sort();
    const slice = new Slice();
    const all = new Map<string, string>();
    for (const key of keys) {
      const hash = await this.v3Hash(key);
      if (hash !== undefined) all.set(key, hash);
      await slice.breathe();
    }
    return all;
  }

  /** The hash of a version 3 document as JSON, which need not be made for it; undefined for an unknown key. */
  async v3Hash(key: string): Promise<string | undefined> {
    const remote = this.remoteByKey.get(key);
    return remote ? remote.v3?.json.hash : this.groups.get(key)?.hashV3();
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
    const buffers = (all: readonly Uint8Array[]): Buffer[] => all.map((bytes) => Buffer.from(bytes.buffer));
    return { paths: buffers(merged.paths[form]), definitions: buffers(merged.definitions[form]) };
  }

  private async mergeV2(remoteOpenApi: Pick<RemoteOpenApi, 'merge'>): Promise<Merged> {
    try {
      const paths = [...this.groups.keys()].map((key) => `/${key}/`);
      return await remoteOpenApi.merge(this.remote, { paths, definitions: linesOf(this.ownDefinitions()) });
    } catch (error) {
      this.mergedV2 = undefined;
      throw error;
    }
  }

  /** In JSON; those of a group have a turn of their own. */
  private async *ownDefinitions(): AsyncGenerator<ReadonlyMap<string, Buffer>> {
    for (const [key, group] of this.groups)
      if (!this.remoteByKey.has(key)) yield (await group.v2('json')).definitions;
  }

  private async makeV2(form: DocumentForm, moves: number): Promise<CachedDocument> {
    const made = await this.writtenV2(form);
    return made ?? this.latest().v2(form, moves + 1);
  }

  private latest(): OpenApiDocuments {
    let latest = this.successor;
    for (let later = latest; later; later = later.successor) latest = later;
    return latest ?? this;
  }

  private isAbandoned(): boolean {
    return this.successor !== undefined && !this.mustBeMade;
  }

  /**
   * One at a time, whose steps take turns with the documents of version 3. Undefined if it was outdated before it was
   * begun.
   */
  private writtenV2(form: DocumentForm): Promise<CachedDocument | undefined> {
    return this.writeSerially(async () => {
      if (this.isAbandoned()) return undefined;
      const writer = new WriterV2(form);
      try {
        await this.writeV2(writer, form);
        return await this.parts.runSerially(() => writer.finish(this.parts, new Slice()));
      } finally {
        writer.close();
      }
    });
  }

  private async writeV2(writer: WriterV2, form: DocumentForm): Promise<void> {
    for (const [key, group] of this.groups) {
      if (this.remoteByKey.has(key)) continue;
      const part = await group.v2(form);
      await this.parts.runSerially(() => writer.add(part, new Slice()));
    }
    const added = await this.addedV2(form);
    await this.parts.runSerially(() => writer.addMembers(added, new Slice()));
  }
}

/** The path below `/openapi/v3/`. */
function keyOf({ group, version }: CheckedDescription): string {
  return `${group === '' ? 'api' : 'apis'}/${apiVersionOf({ group, version })}`;
}

function nothing(): void {
  // There is nothing to be done.
}

/** One after the other: pieces of several documents in the same turn of the loop would add up. */
function serialQueue(): GroupDocumentParts['runSerially'] {
  let last: Promise<unknown> = Promise.resolve();
  return (make) => {
    const made = last.then(make);
    // What was made is not held here.
    last = made.then(nothing, nothing);
    return made;
  };
}
