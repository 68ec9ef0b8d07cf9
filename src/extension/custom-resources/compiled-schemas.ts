/**
 * The schemas of versions that were used lately, as objects are judged by them: parsed and compiled they take ten times
 * the memory of their text, and there may be thousands. The others are read again when they are used.
 */
import type { JsonObject } from '../../base/json.ts';
import { ruleTextInSteps } from '../../cel/schema/rule.ts';
import type { RuleNode } from '../../cel/schema/rule-tree.ts';
import { objectSchema } from '../../schema/structural/to-schema.ts';
import { objectOr, readInSteps, readStructural, type Structural } from '../../schema/structural/types.ts';
import type { StructSchema } from '../../schema/types.ts';

export interface SchemaOptions {
  /** Prefix of schema extensions. */
  readonly prefix: string;
  /** Schema of metadata, as of every kind. */
  readonly metadata: StructSchema;
  /** Unknown fields are preserved. */
  readonly isFree: boolean;
}

/** A schema, and what is made of it when it is needed. */
export class CompiledSchema {
  readonly node: Structural;
  /** Absent: not read yet. */
  rules: { readonly tree: RuleNode | undefined } | undefined;
  /** Characters of all rules. */
  ruleText: number | undefined;
  readonly #options: SchemaOptions;
  #schema: StructSchema | undefined;

  /** @param node if it is read already */
  constructor(raw: JsonObject | undefined, options: SchemaOptions, node?: Structural) {
    this.node = node ?? readStructural(objectOr(raw), options.prefix);
    this.#options = options;
  }

  /** The same for a large schema, in steps: what every write asks of all of its nodes is known then. */
  static *inSteps(raw: JsonObject, options: SchemaOptions): Generator<void, CompiledSchema, void> {
    const compiled = new CompiledSchema(raw, options, yield* readInSteps(raw, options.prefix));
    compiled.ruleText = yield* ruleTextInSteps(raw, options.prefix);
    return compiled;
  }

  /** Schema for server-side apply. */
  get schema(): StructSchema {
    const { metadata, isFree } = this.#options;
    return (this.#schema ??= objectSchema(this.node, metadata, isFree));
  }
}

/** Characters of the texts of those that are kept: a hundred of the largest that projects have, or five of the largest possible. */
const mostWeight = 8 * 1024 * 1024;

interface Kept {
  readonly compiled: CompiledSchema;
  readonly weight: number;
}

export class CompiledSchemas {
  /** By their owners; the one that was used last is the last one. */
  readonly #kept = new Map<object, Kept>();
  readonly #mostWeight: number;
  #weight = 0;

  constructor(weight = mostWeight) {
    this.#mostWeight = weight;
  }

  /** Characters of all that are kept. */
  get weight(): number {
    return this.#weight;
  }

  has(owner: object): boolean {
    return this.#kept.has(owner);
  }

  /** That of an owner, made if it is not there. */
  of(owner: object, weight: number, make: () => CompiledSchema): CompiledSchema {
    const kept = this.#kept.get(owner);
    if (kept) this.#kept.delete(owner);
    else this.#weight += weight;
    const { compiled } = kept ?? { compiled: make() };
    this.#kept.set(owner, kept ?? { compiled, weight });
    if (!kept) this.#evict();
    return compiled;
  }

  /** Nobody uses that of this owner any more. */
  forget(owner: object): void {
    const kept = this.#kept.get(owner);
    if (!kept) return;
    this.#kept.delete(owner);
    this.#weight -= kept.weight;
  }

  /** The newest stays, whatever its size. */
  #evict(): void {
    for (const [owner, { weight }] of this.#kept) {
      if (this.#weight <= this.#mostWeight || this.#kept.size === 1) return;
      this.#kept.delete(owner);
      this.#weight -= weight;
    }
  }
}
