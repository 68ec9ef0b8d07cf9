/** Takes an object the way of a write, without a server: structure, defaults, preparation, zero values, rules. */
import { TimeSince } from '../../src/api/columns/human-duration.ts';
import { builtInGroups } from '../../src/api/index.ts';
import { loadCatalogueSchemas } from '../../src/api/schemas.ts';
import type { ApiContext, CellValue, ColumnDefinition, ResourceDefinition } from '../../src/api/types.ts';
import { checkDeclared } from '../../src/api/validation/declared-rules.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../src/api/validation/metadata.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { deepCopy } from '../../src/base/json.ts';
import type { FieldError } from '../../src/meta/field-error.ts';
import { FieldPath } from '../../src/meta/field-path.ts';
import { namingProfiles } from '../../src/meta/naming.ts';
import type { ApiObject } from '../../src/meta/object.ts';
import { asApiObject, asJson } from '../../src/meta/object.ts';
import { createFeatureGates } from '../../src/observe/feature-gates.ts';
import { featuresOf } from '../../src/observe/release-gates.ts';
import { currentRelease, newestRelease, type Release } from '../../src/observe/release.ts';
import { isShown } from '../../src/registry/catalogue/catalogue.ts';
import { applyStaticDefaults } from '../../src/schema/static-defaults.ts';
import { checkEnums } from '../../src/schema/enum-check.ts';
import { checkStructure } from '../../src/schema/structure.ts';
import type { StructSchema } from '../../src/schema/types.ts';
import { fillZeroValues } from '../../src/schema/zero-values.ts';

export const naming = namingProfiles.orch;
const schemas = loadCatalogueSchemas(naming);
/** Kinds that 1.21 does not have are those of the newest release. */
const newest = loadCatalogueSchemas(naming, newestRelease.minor);
const specifiedGates = createFeatureGates();

export const now = new Date('2021-06-01T12:00:00Z');

export function contextWith(
  options: { on?: string[]; off?: string[]; subresource?: string; version?: string; release?: Release } = {},
): ApiContext {
  const { release } = options;
  const gates = release ? createFeatureGates({}, featuresOf(release)) : specifiedGates;
  const isOn = (gate: string): boolean =>
    options.on?.includes(gate) === true || (options.off?.includes(gate) !== true && gates.isEnabled(gate));
  return {
    naming,
    isFeatureEnabled: isOn,
    now: () => now,
    allowsPrivileged: true,
    subresource: options.subresource ?? '',
    version: options.version ?? 'v1',
    user: { name: 'ada', uid: 'u', groups: ['dev'], extra: { scope: ['a'] } },
    ...(release && { release }),
  };
}

/** Whether release 1.21, which is that of most tests, has the type. */
function isSpecified({ name }: StructSchema): boolean {
  return schemas.find(name) !== undefined;
}

/** `pods` or `leases.coordination`: plural and folder. */
export class Kind {
  readonly definition: ResourceDefinition;
  readonly schema: StructSchema;
  readonly context: ApiContext;
  /** Absent: 1.21 if it has the kind, else the newest. */
  private readonly release: Release;

  /** @param release whose types the kind has; absent: 1.21, if it has the kind */
  constructor(name: string, context: ApiContext = contextWith(), release?: Release) {
    const [plural, folder = 'core'] = name.split('.');
    const group = builtInGroups.find((candidate) => candidate.folder === folder);
    const found = group?.resources.find((resource) => resource.plural === plural);
    if (!found) throw new Error(`no kind ${name}`);
    this.definition = found;
    const type = `${found.storedIn?.folder ?? folder}/${found.storageVersion}.${found.kind}`;
    const types = release && loadCatalogueSchemas(naming, release.minor);
    this.schema = (types ?? (schemas.find(type) ? schemas : newest)).get(type);
    this.context = context;
    this.release = release ?? (isSpecified(this.schema) ? currentRelease : newestRelease);
  }

  /** Structure checked, defaults set. */
  decode(sent: JsonObject): ApiObject {
    const { value, errors } = checkStructure(this.schema, deepCopy(sent), FieldPath.of(''));
    if (errors.length > 0) throw new Error(errors.map(String).join('; '));
    value['metadata'] ??= {};
    applyStaticDefaults(this.schema, value, this.context.isFeatureEnabled);
    const object = asApiObject(value);
    this.definition.versions[0]?.applyDefaults?.(object, this.context);
    return object;
  }

  /** As it would be stored by a create. */
  created(sent: JsonObject): ApiObject {
    const object = this.decode(sent);
    this.definition.strategy.prepareForCreate?.(object, this.context);
    fillZeroValues(this.schema, asJson(object));
    return object;
  }

  createErrors(sent: JsonObject): FieldError[] {
    const object = this.created(sent);
    return [
      ...validateObjectMeta(object.metadata, {
        namespaced: this.definition.namespaced,
        nameRule: (name, isPrefix) => this.definition.validateName(name, isPrefix, this.context),
      }),
      ...checkEnums(this.schema, asJson(object), FieldPath.of('')),
      ...checkDeclared(this.schema, asJson(object), FieldPath.of('')),
      ...(this.definition.strategy.validate?.(object, this.context) ?? []),
    ];
  }

  /** As it would be stored by an update of what `before` created; `subresource` '' is the object itself. */
  updated(before: ApiObject, sent: JsonObject, subresource = ''): ApiObject {
    const next = this.decode(sent);
    this.writer(subresource).prepareForUpdate?.(next, before, this.context);
    fillZeroValues(this.schema, asJson(next));
    return next;
  }

  updateErrors(before: ApiObject, sent: JsonObject, subresource = ''): FieldError[] {
    const next = this.updated(before, sent, subresource);
    return [
      ...validateObjectMetaUpdate(next.metadata, before.metadata),
      ...checkEnums(this.schema, asJson(next), FieldPath.of('')),
      ...checkDeclared(this.schema, asJson(next), FieldPath.of(''), asJson(before)),
      ...(this.writer(subresource).validateUpdate?.(next, before, this.context) ?? []),
    ];
  }

  columns(): readonly ColumnDefinition[] {
    return this.definition.columns.filter((column) => isShown(this.release, column));
  }

  cells(object: ApiObject): unknown[] {
    return this.columns().map((column) => shown(column.cell(object, naming)));
  }

  private writer(
    subresource: string,
  ): Pick<ResourceDefinition['strategy'], 'prepareForUpdate' | 'validateUpdate'> {
    if (subresource === '') return this.definition.strategy;
    const found = this.definition.subresources.find(({ name }) => name === subresource);
    if (!found) throw new Error(`no subresource ${subresource}`);
    return found;
  }
}

/** A cell as it is sent at `now`. */
export function shown(cell: CellValue, at = now): unknown {
  return cell instanceof TimeSince ? cell.text(at.getTime()) : cell;
}

/** `path reason` of each error, the reason without its prefix; sorted. */
export function brief(errors: readonly FieldError[]): string[] {
  return errors.map(({ field, reason }) => `${field} ${reason.replace('FieldValue', '')}`).sort();
}

/** Sets a value at a path like `spec.containers.0.image`; undefined removes it. Gives a copy. */
export function withValue(object: JsonObject, path: string, value: unknown): JsonObject {
  const copy = deepCopy(object);
  const steps = path.split('.').map((step) => step.replaceAll('~', '.'));
  const last = steps.pop() ?? '';
  let at = copy as Record<string, unknown>;
  for (const step of steps) {
    at[step] ??= {};
    at = at[step] as Record<string, unknown>;
  }
  if (value === undefined) Reflect.deleteProperty(at, last);
  else at[last] = value;
  return copy;
}

export type ErrorCase = readonly [path: string, value: unknown, ...errors: string[]];

/** One test per case: the minimal object with one value changed has exactly these errors. */
export function testErrors(kind: Kind, minimal: JsonObject, cases: readonly ErrorCase[]): void {
  test('the minimal object has no error', () => {
    expect(brief(kind.createErrors(minimal))).toEqual([]);
  });
  test.each(cases.map(([path, value, ...errors]) => ({ path, value, errors })))(
    '$path = $value',
    ({ path, value, errors }) => {
      expect(brief(kind.createErrors(withValue(minimal, path, value)))).toEqual([...errors].sort());
    },
  );
}
