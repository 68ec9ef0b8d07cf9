/**
 * A part of a document, rendered and encoded per version and form: what a custom resource adds, or what the built-in
 * ones of a group version do. A changed definition costs its own piece, however many others its group has.
 */
import type { Slice } from '../../base/cooperate.ts';
import type { JsonObject } from '../../base/json.ts';
import { customDefinitions } from './custom-definitions.ts';
import type { DocumentEncoding } from './document-encoding.ts';
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
