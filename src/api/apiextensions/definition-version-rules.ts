/** Rules of the versions of a custom resource: names, schema, columns, subresources. */
import type { ApiContext } from '../types.ts';
import { messageOf } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { parseJsonPath } from '../../base/json-path.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { forbidden, invalid, required, tooMany } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import { ruleTreeErrors } from '../../cel/schema/definition-errors.ts';
import { maxRuleText, ruleTextIn, shortRuleText } from '../../cel/schema/rule.ts';
import { readRules } from '../../cel/schema/rule-tree.ts';
import { PatternBudget } from '../../schema/structural/pattern.ts';
import { readStructural } from '../../schema/structural/types.ts';
import { dns1035Label } from '../validation/name-rules.ts';
import { each, given, need, obeys, repeatedNames } from '../validation/rules.ts';
import { defaultErrors } from './default-rules.ts';
import { schemaErrors } from './schema-rules.ts';
import type { Placed } from './schema-walk.ts';
import { selectableFieldErrors } from './selectable-fields.ts';
import { structuralErrors } from './structural-rules.ts';
import type {
  CustomResourceColumnDefinition as Column,
  CustomResourceDefinitionVersion as Version,
  CustomResourceSubresourceScale as Scale,
} from './v1.types.ts';

export interface VersionRules {
  /** Prefix of schema extensions. */
  readonly prefix: string;
  /** Objects keep what no schema knows: then it need not be structural, and there are no defaults. */
  readonly preserves: boolean;
  readonly mayDefault: boolean;
  /** Release whose rules expressions follow; absent when it does not know validation rules. */
  readonly ruleRelease: number | undefined;
  /** Objects can be selected by the fields that a version names. */
  readonly selectsByFields: boolean;
  /** Expressions of validation rules that the definition had: they may use what later releases know. */
  readonly knownExpressions: ReadonlySet<string>;
  /** Called before rules are read that take long. */
  readonly noteLongWork?: ApiContext['noteLongWork'];
  /** How many versions the definition had; 0 for a new one. */
  readonly versionsBefore: number;
  /** Most printer columns that a version of it had; 0 for a new one. */
  readonly columnsBefore: number;
  /** As that of `SchemaRules`. */
  readonly propertiesBefore: () => number;
}

/** With what all versions of one definition share. */
type SharedRules = VersionRules & { readonly patterns: PatternBudget; readonly texts: RuleTexts };

/** Characters that expressions may still have. */
interface RuleTexts {
  left: number;
}

const warningMaxLength = 256;

/**
 * Each version is a group version with an APIService, discovery and OpenAPI documents of its own. The reference has no
 * such limit; there, too, thousands of versions in one small request would cost all clients.
 */
export const mostVersions = 100;

/** Printer columns of a version: each is a cell in every row of a Table. The reference has no such limit. */
export const mostColumns = 1_000;

/** Exactly one of the versions is stored. A definition with too many versions, stored by others, may lose some of them. */
export function versionsErrors(
  versions: readonly Version[],
  path: FieldPath,
  rules: VersionRules,
): FieldError[] {
  const most = Math.max(mostVersions, rules.versionsBefore);
  if (versions.length > most) return [tooMany(path, versions.length, mostVersions)];
  const withBudget = { ...rules, patterns: new PatternBudget(), texts: { left: maxRuleText } };
  const stored = versions.filter(({ storage }) => storage === true).length;
  return [
    ...(versions.length === 0 ? [required(path)] : []),
    ...each(versions, path, (version, at) => versionErrors(version, at, withBudget)),
    ...repeatedNames(versions, path),
    ...(stored === 1 || versions.length === 0
      ? []
      : [
          invalid(
            path,
            versions.map(({ name }) => name),
            'must have exactly one version marked as storage version',
          ),
        ]),
  ];
}

function versionErrors(version: Version, path: FieldPath, rules: SharedRules): FieldError[] {
  const at = path.child('subresources');
  return [
    ...need(version.name, path.child('name'), obeys(dns1035Label)),
    ...versionSchemaErrors(version.schema?.openAPIV3Schema as JsonObject | undefined, path, rules),
    ...columnsErrors(version.additionalPrinterColumns ?? [], path.child('additionalPrinterColumns'), rules),
    ...given(version.subresources?.scale, at.child('scale'), scaleErrors),
    ...(rules.selectsByFields ? selectionErrors(version, path, rules) : []),
    ...warningErrors(version, path.child('deprecationWarning')),
  ];
}

function selectionErrors(
  { schema, selectableFields }: Version,
  path: FieldPath,
  { prefix }: SharedRules,
): FieldError[] {
  const text = schema?.openAPIV3Schema as JsonObject | undefined;
  const node = text && readStructural(text, prefix);
  return selectableFieldErrors(selectableFields, node, path.child('selectableFields'));
}

/** The whole schema of a version, however deep. */
function versionSchemaErrors(
  schema: JsonObject | undefined,
  version: FieldPath,
  rules: SharedRules,
): FieldError[] {
  const path = version.child('schema').child('openAPIV3Schema');
  if (!schema) return rules.preserves ? [] : [required(path, 'schemas are required')];
  const placed = { schema, path };
  const errors = schemaErrors(placed, rules);
  if (errors.length > 0 || rules.preserves) return errors;
  const structural = structuralErrors(placed, rules.prefix);
  if (structural.length > 0) return structural;
  const defaults = defaultErrors(placed, rules.prefix);
  return defaults.length > 0 ? defaults : validationErrors(placed, rules);
}

/** Validation rules of a schema: their expressions, and what they may cost. */
function validationErrors(
  { schema, path }: Placed,
  { prefix, ruleRelease, knownExpressions, texts, noteLongWork }: SharedRules,
): FieldError[] {
  if (ruleRelease === undefined) return [];
  const length = ruleTextIn(schema, prefix);
  if (length > shortRuleText) noteLongWork?.();
  texts.left -= length;
  if (texts.left < 0)
    return [
      forbidden(
        path,
        `the validation rules of a definition may have ${String(maxRuleText)} characters together: use fewer, or shorter ones`,
      ),
    ];
  const tree = readRules(readStructural(schema, prefix), path, {
    ...{ prefix, minor: ruleRelease, known: knownExpressions },
  });
  return tree ? ruleTreeErrors(tree, path, prefix) : [];
}

/** A version with too many columns, stored by others, may lose some of them. */
function columnsErrors(
  columns: readonly Column[],
  path: FieldPath,
  { columnsBefore }: VersionRules,
): FieldError[] {
  if (columns.length > Math.max(mostColumns, columnsBefore))
    return [tooMany(path, columns.length, mostColumns)];
  return each(columns, path, columnErrors);
}

function columnErrors(column: Column, path: FieldPath): FieldError[] {
  return [
    ...need(column.name, path.child('name')),
    ...need(column.type, path.child('type')),
    ...need(column.jsonPath, path.child('jsonPath'), pathErrors),
  ];
}

function pathErrors(text: string, path: FieldPath): FieldError[] {
  if (!text.startsWith('.')) return [invalid(path, text, 'must be a simple json path starting with .')];
  try {
    parseJsonPath(text);
    return [];
  } catch (error) {
    return [invalid(path, text, `must be a json path: ${messageOf(error)}`)];
  }
}

function scaleErrors(scale: Scale, path: FieldPath): FieldError[] {
  return [
    ...need(scale.specReplicasPath, path.child('specReplicasPath'), under(['.spec.'])),
    ...need(scale.statusReplicasPath, path.child('statusReplicasPath'), under(['.status.'])),
    ...given(
      scale.labelSelectorPath || undefined,
      path.child('labelSelectorPath'),
      under(['.spec.', '.status.']),
    ),
  ];
}

/** Plain names joined by dots, below one of the parts of an object. */
function under(parts: readonly string[]): (text: string, path: FieldPath) => FieldError[] {
  return (text, path) => [
    ...(/^(?:\.[^.[\]]+)+$/.test(text)
      ? []
      : [invalid(path, text, 'must be a simple json path starting with ., without brackets')]),
    ...(parts.some((part) => text.startsWith(part))
      ? []
      : [
          invalid(
            path,
            text,
            `should be a json path under ${parts.map((part) => part.slice(0, -1)).join(' or ')}`,
          ),
        ]),
  ];
}

function warningErrors({ deprecated, deprecationWarning }: Version, path: FieldPath): FieldError[] {
  if (deprecationWarning === undefined) return [];
  const problems = [
    deprecated === true ? '' : 'can only be set for deprecated versions',
    deprecationWarning.length > warningMaxLength
      ? `must be <= ${String(warningMaxLength)} characters long`
      : '',
    deprecationWarning === '' ? 'must not be empty' : '',
    /\p{Cc}/u.test(deprecationWarning) ? 'must only contain printable UTF-8 characters' : '',
  ];
  return problems
    .filter((problem) => problem !== '')
    .map((problem) => invalid(path, deprecationWarning, problem));
}
