/** CustomResourceDefinition: how many versions and names there may be. */
import type { JsonObject } from '../../../../src/base/json.ts';
import { asApiObject } from '../../../../src/meta/object.ts';
import { brief, contextWith, Kind } from '../../../support/kind.ts';

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

/** 9.5 KB of 100 versions and 100 columns make 480 KB: that took the thread 30 ms, and what 52 KB make 245 ms. */
test('a write of v1beta1 whose common parts make much for many versions is noted as long before they are copied', () => {
  const beta = kind.definition.versions.find(({ version }) => version === 'v1beta1');
  const notes = (versions: number, columns: number): number => {
    const { spec, ...rest } = widgets(versions) as unknown as { spec: JsonObject; metadata: JsonObject };
    const column = (_: unknown, i: number): JsonObject => ({
      name: `c${String(i)}`,
      type: 'string',
      JSONPath: '.a',
    });
    const common = { additionalPrinterColumns: Array.from({ length: columns }, column) };
    const noteLongWork = jest.fn();
    const context = { ...contextWith({ version: 'v1beta1' }), noteLongWork };
    beta?.applyDefaults?.(asApiObject({ ...rest, spec: { ...spec, ...common } }), context);
    return noteLongWork.mock.calls.length;
  };
  expect(notes(100, 100)).toBe(1);
  expect(notes(3, 1_000)).toBe(1);
  expect(notes(10, 10)).toBe(0);
  expect(notes(1, 1_000)).toBe(0);
});
