/** CustomResourceDefinition: how many versions and names there may be. */
import type { JsonObject } from '../../../../src/base/json.ts';
import { brief, Kind } from '../../../support/kind.ts';

const kind = new Kind('customresourcedefinitions.apiextensions');

function widgets(count: number): JsonObject {
  const versions = Array.from({ length: count }, (_, i) => ({
    ...{ name: `v${String(i + 1)}`, served: true, storage: i === 0 },
    schema: { openAPIV3Schema: { type: 'object' } },
  }));
  return {
    metadata: { name: 'widgets.example.com' },
    spec: {
      ...{ group: 'example.com', scope: 'Namespaced', names: { plural: 'widgets', kind: 'Widget' } },
      versions,
    },
  };
}

test('versions are bounded; a definition that others stored with more may lose some', () => {
  expect(brief(kind.createErrors(widgets(100)))).toEqual([]);
  expect(brief(kind.createErrors(widgets(101)))).toEqual(['spec.versions TooMany']);
  const stored = kind.created(widgets(150));
  expect(brief(kind.updateErrors(stored, widgets(140)))).toEqual([]);
  expect(brief(kind.updateErrors(stored, widgets(151)))).toEqual(['spec.versions TooMany']);
});

test('short names and categories are bounded; a definition that others stored with more may lose some', () => {
  const named = (shortNames: number, categories: number) => {
    const one = widgets(1);
    const list = (count: number) => Array.from({ length: count }, (_, i) => `n${String(i)}`);
    const { spec } = one as unknown as { spec: { names: object } };
    spec.names = { ...spec.names, shortNames: list(shortNames), categories: list(categories) };
    return one;
  };
  expect(brief(kind.createErrors(named(1_000, 1_000)))).toEqual([]);
  const tooMany = ['spec.names.categories TooMany', 'spec.names.shortNames TooMany'];
  expect(brief(kind.createErrors(named(1_001, 1_001)))).toEqual(tooMany);
  const stored = kind.created(named(1_500, 1_500));
  expect(brief(kind.updateErrors(stored, named(1_400, 1_400)))).toEqual([]);
  expect(brief(kind.updateErrors(stored, named(1_501, 1_501)))).toEqual(tooMany);
});
