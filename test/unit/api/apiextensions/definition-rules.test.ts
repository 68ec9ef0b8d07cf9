/** Validation rules in definitions: where they may stand, how long they may be, and which releases look at them. */
import { versionsErrors } from '../../../../src/api/apiextensions/definition-version-rules.ts';
import { mostPropertiesIn } from '../../../../src/api/apiextensions/schema-walk.ts';
import type { JsonObject } from '../../../../src/base/json.ts';
import { maxRuleText } from '../../../../src/cel/schema/rule.ts';
import { FieldPath } from '../../../../src/meta/field-path.ts';

function errorsOf(schema: JsonObject, { obeys = true, propertiesBefore = 0 } = {}): string[] {
  const openAPIV3Schema = { type: 'object', properties: { a: { type: 'integer' } }, ...schema };
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } };
  const rules = {
    prefix: 'x-orch-',
    preserves: false,
    mayDefault: true,
    versionsBefore: 0,
    columnsBefore: 0,
    propertiesBefore: () => propertiesBefore,
  };
  const known = {
    selectsByFields: true,
    ruleRelease: obeys ? 36 : undefined,
    knownExpressions: new Set<string>(),
  };
  return versionsErrors([version], FieldPath.of('versions'), { ...rules, ...known }).map(
    ({ field, message }) => `${field}: ${message}`,
  );
}

const ruled = (...rules: unknown[]): JsonObject => ({ 'x-orch-validations': rules as JsonObject[] });
const at = 'versions[0].schema.openAPIV3Schema';

test('a release without rules does not look at them', () => {
  const bad = ruled({ rule: 'self.unknown' });
  expect(errorsOf(bad)).toEqual([expect.stringContaining(`${at}.x-orch-validations[0].rule`)]);
  expect(errorsOf(bad, { obeys: false })).toEqual([]);
});

test('they are a list of objects', () => {
  for (const list of ['true', ['true'], { rule: 'true' }])
    expect(errorsOf({ 'x-orch-validations': list })).toEqual([
      expect.stringContaining(`${at}.x-orch-validations: Invalid value`),
    ]);
});

test('they may stand in allOf, and in no other part that judges', () => {
  const rule = ruled({ rule: 'self.a > 0' });
  expect(errorsOf({ allOf: [rule] })).toEqual([]);
  for (const part of [{ anyOf: [rule] }, { oneOf: [rule] }, { not: rule }])
    expect(errorsOf(part)).toEqual([expect.stringContaining('must be empty to be structural')]);
});

test('all expressions of a definition together are bounded', () => {
  const rule = { rule: `self.a > 0 ${'// a comment '.repeat(400)}`, message: 'm' };
  const count = Math.floor(maxRuleText / rule.rule.length);
  const some = Array.from({ length: count }, () => rule);
  expect(errorsOf(ruled(...some))).toEqual([]);
  expect(errorsOf(ruled(...some, rule))).toEqual([
    `${at}: Forbidden: the validation rules of a definition may have ${String(maxRuleText)} characters together: use fewer, or shorter ones`,
  ]);
});

function columnProblems(count: number, columnsBefore = 0): string[] {
  const column = (i: number): object => ({
    name: `c${String(i)}`,
    type: 'string',
    jsonPath: `.spec.a${String(i)}`,
  });
  const additionalPrinterColumns = Array.from({ length: count }, (_, i) => column(i)) as never;
  const openAPIV3Schema = { type: 'object' };
  const version = { name: 'v1', storage: true, schema: { openAPIV3Schema }, additionalPrinterColumns };
  const rules = {
    prefix: 'x-orch-',
    preserves: false,
    mayDefault: true,
    versionsBefore: 1,
    columnsBefore,
    propertiesBefore: () => 0,
  };
  const known = { selectsByFields: true, ruleRelease: 36, knownExpressions: new Set<string>() };
  return versionsErrors([version], FieldPath.of('versions'), { ...rules, ...known }).map(
    ({ field, message }) => `${field}: ${message}`,
  );
}

test('a version has at most a thousand printer columns, and one that has more may lose some', () => {
  const problem = 'versions[0].additionalPrinterColumns: Too many';
  expect(columnProblems(1_000)).toEqual([]);
  expect(columnProblems(20_000)).toEqual([expect.stringContaining(problem)]);
  expect(columnProblems(19_999, 20_000)).toEqual([]);
  expect(columnProblems(20_001, 20_000)).toEqual([expect.stringContaining(problem)]);
});

test('an object of a schema has at most 20,000 properties, and one that has more may lose some', () => {
  const properties = (count: number): JsonObject =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`a${String(i)}`, { type: 'string' }]));
  const wide = (count: number): JsonObject => ({
    properties: { spec: { type: 'object', properties: properties(count) } },
  });
  const problem = `${at}.properties[spec].properties: Too many: 20001: must have at most 20000 items`;
  expect(errorsOf(wide(20_000))).toEqual([]);
  expect(errorsOf(wide(20_001))).toEqual([problem]);
  expect(errorsOf({ anyOf: [{ properties: properties(20_001) }] })).toHaveLength(1);
  expect(errorsOf(wide(20_001), { propertiesBefore: 20_001 })).toEqual([]);
  expect(errorsOf(wide(20_002), { propertiesBefore: 20_001 })).toHaveLength(1);
  const schemas = [{ schema: wide(3) }, { schema: { items: { anyOf: [wide(7)] } } }];
  expect(mostPropertiesIn(schemas as unknown as JsonObject[])).toBe(7);
  expect(mostPropertiesIn(undefined)).toBe(0);
});
