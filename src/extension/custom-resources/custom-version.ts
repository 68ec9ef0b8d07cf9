/** A version of a custom resource: decoding, pruning, defaulting and validation. */
import { hash } from 'node:crypto';
import type { Version } from './definition.ts';
import type { JsonObject } from '../../base/json.ts';
import { SharedSlice } from '../../base/cooperate.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { getOwn } from '../../base/json.ts';
import {
  ratchetsSchemas,
  ruleReleaseOf,
  type DefinitionFeatures,
} from '../../api/apiextensions/rule-release.ts';
import type { ApiContext } from '../../api/types.ts';
import { ruleTextIn, shortRuleText } from '../../cel/schema/rule.ts';
import { readRules, type RuleNode } from '../../cel/schema/rule-tree.ts';
import { validateRules } from '../../cel/schema/validate-rules.ts';
import { invalid, type FieldError, type FieldErrorReason } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import type { ApiObject } from '../../meta/object.ts';
import { asJson } from '../../meta/object.ts';
import { resultOf } from '../../base/sliced-work.ts';
import {
  applyStructuralDefaults,
  structuralDefaultsInSteps,
} from '../../schema/structural/structural-defaults.ts';
import { validateLists } from '../../schema/structural/lists.ts';
import { pruneInSteps, pruneObject, type Pruned } from '../../schema/structural/prune-unknown.ts';
import type { Structural } from '../../schema/structural/types.ts';
import { StepBudget } from '../../schema/structural/step-budget.ts';
import { validateBySchema } from '../../schema/structural/validate-structural.ts';
import type { StructureResult } from '../../schema/structure.ts';
import { checkStructure } from '../../schema/structure.ts';
import type { StructSchema } from '../../schema/types.ts';
import { CompiledSchema, CompiledSchemas } from './compiled-schemas.ts';
import type { SchemaSource } from './definition-head.ts';
import { embeddedErrors, pruneEmbedded } from './embedded.ts';
import { replicaErrors } from './replica-paths.ts';

/** What an update starts from, and who asks. */
interface Judged {
  readonly before?: ApiObject | undefined;
  readonly context?: ApiContext | undefined;
}

export interface VersionParts extends DefinitionFeatures {
  readonly version: Version;
  /** Where its schema is read; absent: in the version. */
  readonly source?: SchemaSource | undefined;
  /** Keeps what is made of the schema while it is used. */
  readonly schemas?: CompiledSchemas | undefined;
  /** Prefix of schema extensions. */
  readonly prefix: string;
  /** Schema of metadata, as of every kind. */
  readonly metadata: StructSchema;
  /** Unknown fields are preserved, which only v1beta1 definitions allow. */
  readonly isFree: boolean;
}

const whole = FieldPath.of('');
/** Characters of a schema that is read in about a millisecond. */
const readAtOnce = 32 * 1024;
/** All schemas that are read share it. */
const reading = new SharedSlice();

function breathe(): MaybePromise<void> {
  return reading.shouldYield() ? reading.yieldNow() : undefined;
}

export class CustomVersion {
  readonly name: string;
  readonly version: Version;
  private readonly parts: Omit<VersionParts, 'source'>;
  private readonly schemas: CompiledSchemas;
  private source: SchemaSource;
  #preparing: Promise<void> | undefined;

  constructor({ source, ...parts }: VersionParts) {
    const { version } = parts;
    this.parts = parts;
    this.version = version;
    this.name = version.name ?? '';
    this.schemas = parts.schemas ?? new CompiledSchemas();
    // Held here alone: it has the text of the whole definition, until `readAgainFrom`.
    this.source = source ?? sourceIn(version);
  }

  /** Its schema, which is the same, is read there from now on: what it was read from before may be forgotten. */
  readAgainFrom(sources: ReadonlyMap<string, SchemaSource>): void {
    this.source = sources.get(this.name) ?? this.source;
  }

  /** Of the version as its definition has it. */
  get schemaDigest(): string {
    return this.source.digest;
  }

  /** The schema as it was written, read again, in slices if it is large; for those who need it once. */
  async rawSchema(breathe: () => MaybePromise<void>): Promise<JsonObject | undefined> {
    const { source } = this;
    const large = source.readWeight > readAtOnce ? await source.readInSlices?.(breathe) : undefined;
    return large ?? source.read();
  }

  /** Reads its schema in slices if that is large and not at hand: what uses it reads it in one step. */
  prepare(): MaybePromise<void> {
    if (this.source.readWeight <= readAtOnce || this.schemas.has(this)) return undefined;
    return (this.#preparing ??= this.#readInSlices().finally(() => {
      this.#preparing = undefined;
    }));
  }

  async #readInSlices(): Promise<void> {
    const { source } = this;
    const raw = await source.readInSlices?.(breathe);
    if (!raw) return;
    const compiled = await resultOf(CompiledSchema.inSteps(raw, this.parts), breathe);
    this.schemas.of(this, source.weight, () => compiled);
  }

  /** Schema of metadata, which is at hand. */
  get metadata(): StructSchema {
    return this.parts.metadata;
  }

  /** Schema for server-side apply. */
  get schema(): StructSchema {
    return this.compiled.schema;
  }

  private get node(): Structural {
    return this.compiled.node;
  }

  /** Made when it is used, and again when others were used since. */
  private get compiled(): CompiledSchema {
    return this.schemas.of(
      this,
      this.source.weight,
      () => new CompiledSchema(this.source.read(), this.parts),
    );
  }

  /** Unknown fields are preserved everywhere. */
  get isFree(): boolean {
    return this.parts.isFree;
  }

  get hasStatus(): boolean {
    return this.version.subresources?.status != null;
  }

  /**
   * Prunes unknown fields and normalizes metadata; kind and apiVersion must be there. Values of a wrong type are left to
   * validation.
   */
  structure(body: JsonObject): StructureResult {
    const { kind, apiVersion, metadata = {}, ...rest } = body;
    const meta = checkStructure(this.parts.metadata, metadata, 'metadata');
    const { value, unknown } = this.isFree ? { value: rest, unknown: [] } : this.pruned(rest);
    return {
      value: {
        ...(kind !== undefined && { kind }),
        ...(apiVersion !== undefined && { apiVersion }),
        metadata: meta.value,
        ...value,
      },
      unknown: [...meta.unknown, ...unknown],
      errors: [...missingType(body), ...meta.errors],
    };
  }

  private pruned(body: JsonObject): Pruned {
    const { value, unknown } = pruneObject(this.node, body);
    const place = { path: whole, metadata: this.parts.metadata };
    return { value, unknown: [...unknown, ...pruneEmbedded(this.node, value, place)] };
  }

  /** Like `structure`, for a stored object: fields of an older schema are removed. */
  shown(object: JsonObject): JsonObject {
    if (this.isFree) return object;
    const { kind, apiVersion, metadata, ...rest } = object;
    return { ...present({ kind, apiVersion, metadata }), ...pruneObject(this.node, rest).value };
  }

  /** The same in steps, for large objects. */
  *shownInSteps(object: JsonObject): Generator<void, JsonObject, void> {
    if (this.isFree) return object;
    const { kind, apiVersion, metadata } = object;
    return yield* pruneInSteps(this.node, object, present({ kind, apiVersion, metadata }));
  }

  /** Returns false if the defaults would make the object too large; some are missing then. */
  applyDefaults(object: JsonObject, context?: ApiContext): boolean {
    return applyStructuralDefaults(this.node, object, context?.noteLongWork);
  }

  /** The same in steps, for stored objects that are shown: less may be added to them. */
  defaultsInSteps(object: JsonObject): Generator<void, boolean, void> {
    return structuralDefaultsInSteps(this.node, object);
  }

  /** All validation errors of an object but those of rules. Lists that were already invalid may stay so. */
  validate(object: ApiObject, { before, context }: Partial<Judged> = {}): FieldError[] {
    const json = asJson(object);
    const { scale } = this.version.subresources ?? {};
    const old = before && asJson(before);
    const onLong = context?.noteLongWork;
    const hadListErrors = old !== undefined && this.listErrors(old, onLong).length > 0;
    return [
      ...this.schemaErrors(json, old, onLong),
      ...(hadListErrors ? [] : this.listErrors(json, onLong)),
      ...embeddedErrors(this.node, json, { path: whole, metadata: this.parts.metadata }),
      ...(scale ? replicaErrors(object, scale) : []),
    ];
  }

  private listErrors(object: JsonObject, onLong: (() => void) | undefined): FieldError[] {
    return validateLists(this.node, object, whole, new StepBudget(onLong));
  }

  /** What an update left as it was may be wrong by a schema that became tighter. */
  private schemaErrors(
    object: JsonObject,
    before: JsonObject | undefined,
    onLong: (() => void) | undefined,
  ): FieldError[] {
    const place = { path: whole, prefix: this.parts.prefix };
    const errors = validateBySchema(this.node.raw, object, { ...place, budget: new StepBudget(onLong) });
    if (errors.length === 0 || before === undefined || !ratchetsSchemas(this.parts)) return errors;
    return validateBySchema(this.node.raw, object, { ...place, before, budget: new StepBudget(onLong) });
  }

  /**
   * Errors by the rules of the schema, unless the object is not of its shape. A promise where the rules take long and
   * may not move.
   */
  ruleErrors(
    object: ApiObject,
    { before, others, context }: Judged & { readonly others: readonly FieldError[] },
  ): MaybePromise<FieldError[]> {
    const onLong = context?.noteLongWork;
    const { compiled } = this;
    compiled.ruleText ??= ruleTextIn(compiled.node.raw, this.parts.prefix);
    // To compile them takes long, too, and so does to read a large schema for a few.
    const isLarge = compiled.ruleText > 0 && this.source.weight > readAtOnce;
    if (compiled.ruleText > shortRuleText || isLarge) onLong?.();
    const { tree } = (compiled.rules ??= { tree: compiled.ruleText > 0 ? this.readRules() : undefined });
    if (!tree) return [];
    if (others.some(({ reason }) => blocking.has(reason))) return [invalid(whole, '', notChecked)];
    const onUnchanged = context?.warn && warnOf(context.warn);
    return validateRules(tree, asJson(object), {
      ...{ path: whole, before: before && asJson(before), onUnchanged },
      ratchets: ratchetsSchemas(this.parts),
      limits: { onLong, isAside: context?.isAside },
    });
  }

  private readRules(): RuleNode | undefined {
    const { prefix } = this.parts;
    return ruleReleaseOf(this.parts) === undefined ? undefined : readRules(this.node, whole, { prefix });
  }
}

/** Without the members that are undefined. */
function present(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** Prepares several, one after the other. */
export function prepared(versions: readonly CustomVersion[]): MaybePromise<void> {
  for (const [i, version] of versions.entries()) {
    const ready = version.prepare();
    if (ready) return ready.then(() => prepared(versions.slice(i + 1)));
  }
  return undefined;
}

function sourceIn(version: Version): SchemaSource {
  const read = (): JsonObject | undefined => version.schema?.openAPIV3Schema as JsonObject | undefined;
  return { digest: hash('sha256', JSON.stringify(version), 'base64'), weight: 1, readWeight: 1, read };
}

/** What an update left as it was is let pass, with a warning. */
function warnOf(warn: (text: string) => void): (error: FieldError) => void {
  return ({ field, message }) => {
    warn(field === '' ? message : `${field}: ${message}`);
  };
}

/** Errors after which expressions would find values of other types than they were written for. */
const blocking: ReadonlySet<FieldErrorReason> = new Set([
  'FieldValueRequired',
  'FieldValueTypeInvalid',
  'FieldValueForbidden',
]);
const notChecked =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

/** Bodies of custom resources say what they are (API concepts of Kubernetes, "unstructured" objects). */
function missingType(body: JsonObject): string[] {
  const isMissing = (name: string): boolean => (getOwn(body, name) ?? '') === '';
  return ['kind', 'apiVersion'].filter(isMissing).map((name) => `${name}: Required value`);
}
