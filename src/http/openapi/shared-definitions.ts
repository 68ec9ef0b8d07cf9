/** Encoded definitions of catalogue types. Groups of custom resources refer to the same ones: they are made once. */
import type { Slice } from '../../base/cooperate.ts';
import type { GroupVersionKind } from '../../meta/gvk.ts';
import { openApiDefinitions } from '../../schema/openapi/openapi-definitions.ts';
import type { DocumentEncoding } from './document-encoding.ts';
import { encodedByName } from './document-piece.ts';
import type { RenderParts } from './render.ts';

type Definitions = ReadonlyMap<string, Buffer>;

export interface SharedDefinitionParts extends RenderParts {
  /** Which kinds each type is served as, by schema name. */
  readonly kindsOf: (schemaName: string) => readonly GroupVersionKind[];
}

export class SharedDefinitions {
  readonly #parts: SharedDefinitionParts;
  /** By the types to begin with. Those of custom resources are few; built-in groups never change theirs. */
  readonly #made = new Map<DocumentEncoding, Map<string, Definitions>>();

  constructor(parts: SharedDefinitionParts) {
    this.#parts = parts;
  }

  /** The definitions of the roots and of all types that they refer to, by name. */
  async of(roots: ReadonlySet<string>, encoding: DocumentEncoding, slice: Slice): Promise<Definitions> {
    const sorted = [...roots].sort();
    const key = sorted.join();
    let made = this.#made.get(encoding);
    if (!made) this.#made.set(encoding, (made = new Map<string, Definitions>()));
    let definitions = made.get(key);
    if (definitions) return definitions;
    const { naming, schemas, kindsOf, hiddenFields, hasEnums } = this.#parts;
    const rendered = openApiDefinitions(schemas, {
      ...{ naming, version: encoding.version, roots: sorted },
      ...{ kindsOf, hiddenFields, hasEnums },
    });
    await slice.yieldNow();
    definitions = await encodedByName(rendered, encoding, slice);
    made.set(key, definitions);
    return definitions;
  }
}
