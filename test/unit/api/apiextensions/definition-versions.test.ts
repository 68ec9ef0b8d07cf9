/** CustomResourceDefinition: how many versions there may be. */
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
