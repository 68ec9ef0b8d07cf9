/** Documents while definitions come and go: what a change does not touch is not made again. */
import type { CustomResourceDefinition } from '../../../../src/api/apiextensions/custom-resource-definitions.ts';
import { systemEnvironment } from '../../../../src/base/environment.ts';
import { systemRandom } from '../../../../src/base/random.ts';
import { createCustomResource } from '../../../../src/extension/custom-resources/custom-resource.ts';
import { mergeCatalogue } from '../../../../src/extension/custom-resources/merged-catalogue.ts';
import type { CachedDocument } from '../../../../src/http/cached-document.ts';
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
import { contentOf } from '../../../support/http/document-content.ts';

const naming = namingProfiles.orch;
const { catalogue: builtIn, schemas } = realCatalogue(naming);
const { conversionDuration: duration } = createExtensionMetrics(new Metrics());
const conversions = {
  kept: new EntryCache(
    1_000_000,
    { made: new NumberSeries(), evicted: new NumberSeries(), size: new NumberSeries() },
    systemRandom,
  ),
  calls: {
    ...systemEnvironment,
    ...{ sendReview: () => Promise.reject(new Error('none')), signal: AbortSignal.any([]), duration },
  },
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
async function* documentsOf(
  catalogues: Iterable<readonly ServedResource[]>,
): AsyncGenerator<OpenApiDocuments, undefined, undefined> {
  let catalogue = builtIn;
  let before: OpenApiDocuments | undefined;
  const types = createWireTypes(() => catalogue, schemas);
  for (const custom of catalogues) {
    catalogue = mergeCatalogue(builtIn, custom);
    before = await OpenApiDocuments.of({ catalogue, types, schemas, naming, release: 'v1.21.0' }, before);
    yield before;
  }
  return undefined;
}

const widgets = customResource('example.com', 'Widget');
const gadgets = customResource('example.com', 'Gadget');
const others = customResource('example.org', 'Other');

test('a new definition leaves the documents of all other groups as they are', async () => {
  const before = new Map<string, unknown>();
  for await (const documents of documentsOf([
    [...widgets, ...others],
    [...widgets, ...others, ...gadgets],
  ])) {
    const all = await documents.v3Hashes();
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
    for await (const documents of documentsOf(catalogues)) {
      await documents.v2(form);
      await documents.v3Hashes();
      const catalogue = mergeCatalogue(builtIn, catalogues[step++] ?? []);
      const types = createWireTypes(() => catalogue, schemas);
      const fresh = await OpenApiDocuments.of({ catalogue, types, schemas, naming, release: 'v1.21.0' });
      expect((await documents.v2(form)).hash).toBe((await fresh.v2(form)).hash);
      const keys = [...(await fresh.v3Hashes()).keys()];
      expect([...(await documents.v3Hashes()).keys()]).toEqual(keys);
      for (const key of keys.filter((name) => name.includes('example') || name === 'api/v1'))
        expect((await documents.v3(key, form))?.hash).toBe((await fresh.v3(key, form))?.hash);
    }
  },
);

test('a definition is rendered once per version and form, however many others of its group come and go', async () => {
  const rendered = new Map<string, number>();
  const counted = ({ description, ...resource }: ServedResource): ServedResource => ({
    ...resource,
    ...(description && {
      description: {
        ...description,
        define: (...args) => {
          rendered.set(resource.gvk.kind, (rendered.get(resource.gvk.kind) ?? 0) + 1);
          return description.define(...args);
        },
      },
    }),
  });
  const kinds = Array.from({ length: 10 }, (_, i) => `Kind${String(i)}`);
  const all = kinds.map((kind) => customResource('example.com', kind).map(counted));
  for await (const documents of documentsOf([...all, ...all].map((_, i) => all.slice(0, i + 1).flat()))) {
    for (const form of ['json', 'protobuf'] as const) {
      await documents.v2(form);
      await documents.v3('apis/example.com/v1', form);
    }
  }
  expect(Object.fromEntries(rendered)).toEqual(Object.fromEntries(kinds.map((kind) => [kind, 4])));
});

test('an index renders no definition, and its hashes are those of the documents', async () => {
  let rendered = 0;
  const counted = ({ description, ...resource }: ServedResource): ServedResource => ({
    ...resource,
    ...(description && {
      description: { ...description, define: (...args) => ((rendered += 1), description.define(...args)) },
    }),
  });
  const { value: documents } = await documentsOf([[...widgets, ...others].map(counted)]).next();
  const hashes = (await documents?.v3Hashes()) ?? new Map<string, string>();
  expect(rendered).toBe(0);
  for (const key of ['apis/example.com/v1', 'apis/example.org/v1', 'apis/example.com', 'api/v1'])
    expect((await documents?.v3(key, 'json'))?.hash).toBe(hashes.get(key));
  expect(rendered).toBe(2);
});

describe('the hash of a document of custom resources', () => {
  const key = 'apis/example.com/v1';
  type Spec = Record<string, unknown>;

  async function of(change: (spec: Spec) => Spec): Promise<{ hash: string | undefined; content: string }> {
    const made = definition('widgets', 'Widget', { group: 'example.com' }) as { spec: Spec };
    const metadata = { name: 'widgets.example.com', uid: 'u', creationTimestamp: '2021-01-01T00:00:00Z' };
    const spec = change(structuredClone(made.spec));
    const whole = { ...made, metadata, spec, status: {} } as unknown as CustomResourceDefinition;
    const { served } = createCustomResource({ definition: whole, naming, schemas, conversions });
    const { value: documents } = await documentsOf([served]).next();
    const hash = await documents?.v3Hash(key);
    return { hash, content: contentOf(await documents?.v3(key, 'json')).toString() };
  }

  const inVersion =
    (change: object) =>
    (spec: Spec): Spec => ({
      ...spec,
      versions: (spec['versions'] as object[]).map((version) => ({ ...version, ...change })),
    });
  const schemaOf = (properties: object): object => ({
    schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } },
  });

  test('is another where the content is another', async () => {
    const changes: ((spec: Spec) => Spec)[] = [
      (spec) => spec,
      (spec) => ({ ...spec, scope: 'Cluster' }),
      (spec) => ({ ...spec, names: { ...(spec['names'] as object), listKind: 'Widgets' } }),
      (spec) => ({ ...spec, names: { ...(spec['names'] as object), kind: 'Gizmo' } }),
      inVersion({ subresources: { status: {} } }),
      inVersion(schemaOf({ a: { type: 'string' } })),
      inVersion(schemaOf({ a: { type: 'string', description: 'The a.' } })),
      inVersion(schemaOf({ a: { type: 'integer' } })),
    ];
    const made = await Promise.all(changes.map(of));
    expect(new Set(made.map(({ content }) => content)).size).toBeGreaterThan(6);
    const contents = new Map(made.map(({ hash, content }) => [hash, content]));
    for (const { hash, content } of made) expect(contents.get(hash)).toBe(content);
  });

  test('is the same in each replica', async () => {
    const [one, two] = [await of((spec) => spec), await of((spec) => spec)];
    expect(one).toEqual(two);
  });
});

test('of many catalogues in a short time few documents are written, and none is older than what was asked for', async () => {
  const kinds = Array.from({ length: 30 }, (_, i) => `Kind${String(i)}`);
  const all = kinds.map((kind) => customResource('example.com', kind));
  const asked: Record<'v2' | 'v3', Promise<CachedDocument | undefined>>[] = [];
  for await (const documents of documentsOf(all.map((_, i) => all.slice(0, i + 1).flat())))
    asked.push({ v2: documents.v2('json'), v3: documents.v3('apis/example.com/v1', 'json') });
  for (const version of ['v2', 'v3'] as const) {
    const answers = await Promise.all(asked.map((documents) => documents[version]));
    expect(new Set(answers).size).toBeLessThan(5);
    for (const [i, answer] of answers.entries())
      expect(contentOf(answer).includes(`"/apis/example.com/v1/kind${String(i)}s"`)).toBe(true);
  }
});

test('a request gets its answer while catalogues change without end', async () => {
  let isAnswered = false;
  const catalogues = function* (): Generator<readonly ServedResource[]> {
    for (let i = 0; !isAnswered; i += 1) yield customResource('example.com', `Kind${String(i)}`);
  };
  for await (const documents of documentsOf(catalogues())) {
    void documents.v2('json').then(() => (isAnswered = true));
    await new Promise(setImmediate);
  }
  expect(isAnswered).toBe(true);
});

test('a document of a custom group in Protobuf says what its JSON says', async () => {
  const { value: documents } = await documentsOf([[...widgets, ...gadgets]]).next();
  const json = await documents?.v3('apis/example.com/v1', 'json');
  const protobuf = await documents?.v3('apis/example.com/v1', 'protobuf');
  const { paths } = JSON.parse(contentOf(json).toString()) as { paths: object };
  const bytes = contentOf(protobuf).toString('latin1');
  expect(Object.keys(paths).filter((path) => !bytes.includes(path))).toEqual([]);
});
