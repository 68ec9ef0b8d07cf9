/** The catalogue of custom resources over definitions that a test puts in its view. */
import { builtInGroups } from '../../src/api/index.ts';
import { loadCatalogueSchemas } from '../../src/api/schemas.ts';
import { systemEnvironment } from '../../src/base/environment.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { systemRandom } from '../../src/base/random.ts';
import { encodeStored } from '../../src/codec/stored.ts';
import { DynamicCatalogue } from '../../src/extension/custom-resources/dynamic-catalogue.ts';
import { namingProfiles } from '../../src/meta/naming.ts';
import { createExtensionMetrics } from '../../src/observe/extension-metrics.ts';
import type { Logger } from '../../src/observe/log.ts';
import { NumberSeries } from '../../src/observe/metric-series.ts';
import { Metrics } from '../../src/observe/metrics.ts';
import { buildCatalogue } from '../../src/registry/catalogue/catalogue.ts';
import { EntryCache } from '../../src/registry/entry-cache.ts';
import type { ServedResource } from '../../src/registry/types.ts';
import type { CollectionSnapshot, Entry, Storage, WatchSubscriber } from '../../src/storage/types.ts';

const naming = namingProfiles.orch;
const schemas = loadCatalogueSchemas(naming);
const builtIn = buildCatalogue({ naming, groups: builtInGroups, schemas, isEnabled: () => true });

/** Definitions in a view, without a storage around it. */
export class Definitions {
  readonly catalogue: DynamicCatalogue;
  readonly logged: unknown[] = [];
  /** How often somebody went over all of them. */
  looks = 0;
  private readonly entries = new Map<string, Entry>();
  private contents: object = {};
  private subscriber: WatchSubscriber | undefined;
  private revision = 1;

  constructor(...first: JsonObject[]) {
    for (const one of first) this.put(one);
    const cells = { made: new NumberSeries(), evicted: new NumberSeries(), size: new NumberSeries() };
    const calls = {
      ...systemEnvironment,
      sendReview: () => Promise.reject(new Error('nobody')),
      signal: AbortSignal.any([]),
      duration: createExtensionMetrics(new Metrics()).conversionDuration,
    };
    this.catalogue = new DynamicCatalogue({
      ...systemEnvironment,
      ...{ builtIn, schemas, storage: this.storage() as unknown as Storage },
      log: { error: (...details: unknown[]) => this.logged.push(details) } as unknown as Logger,
      conversions: { kept: new EntryCache(1_000_000, cells, systemRandom), calls },
    });
  }

  /** From now on the view has it. */
  put(definition: JsonObject, bytes = encodeStored(definition)): void {
    const { name: key } = definition['metadata'] as { name: string };
    this.revision += 1;
    const entry = { collection: 'definitions', key, modRevision: this.revision, bytes, memo: undefined };
    this.entries.set(key, entry);
    this.tell();
  }

  remove(name: string): void {
    this.entries.delete(name);
    this.tell();
  }

  private all(): Iterable<Entry> {
    this.looks += 1;
    return this.entries.values();
  }

  private tell(): void {
    this.contents = {};
    this.subscriber?.onEvents([]);
  }

  resource(n: number): ServedResource | undefined {
    return this.catalogue.current().resource('example.com', 'v1', `things${String(n)}`);
  }

  private storage() {
    const view = (): CollectionSnapshot =>
      ({ contents: this.contents, entries: () => this.all() }) as unknown as CollectionSnapshot;
    return {
      view,
      snapshot: () => Promise.resolve(view()),
      watch: (_options: unknown, subscriber: WatchSubscriber) => {
        this.subscriber = subscriber;
        subscriber.onInitial(view());
      },
    };
  }
}

/** Of kind `Thing<n>`, group `example.com`, version `v1`; established. */
export function definition(n: number, spec: JsonObject): JsonObject {
  const names = { plural: `things${String(n)}`, kind: `Thing${String(n)}` };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  const versions = [{ name: 'v1', served: true, storage: true, schema }];
  return {
    metadata: { name: `things${String(n)}.example.com`, uid: String(n), generation: 1 },
    spec: { group: 'example.com', scope: 'Namespaced', names, versions },
    status: { acceptedNames: names, conditions: [{ type: 'Established', status: 'True' }] },
  };
}
