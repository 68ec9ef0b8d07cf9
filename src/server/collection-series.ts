/**
 * The metrics of the storage that name a collection. Definitions come and go: the series of a custom resource go with
 * it, or they would be more and more.
 */
import type { HistogramSeries, Labels, NumberFamily } from '../observe/metric-series.ts';
import type { ServerMetrics } from '../observe/server-metrics.ts';
import type { ResourceCatalogue } from '../registry/types.ts';
import type { EtcdStorage } from '../storage/storage.ts';
import type { CollectionId } from '../storage/types.ts';

/** The operation, by collection; '' for operations that concern none. */
type EtcdSeries = Map<CollectionId, Map<string, HistogramSeries>>;

export class CollectionSeries {
  readonly #metrics: ServerMetrics;
  readonly #etcd: EtcdSeries = new Map();
  #served:
    { readonly catalogue: ResourceCatalogue; readonly collections: ReadonlySet<CollectionId> } | undefined;

  constructor(metrics: ServerMetrics) {
    this.#metrics = metrics;
  }

  /** Looks a series up without building its labels, as every write does. */
  ofEtcd(operation: string, collection: CollectionId = ''): HistogramSeries {
    let ofCollection = this.#etcd.get(collection);
    if (!ofCollection) this.#etcd.set(collection, (ofCollection = new Map<string, HistogramSeries>()));
    let series = ofCollection.get(operation);
    if (!series) {
      series = this.#metrics.etcdRequestDuration.series(etcdLabels(operation, collection));
      ofCollection.set(operation, series);
    }
    return series;
  }

  /** Objects are counted when the metrics are read. @param catalogue what is served then; else it is listed while it has objects */
  countObjects(storage: Pick<EtcdStorage, 'objectCounts'>, catalogue: () => ResourceCatalogue): void {
    for (const family of this.#counts)
      family.onScrapeInSteps(() => this.#countInSteps(family, storage.objectCounts(), catalogue));
  }

  /** There may be thousands of collections, and they may go meanwhile. */
  *#countInSteps(
    family: NumberFamily,
    counts: Iterable<readonly [CollectionId, number]>,
    catalogue: () => ResourceCatalogue,
  ): Generator<void, void> {
    for (const [collection, size] of counts) {
      const labels = resourceLabels(family, collection);
      if (size > 0 || this.#servedBy(catalogue()).has(collection)) family.series(labels).set(size);
      else family.forget(labels);
      yield;
    }
  }

  /** @param gone resources that are gone, or have changed, as `group/version/plural` */
  forget(gone: ReadonlySet<string>, catalogue: ResourceCatalogue): void {
    if (gone.size === 0) return;
    const names = [...gone].map((key) => key.split('/'));
    const served = new Set(collectionsOf(catalogue, new Set(names.map(([group = '']) => group))));
    for (const [group = '', , plural = ''] of names)
      if (!served.has(`${group}/${plural}`)) this.#forget(`${group}/${plural}`);
  }

  #forget(collection: CollectionId): void {
    const { etcdRequestDuration, decodeErrors, inconsistentViews } = this.#metrics;
    for (const operation of this.#etcd.get(collection)?.keys() ?? [])
      etcdRequestDuration.forget(etcdLabels(operation, collection));
    this.#etcd.delete(collection);
    for (const family of [...this.#counts, decodeErrors, inconsistentViews])
      family.forget(resourceLabels(family, collection));
  }

  /** A catalogue is another one after each change. */
  #servedBy(catalogue: ResourceCatalogue): ReadonlySet<CollectionId> {
    if (this.#served?.catalogue !== catalogue)
      this.#served = { catalogue, collections: new Set(collectionsOf(catalogue)) };
    return this.#served.collections;
  }

  get #counts(): readonly NumberFamily[] {
    const { storageObjects, objectCounts, resourceObjects } = this.#metrics;
    return [storageObjects, objectCounts, resourceObjects];
  }
}

/** Of what is served in these groups; undefined: in all. */
function* collectionsOf(
  catalogue: ResourceCatalogue,
  groups?: ReadonlySet<string>,
): Generator<CollectionId, void, undefined> {
  const wanted = catalogue.groups().filter(({ group }) => groups?.has(group) !== false);
  for (const { versions } of wanted)
    for (const { resources } of versions) for (const { storage } of resources) yield storage.collection;
}

function etcdLabels(operation: string, collection: CollectionId): Labels {
  const type = collection === '' ? '' : resourceOf(collection);
  const [group, resource] = partsOf(collection);
  return { operation, type, group, resource };
}

/** The group has a label of its own in later releases. */
export function resourceLabels(family: NumberFamily, collection: CollectionId): Labels {
  const [group, resource] = partsOf(collection);
  return family.hasLabel('group') ? { group, resource } : { resource: resourceOf(collection) };
}

/** `plural`, or `plural.group`. */
function resourceOf(collection: CollectionId): string {
  const [group, plural] = partsOf(collection);
  return group === '' ? plural : `${plural}.${group}`;
}

function partsOf(collection: CollectionId): readonly [group: string, plural: string] {
  const [group = '', plural = ''] = collection.split('/', 2);
  return [group === 'core' ? '' : group, plural];
}
