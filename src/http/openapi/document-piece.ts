/** What names the content of a piece. */
export interface PieceSign {
  /** Equal for pieces of equal content, of one build of the service. */
  readonly digest: string;
  /** Types of the catalogue that it refers to. */
  readonly roots: readonly string[];
}

/**
 * A part of a document, rendered and encoded per version and form: what a custom resource adds, or what the built-in
 * ones of a group version do. A changed definition costs its own piece, however many others its group has.
 */
import { hash } from 'node:crypto';
import type { Slice } from '../../base/cooperate.ts';
import type { JsonObject } from '../../base/json.ts';
import { customDefinitions } from './custom-definitions.ts';
import { documentEncodings, type DocumentEncoding } from './document-encoding.ts';
import { rootsOf } from './model.ts';
import type { PieceSource } from './models.ts';
import type { EncodedPiece, KeptPieces } from './kept-pieces.ts';
import type { RenderParts } from './render.ts';

export interface DocumentPieceParts extends RenderParts {
  readonly kept: KeptPieces;
}

export class DocumentPiece {
  readonly #parts: DocumentPieceParts;
  readonly #source: PieceSource;
  /** What names this piece in an encoding among those that are kept. */
  readonly #keys = new Map<DocumentEncoding, object>();
  #isGone = false;
  #sign: Promise<PieceSign> | undefined;

  constructor(parts: DocumentPieceParts, source: PieceSource) {
    this.#parts = parts;
    this.#source = source;
  }

  async encoded(encoding: DocumentEncoding, slice: Slice): Promise<EncodedPiece> {
    const key = this.#keyOf(encoding);
    const known = await this.#parts.kept.get(key);
    if (known) return known;
    const model = await this.#source.model(slice);
    const items: [string, JsonObject][] = [];
    for (const path of model.paths) {
      items.push([path.path, encoding.pathItem(this.#parts, path)]);
      await slice.breathe();
    }
    const members = await encoding.encodePaths(Object.fromEntries(items), slice);
    const definitions: JsonObject = {};
    for (const resource of model.custom) {
      Object.assign(definitions, await customDefinitions(resource, encoding.version, slice));
      await slice.breathe();
    }
    const made = {
      paths: await encoding.join(members, slice),
      definitions: await encodedByName(definitions, encoding, slice),
      roots: rootsOf(model),
    };
    if (!this.#isGone) await this.#parts.kept.keep(key, made);
    return made;
  }

  /** Whether its content is that of a custom resource: to render it takes milliseconds. */
  get isCustom(): boolean {
    return this.#source.of !== 'built-in';
  }

  /** Names its JSON of version 3. That of a custom resource is not rendered for it: it follows from paths, names and the schema. */
  sign(slice: Slice): Promise<PieceSign> {
    if (this.#sign === undefined) {
      this.#sign = this.isCustom ? this.#signedByModel(slice) : this.#signedByContent(slice);
      this.#sign.catch(() => (this.#sign = undefined));
    }
    return this.#sign;
  }

  async #signedByContent(slice: Slice): Promise<PieceSign> {
    const { paths, roots } = await this.encoded(documentEncodings[3].json, slice);
    return { digest: hash('sha256', paths, 'base64'), roots };
  }

  async #signedByModel(slice: Slice): Promise<PieceSign> {
    const model = await this.#source.model(slice);
    const types = model.custom.map(({ gvk, listKind, description }) => [gvk, listKind, description]);
    return { digest: hash('sha256', JSON.stringify([model.paths, types]), 'base64'), roots: rootsOf(model) };
  }

  /** Of a resource that is gone, or has changed, nothing is kept. */
  forget(): void {
    this.#isGone = true;
    for (const key of this.#keys.values()) this.#parts.kept.forget(key);
  }

  #keyOf(encoding: DocumentEncoding): object {
    const known = this.#keys.get(encoding) ?? {};
    this.#keys.set(encoding, known);
    return known;
  }
}

/** Each definition by its name. */
export async function encodedByName(
  definitions: JsonObject,
  encoding: DocumentEncoding,
  slice: Slice,
): Promise<ReadonlyMap<string, Buffer>> {
  const encoded = await encoding.encodeDefinitions(definitions, slice);
  return new Map(Object.keys(definitions).map((name, index) => [name, encoded[index] ?? Buffer.alloc(0)]));
}
