/** A definition of many versions: each has a small schema, but the text of the whole definition is read for it. */
import { builtInGroups } from '../../../src/api/index.ts';
import { loadCatalogueSchemas } from '../../../src/api/schemas.ts';
import { systemEnvironment } from '../../../src/base/environment.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { systemRandom } from '../../../src/base/random.ts';
import { encodeStored } from '../../../src/codec/stored.ts';
import { CompiledSchemas } from '../../../src/extension/custom-resources/compiled-schemas.ts';
import { createCustomResource } from '../../../src/extension/custom-resources/custom-resource.ts';
import { headOf } from '../../../src/extension/custom-resources/definition-head.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { asApiObject, type ApiObject } from '../../../src/meta/object.ts';
import { createExtensionMetrics } from '../../../src/observe/extension-metrics.ts';
import { NumberSeries } from '../../../src/observe/metric-series.ts';
import { Metrics } from '../../../src/observe/metrics.ts';
import { buildCatalogue } from '../../../src/registry/catalogue/catalogue.ts';
import { EntryCache } from '../../../src/registry/entry-cache.ts';
import type { RegistryDeps } from '../../../src/registry/registry-context.ts';
import type { ResourceCatalogue, ServedResource } from '../../../src/registry/types.ts';
import { settleOwnership } from '../../../src/registry/write/field-ownership.ts';
import { newWrite, type Draft } from '../../../src/registry/write/write.ts';
import { newEntry } from '../../../src/registry/written-entry.ts';
import { cpuBudget, leastOfThree, leastShareOf } from '../../support/cpu-time.ts';
import { scope } from '../../support/registry.ts';
import { turnsOf } from '../../support/turns.ts';
import { Definitions, definition as plain } from '../../support/viewed-definitions.ts';

const naming = namingProfiles.orch;
const schemas = loadCatalogueSchemas(naming);
const builtIn = buildCatalogue({ naming, groups: builtInGroups, schemas, isEnabled: () => true });
const count = 100;
const versionNames = Array.from({ length: count }, (_, i) => `v${String(i + 1)}`);

/** A hundred versions of 14 KB each. */
function definition(): JsonObject {
  const about = 'What it is for, in as many words as definitions of real projects have for it.';
  const field = { type: 'string', description: about };
  const properties = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`field${String(i)}`, field]));
  const schema = {
    openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } },
  };
  const names = { plural: 'things', kind: 'Thing' };
  const versions = versionNames.map((name) => ({ name, served: true, storage: name === 'v1', schema }));
  return {
    metadata: { name: 'things.example.com', uid: '1', generation: 1 },
    spec: { group: 'example.com', scope: 'Namespaced', names, versions },
    status: { acceptedNames: names, conditions: [{ type: 'Established', status: 'True' }] },
  };
}

/** The versions as they are when no schema has been used for a while. */
function served(): readonly ServedResource[] {
  const entry = newEntry('definitions', 'things.example.com', encodeStored(definition()), 7);
  const cells = { made: new NumberSeries(), evicted: new NumberSeries(), size: new NumberSeries() };
  const calls = {
    ...systemEnvironment,
    sendReview: () => Promise.reject(new Error('no webhook')),
    signal: AbortSignal.any([]),
    duration: createExtensionMetrics(new Metrics()).conversionDuration,
  };
  const resource = createCustomResource({
    ...headOf(entry),
    ...{ naming, schemas, release: { major: 1, minor: 35 }, isFeatureEnabled: () => true },
    compiled: new CompiledSchemas(),
    conversions: { kept: new EntryCache(1_000_000, cells, systemRandom), calls },
  });
  return resource.served;
}

function thing(value: string): ApiObject {
  const managedFields = versionNames.map((version, i) => ({
    manager: `m${String(i)}`,
    operation: 'Update',
    apiVersion: `example.com/${version}`,
    time: '2026-01-01T00:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:spec': { [`f:field${String(i)}`]: {} } },
  }));
  const spec = Object.fromEntries(versionNames.map((_, i) => [`field${String(i)}`, value]));
  const metadata = { name: 'a', namespace: 'default', managedFields };
  return asApiObject({ apiVersion: 'example.com/v1', kind: 'Thing', metadata, spec });
}

function write(versions: readonly ServedResource[]) {
  const [resource] = versions;
  if (!resource) throw new Error('no version is served');
  const catalogue = {
    ...builtIn,
    kind: (_group: string, version: string) => versions.find(({ gvk }) => gvk.version === version),
  } as unknown as ResourceCatalogue;
  const deps = { ...systemEnvironment, catalogue, isFeatureEnabled: () => true } as unknown as RegistryDeps;
  const own = scope('pods', { namespace: 'default' });
  return newWrite(deps, Object.assign(Object.create(own) as typeof own, { resource }), 'a', {});
}

test('an object whose fields managers own in a hundred versions is written in short turns', async () => {
  const longest = await leastOfThree(async () => {
    const before = thing('a');
    const next = { ...thing('b') };
    next.metadata.managedFields = before.metadata.managedFields ?? [];
    const draft = { object: next, base: { object: before }, sentErrors: [] } as unknown as Draft;
    const made = write(served());
    const turns = await turnsOf(() => settleOwnership(made, draft));
    expect(next.metadata.managedFields).toHaveLength(1);
    return turns[0] ?? Infinity;
  });
  expect(longest).toBeLessThan(cpuBudget(25));
});

test('the schemas of twenty such definitions are made ready at once, in short turns', async () => {
  const longest = await leastOfThree(async () => {
    const all = Array.from({ length: 20 }, () => served()[1]);
    const [most = Infinity] = await turnsOf(() =>
      Promise.all(all.map(async (version) => version?.prepare?.())),
    );
    return most;
  });
  expect(longest).toBeLessThan(cpuBudget(25));
});

test('30 definitions of 30 versions with 1,000 columns each are served after short turns', async () => {
  const columns = Array.from({ length: 1_000 }, (_, i) => ({
    name: String(i),
    type: 'string',
    jsonPath: '.a',
  }));
  const all = Array.from({ length: 30 }, (_, n) => {
    const one = plain(n, {});
    const { spec } = one as { spec: { versions: JsonObject[] } };
    const [version] = spec.versions;
    spec.versions = versionNames.slice(0, 30).map((name, i) => ({
      ...version,
      ...{ name, storage: i === 0, additionalPrinterColumns: columns },
    }));
    return { one, bytes: encodeStored(one) };
  });
  const share = await leastShareOf(30, async () => {
    const definitions = new Definitions();
    for (const { one, bytes } of all) definitions.put(one, bytes);
    const [most = Infinity] = await turnsOf(() => definitions.catalogue.fresh(new AbortController().signal));
    expect(definitions.resource(29)).toBeDefined();
    return most;
  });
  expect(share).toBeLessThan(1);
});
