/** Writes the document of version 2 part by part; what was added is kept compressed only. */
import type { Slice } from '../../base/cooperate.ts';
import type { CachedDocument } from '../cached-document.ts';
import { ended, packedDocument, PackedSection } from '../packed-section.ts';
import { documentEncodings, type DocumentEncoding, type DocumentForm } from './document-encoding.ts';
import { documentTypes, type EncodedPart } from './group-document.ts';
import type { RenderParts } from './render.ts';
import type { EncodedMembers } from './sliced-json.ts';

/** Its owner calls `close` in the end, whatever became of it. */
export class WriterV2 {
  readonly #form: DocumentForm;
  readonly #encoding: DocumentEncoding;
  readonly #paths: MemberSection;
  readonly #definitions: MemberSection;
  readonly #names = new Set<string>();

  constructor(form: DocumentForm) {
    this.#form = form;
    this.#encoding = documentEncodings[2][form];
    this.#paths = new MemberSection(this.#encoding.separator);
    this.#definitions = new MemberSection(this.#encoding.separator);
  }

  /** Definitions whose name was there before are left out: groups have the same types. */
  async add({ paths, definitions }: EncodedPart, slice: Slice): Promise<void> {
    const fresh: Buffer[] = [];
    for (const [name, definition] of definitions) {
      if (!this.#names.has(name)) fresh.push(definition);
      this.#names.add(name);
    }
    await this.addMembers({ paths, definitions: fresh }, slice);
  }

  async addMembers({ paths, definitions }: EncodedMembers<Buffer>, slice: Slice): Promise<void> {
    await this.#paths.add(paths, slice);
    await this.#definitions.add(definitions, slice);
  }

  /** The whole document. */
  async finish(parts: RenderParts, slice: Slice): Promise<CachedDocument> {
    const paths = await ended(this.#paths.section, slice);
    const definitions = await ended(this.#definitions.section, slice);
    const whole = this.#encoding.assemble(parts, { paths: [paths], definitions: [definitions] });
    return packedDocument(documentTypes.v2[this.#form], whole, slice);
  }

  close(): void {
    this.#paths.section.close();
    this.#definitions.section.close();
  }
}

/** Members with a separator between them. */
class MemberSection {
  readonly section = new PackedSection();
  readonly #separator: Buffer;
  #isEmpty = true;

  constructor(separator: Buffer) {
    this.#separator = separator;
  }

  async add(members: readonly Buffer[], slice: Slice): Promise<void> {
    for (const member of members) {
      await this.section.write(this.#isEmpty ? [member] : [this.#separator, member], slice);
      this.#isEmpty = false;
    }
  }
}
