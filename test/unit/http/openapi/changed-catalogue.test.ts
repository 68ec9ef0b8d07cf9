/** Documents while definitions come and go: what a change does not touch is not made again. */
import type { CustomResourceDefinition } from '../../../../src/api/apiextensions/custom-resource-definitions.ts';
import { createCustomResource } from '../../../../src/extension/custom-resources/custom-resource.ts';
import { mergeCatalogue } from '../../../../src/extension/custom-resources/merged-catalogue.ts';
import { OpenApiDocuments } from '../../../../src/http/openapi/openapi-documents.ts';
import { createWireTypes } from '../../../../src/http/wire-types.ts';
import { namingProfiles } from '../../../../src/meta/naming.ts';
import { createExtensionMetrics } from '../../../../src/observe/extension-metrics.ts';
import { NumberSeries } from '../../../../src/observe/metric-series.ts';
import { Metrics } from '../../../../src/observe/metrics.ts';
import { EntryCache } from '../../../../src/registry/entry-cache.ts';
import type { ServedResource } from '../../../../src/registry/types.ts';
import { realCatalogue } from '../../../support/catalogue.ts';
import { definition } from '../../../support/custom-resources.ts';

const naming = namingProfiles.orch;
const { catalogue: builtIn, schemas } = realCatalogue(naming);
const { conversionDuration: duration } = createExtensionMetrics(new Metrics());
const conversions = {
  kept: new EntryCache(1_000_000, {
    ...{ made: new NumberSeries(), evicted: new NumberSeries(), size: new NumberSeries() },
  }),
  calls: { sendReview: () => Promise.reject(new Error('none')), signal: AbortSignal.any([]), duration },
};

function customResource(group: string, kind: string): readonly ServedResource[] {
  const plural = `${kind.toLowerCase()}s`;
  const names = { plural, singular: kind.toLowerCase(), kind };
  const object = definition(plural, kind, { group, names });
  const metadata = { name: `${plural}.${group}`, uid: plural, creationTimestamp: '2021-01-01T00:00:00Z' };
  const made = { ...object, metadata, status: {} } as unknown as CustomResourceDefinition;
  return createCustomResource({ definition: made, naming, schemas, conversions }).served;
}

/** Documents of one catalogue after the other. */
function* documentsOf(
  catalogues: readonly (readonly ServedResource[])[],
): Generator<OpenApiDocuments, undefined, undefined> {
  let catalogue = builtIn;
  let before: OpenApiDocuments | undefined;
  const types = createWireTypes(() => catalogue, schemas);
  for (const custom of catalogues) {
    catalogue = mergeCatalogue(builtIn, custom);
    before = new OpenApiDocuments({ catalogue, types, schemas, naming, release: 'v1.21.0' }, before);
    yield before;
  }
  return undefined;
}

const widgets = customResource('example.com', 'Widget');
const gadgets = customResource('example.com', 'Gadget');
const others = customResource('example.org', 'Other');

test('a new definition leaves the documents of all other groups as they are', async () => {
  const before = new Map<string, unknown>();
  for (const documents of documentsOf([
    [...widgets, ...others],
    [...widgets, ...others, ...gadgets],
  ])) {
    const all = await documents.v3All();
    if (before.size === 0) for (const [key, document] of all) before.set(key, document);
    else {
      const changed = [...all].filter(([key, document]) => before.get(key) !== document).map(([key]) => key);
      expect(changed).toEqual(['apis/example.com/v1']);
    }
  }
});

test.each(['json', 'protobuf'] as const)(
  'documents that were taken over are those that would be made, as %s',
  async (form) => {
    const catalogues = [widgets, [...widgets, ...gadgets], gadgets, [], [...others, ...widgets]];
    let step = 0;
    for (const documents of documentsOf(catalogues)) {
      await documents.v2(form);
      await documents.v3All();
      const catalogue = mergeCatalogue(builtIn, catalogues[step++] ?? []);
      const types = createWireTypes(() => catalogue, schemas);
      const fresh = new OpenApiDocuments({ catalogue, types, schemas, naming, release: 'v1.21.0' });
      expect((await documents.v2(form)).hash).toBe((await fresh.v2(form)).hash);
      const keys = [...(await fresh.v3All()).keys()];
      expect([...(await documents.v3All()).keys()]).toEqual(keys);
      for (const key of keys.filter((name) => name.includes('example') || name === 'api/v1'))
        expect((await documents.v3(key, form))?.hash).toBe((await fresh.v3(key, form))?.hash);
    }
  },
);

test('a document of a custom group in Protobuf says what its JSON says', async () => {
  const [documents] = documentsOf([[...widgets, ...gadgets]]);
  const json = await documents?.v3('apis/example.com/v1', 'json');
  const protobuf = await documents?.v3('apis/example.com/v1', 'protobuf');
  const { paths } = JSON.parse(json?.bytes.toString() ?? '') as { paths: object };
  const bytes = protobuf?.bytes.toString('latin1') ?? '';
  expect(Object.keys(paths).filter((path) => !bytes.includes(path))).toEqual([]);
});
