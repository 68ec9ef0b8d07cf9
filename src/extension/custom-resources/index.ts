/** Custom resources of a replica: their catalogue and the controller of their definitions. */
import type { Environment } from '../../base/environment.ts';
import type { ResourceCatalogue, ResourceVerbs } from '../../registry/types.ts';
import type { DynamicCatalogueParts } from './dynamic-catalogue.ts';
import type { ConversionCalls } from './webhook-conversion.ts';
import { EntryCache, type ItemCells } from '../../registry/entry-cache.ts';
import type { ExtensionMetrics } from '../../observe/extension-metrics.ts';
import { definitionCollection, DynamicCatalogue, keyOf } from './dynamic-catalogue.ts';
import { DefinitionController } from './definition-controller.ts';
import type { PatchElsewhere } from './definition-writes.ts';

export { definitionCollection, keyOf };
export type { PatchElsewhere };

export interface CustomResourcesParts extends Omit<DynamicCatalogueParts, 'conversions'>, Environment {
  /** Calls conversion webhooks; closed with the custom resources. */
  readonly webhooks: Pick<ConversionCalls, 'sendReview'> & { close(): void };
  readonly metrics: ExtensionMetrics;
  /** Metrics of the cache of converted objects. */
  readonly cachedCells: ItemCells;
}

/** Maximum bytes of the cache of converted objects of all custom resources. */
const cacheBytes = 128 * 1024 * 1024;

/** Provides the catalogue with custom resources. */
export class CustomResources {
  readonly catalogue: DynamicCatalogue;
  private readonly parts: CustomResourcesParts;
  private readonly stopping = new AbortController();
  private readonly kept: EntryCache;
  private controller: DefinitionController | undefined;

  constructor(parts: CustomResourcesParts) {
    this.parts = parts;
    const { webhooks, metrics, clock, random } = parts;
    this.kept = new EntryCache(cacheBytes, parts.cachedCells, parts.random);
    const calls: ConversionCalls = {
      clock,
      random,
      sendReview: (client, review, limits) => webhooks.sendReview(client, review, limits),
      signal: this.stopping.signal,
      duration: metrics.conversionDuration,
    };
    this.catalogue = new DynamicCatalogue({ ...parts, conversions: { kept: this.kept, calls } });
  }

  /** A catalogue that always delegates to the current one. */
  live(): ResourceCatalogue {
    return this.catalogue.live();
  }

  /** Starts to reconcile definitions, through the verbs of clients. @param patchElsewhere absent: all are changed here */
  keep(verbs: ResourceVerbs, patchElsewhere?: PatchElsewhere): void {
    const { builtIn, clock, random, log } = this.parts;
    this.controller ??= new DefinitionController({
      ...{ catalogue: this.catalogue, builtIn, verbs, patchElsewhere, clock, random, log },
    });
  }

  /** Resolves when all work has ended; call it before the storage is closed. */
  async close(): Promise<void> {
    this.catalogue.close();
    this.stopping.abort();
    this.parts.webhooks.close();
    await this.controller?.close();
    this.kept.clear();
  }
}
