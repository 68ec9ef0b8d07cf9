/** A version of a custom resource whose schema became tighter, in releases that judge everything again and in those that do not. */
import { loadCatalogueSchemas } from '../../../src/api/schemas.ts';
import { CustomVersion } from '../../../src/extension/custom-resources/custom-version.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import type { ApiObject } from '../../../src/meta/object.ts';

const naming = namingProfiles.orch;
const metadata = loadCatalogueSchemas(naming).get('meta/v1.ObjectMeta');

async function errorsIn(minor: number | undefined, next: unknown, current?: unknown): Promise<string[]> {
  const spec = {
    type: 'object',
    properties: { size: { type: 'integer', maximum: 3 }, note: { type: 'string' } },
    'x-orch-validations': [{ rule: "!has(self.note) || self.note != 'no'", message: 'said no' }],
  };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  const version = new CustomVersion({
    ...{ prefix: naming.extensionPrefix, metadata, isFree: false },
    version: { name: 'v1', served: true, storage: true, schema },
    release: minor === undefined ? undefined : { major: 1, minor },
  });
  const object = (own: unknown): ApiObject => ({
    kind: 'Cup',
    apiVersion: 'example.com/v1',
    metadata: { name: 'a' },
    spec: own,
  });
  const [now, before] = [object(next), current === undefined ? undefined : object(current)];
  const others = version.validate(now, before);
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
  expect(await errorsIn(minor, { size: 5, note: 'b' }, { size: 5, note: 'a' })).toEqual(errors);
  expect(await errorsIn(minor, { size: 6 }, { size: 5 })).toEqual(['spec.size']);
  expect(await errorsIn(minor, { size: 5 })).toEqual(['spec.size']);
});

test.each([
  [undefined, []],
  [21, []],
  [24, []],
  [25, ['spec']],
  [36, ['spec']],
])('release 1.%s obeys validation rules: %j', async (minor, errors) => {
  expect(await errorsIn(minor, { note: 'no' })).toEqual(errors);
});
