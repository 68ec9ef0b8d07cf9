/** A version of a custom resource whose schema became tighter, in releases that judge everything again and in those that do not. */
import { loadCatalogueSchemas } from '../../../src/api/schemas.ts';
import type { DefinitionFeatures } from '../../../src/api/apiextensions/rule-release.ts';
import { CustomVersion } from '../../../src/extension/custom-resources/custom-version.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import type { ApiObject } from '../../../src/meta/object.ts';
import { createFeatureGates } from '../../../src/observe/feature-gates.ts';
import { featuresOf } from '../../../src/observe/release-gates.ts';

const naming = namingProfiles.orch;
const metadata = loadCatalogueSchemas(naming).get('meta/v1.ObjectMeta');

type Gates = Readonly<Record<string, boolean>>;

/** A release and its gates. */
function featuresIn(minor: number | undefined, settings: Gates): DefinitionFeatures {
  if (minor === undefined) return {};
  const release = { major: 1, minor };
  const gates = createFeatureGates(settings, featuresOf(release));
  return { release, isFeatureEnabled: (gate) => gates.isEnabled(gate) };
}

interface Update {
  readonly next: unknown;
  readonly current?: unknown;
  readonly settings?: Gates;
}

async function errorsIn(
  minor: number | undefined,
  { next, current, settings = {} }: Update,
): Promise<string[]> {
  const spec = {
    type: 'object',
    properties: { size: { type: 'integer', maximum: 3 }, note: { type: 'string' } },
    'x-orch-validations': [{ rule: "!has(self.note) || self.note != 'no'", message: 'said no' }],
  };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  const version = new CustomVersion({
    ...{ prefix: naming.extensionPrefix, metadata, isFree: false },
    version: { name: 'v1', served: true, storage: true, schema },
    ...featuresIn(minor, settings),
  });
  const object = (own: unknown): ApiObject => ({
    kind: 'Cup',
    apiVersion: 'example.com/v1',
    metadata: { name: 'a' },
    spec: own,
  });
  const [now, before] = [object(next), current === undefined ? undefined : object(current)];
  const others = version.validate(now, { before });
  const byRules = await version.ruleErrors(now, { before, others });
  return [...others, ...byRules].map(({ field }) => field);
}

test.each([
  [undefined, ['spec.size']],
  [21, ['spec.size']],
  [29, ['spec.size']],
  [30, []],
  [36, []],
])('release 1.%s judges a value that did not change: %j', async (minor, errors) => {
  expect(await errorsIn(minor, { next: { size: 5, note: 'b' }, current: { size: 5, note: 'a' } })).toEqual(
    errors,
  );
  expect(await errorsIn(minor, { next: { size: 6 }, current: { size: 5 } })).toEqual(['spec.size']);
  expect(await errorsIn(minor, { next: { size: 5 } })).toEqual(['spec.size']);
});

test.each([
  [undefined, []],
  [21, []],
  [24, []],
  [25, ['spec']],
  [36, ['spec']],
])('release 1.%s obeys validation rules: %j', async (minor, errors) => {
  expect(await errorsIn(minor, { next: { note: 'no' } })).toEqual(errors);
});

test('feature gate CRDValidationRatcheting: rules and schema judge what did not change, or do not', async () => {
  const update = { next: { size: 5, note: 'no' }, current: { size: 5, note: 'no' } };
  const on = { CRDValidationRatcheting: true };
  expect(await errorsIn(29, update)).toEqual(['spec.size', 'spec']);
  expect(await errorsIn(29, { ...update, settings: on })).toEqual([]);
  expect(await errorsIn(30, { ...update, settings: { CRDValidationRatcheting: false } })).toEqual([
    'spec.size',
    'spec',
  ]);
});

test('feature gate CustomResourceValidationExpressions: rules are judged, or not', async () => {
  const gate = 'CustomResourceValidationExpressions';
  expect(await errorsIn(23, { next: { note: 'no' }, settings: { [gate]: true } })).toEqual(['spec']);
  expect(await errorsIn(28, { next: { note: 'no' }, settings: { [gate]: false } })).toEqual([]);
});
