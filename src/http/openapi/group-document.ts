/** What one group version, group or root says of itself: its document of version 3, and its part of that of version 2. */
import { createHash } from 'node:crypto';
import { Slice } from '../../base/cooperate.ts';
import type { ServedResource } from '../../registry/types.ts';
import type { CachedDocument } from '../cached-document.ts';
import { cacheDocument } from '../cached-document.ts';
import { documentEncodings, type DocumentEncoding, type DocumentForm } from './document-encoding.ts';
import { DocumentPiece, type DocumentPieceParts } from './document-piece.ts';
import type { EncodedPiece } from './kept-pieces.ts';
import type { DocumentSource, PieceSource } from './models.ts';
import type { SharedDefinitions } from './shared-definitions.ts';

/** Both spellings that clients use are answered by the one that is a media type. */
export const documentTypes = {
  v2: { json: 'application/json', protobuf: 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf' },
  v3: { json: 'application/json', protobuf: 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf' },
} as const;

export interface GroupDocumentParts extends DocumentPieceParts {
  readonly shared: SharedDefinitions;
  /** Runs what it is given when what it was given before is done. */
  readonly runSerially: <T>(make: () => Promise<T>) => Promise<T>;
}

/** Encoded members of a document. */
export interface EncodedPart {
  readonly paths: readonly Buffer[];
  /** By name: several group versions have the same types. */
  readonly definitions: ReadonlyMap<string, Buffer>;
}

/** Made piece by piece when it is first asked for, so that other requests get their turn, and kept as bytes. */
export class GroupDocument {
  readonly #parts: GroupDocumentParts;
  readonly #resources: readonly ServedResource[];
  readonly #pieces: ReadonlyMap<PieceSource['of'], DocumentPiece>;
  readonly #v3 = new Map<DocumentForm, Promise<CachedDocument | undefined>>();
  #hash: Promise<string | undefined> | undefined;
  #successor: GroupDocument | undefined;

  /** @param before what the same key was before: takes over its pieces of resources that did not change, and outdates it */
  constructor(parts: GroupDocumentParts, source: DocumentSource, before?: GroupDocument) {
    this.#parts = parts;
    this.#resources = source.resources;
    const known = before ? before.#pieces : undefined;
    this.#pieces = new Map(
      source.pieces.map((piece) => [piece.of, known?.get(piece.of) ?? new DocumentPiece(parts, piece)]),
    );
    if (!before) return;
    before.#successor = this;
    before.#forgetAllBut(this.#pieces);
  }

  /** Its group version is gone. */
  forget(): void {
    this.#forgetAllBut(new Map());
  }

  #forgetAllBut(later: ReadonlyMap<PieceSource['of'], DocumentPiece>): void {
    for (const [of, piece] of this.#pieces) if (!later.has(of)) piece.forget();
  }

  /** Whether it says the same as one of these resources. */
  isOf(resources: readonly ServedResource[]): boolean {
    const own = this.#resources;
    return own.length === resources.length && own.every((resource, index) => resource === resources[index]);
  }

  /** The document of version 3, or that of a later state if this one was outdated before it was begun. */
  async v3(form: DocumentForm): Promise<CachedDocument> {
    const made = await (this.#v3.get(form) ?? this.#makeV3(form));
    return made ?? this.#latest().v3(form);
  }

  /**
   * The hash of its JSON of version 3, or of that of a later state. Documents of custom resources are not made for it: an index of
   * thousands would take half a minute.
   */
  async hashV3(): Promise<string> {
    if (!this.#hasCustom) return (await this.v3('json')).hash;
    this.#hash ??= this.#hashedV3();
    return (await this.#hash) ?? this.#latest().hashV3();
  }

  get #hasCustom(): boolean {
    return this.#pieces.values().some(({ isCustom }) => isCustom);
  }

  #hashedV3(): Promise<string | undefined> {
    const hashed = this.#parts.runSerially(async () =>
      this.#successor ? undefined : this.#signed(new Slice()),
    );
    hashed.catch(() => (this.#hash = undefined));
    return hashed;
  }

  /** Of what its pieces are made from, and of what stands between them, which has the build of the service. */
  async #signed(slice: Slice): Promise<string> {
    const encoding = documentEncodings[3].json;
    const roots = new Set<string>();
    const signs: string[] = [];
    for (const piece of this.#pieces.values()) {
      const sign = await piece.sign(slice);
      signs.push(sign.digest);
      for (const root of sign.roots) roots.add(root);
      await slice.breathe();
    }
    const shared = await this.#parts.shared.of(roots, encoding, slice);
    const digest = createHash('sha256').update(signs.join());
    for (const part of encoding.assemble(this.#parts, { paths: [], definitions: [...shared.values()] }))
      digest.update(part);
    return digest.digest('hex').toUpperCase();
  }

  /** What could not be made is made again when it is asked for again. */
  #makeV3(form: DocumentForm): Promise<CachedDocument | undefined> {
    const document = this.#parts.runSerially(async () => {
      if (this.#successor) return undefined;
      const encoding = documentEncodings[3][form];
      const slice = new Slice();
      const { paths, definitions } = await this.#encoded(encoding, slice);
      const members = { paths, definitions: [...definitions.values()] };
      const hash = form === 'json' && this.#hasCustom ? await this.#signed(slice) : undefined;
      return cacheDocument(documentTypes.v3[form], encoding.assemble(this.#parts, members), hash);
    });
    this.#v3.set(form, document);
    document.catch(() => this.#v3.delete(form));
    return document;
  }

  /** Its part of the document of version 2, or that of a later state. Only its pieces are kept. */
  async v2(form: DocumentForm): Promise<EncodedPart> {
    const made = await this.#parts.runSerially(async () =>
      this.#successor ? undefined : this.#encoded(documentEncodings[2][form], new Slice()),
    );
    return made ?? this.#latest().v2(form);
  }

  #latest(): GroupDocument {
    let latest = this.#successor;
    for (let later = latest; later; later = later.#successor) latest = later;
    return latest ?? this;
  }

  async #encoded(encoding: DocumentEncoding, slice: Slice): Promise<EncodedPart> {
    const pieces: EncodedPiece[] = [];
    for (const piece of this.#pieces.values()) pieces.push(await piece.encoded(encoding, slice));
    const roots = new Set(pieces.flatMap((piece) => piece.roots));
    const definitions = new Map(await this.#parts.shared.of(roots, encoding, slice));
    for (const piece of pieces) {
      for (const [name, definition] of piece.definitions) definitions.set(name, definition);
      await slice.breathe();
    }
    return { paths: pieces.map(({ paths }) => paths).filter(({ length }) => length > 0), definitions };
  }
}
