/** Custom resources of a replica: the catalogue that knows them, and the keeper of their definitions. */
import type { Clock } from '../../base/clock.ts';
import type { ResourceCatalogue, ResourceVerbs } from '../../registry/types.ts';
import type { DynamicCatalogueParts } from './catalogue.ts';
import type { ConversionCalls } from './webhook-conversion.ts';
import { EntryCache, type ItemCells } from '../../registry/entry-cache.ts';
import type { ExtensionMetrics } from '../../observe/extension-metrics.ts';
import { DynamicCatalogue, keyOf } from './catalogue.ts';
import { DefinitionKeeper } from './keeper.ts';

export { keyOf };

export interface CustomResourcesParts extends Omit<DynamicCatalogueParts, 'conversions'> {
  readonly clock: Clock;
  /** Sends reviews to webhooks that convert; closed with the custom resources. */
  readonly webhooks: Pick<ConversionCalls, 'sendReview'> & { close(): void };
  readonly metrics: ExtensionMetrics;
  /** Told of what is kept of converted objects. */
  readonly keptCells: ItemCells;
}

/** Bytes of converted objects that are kept, of all custom resources together. */
const keptBytes = 128 * 1024 * 1024;

/** What the server puts between storage and those who ask what exists. */
export class CustomResources {
  readonly catalogue: DynamicCatalogue;
  private readonly parts: CustomResourcesParts;
  private readonly stopping = new AbortController();
  private keeper: DefinitionKeeper | undefined;

  constructor(parts: CustomResourcesParts) {
    this.parts = parts;
    const { webhooks, metrics } = parts;
    const kept = new EntryCache(keptBytes, parts.keptCells);
    const calls: ConversionCalls = {
      sendReview: (client, review, limits) => webhooks.sendReview(client, review, limits),
      signal: this.stopping.signal,
      duration: metrics.conversionDuration,
    };
    this.catalogue = new DynamicCatalogue({ ...parts, conversions: { kept, calls } });
  }

  /** The catalogue for those who hold one. */
  live(): ResourceCatalogue {
    return this.catalogue.live();
  }

  /** Begins to see to definitions, through the verbs that everybody uses. */
  keep(verbs: ResourceVerbs): void {
    const { builtIn, clock, log } = this.parts;
    this.keeper ??= new DefinitionKeeper({ catalogue: this.catalogue, builtIn, verbs, clock, log });
  }

  /** Resolves when all work has ended; before the storage stops. */
  async close(): Promise<void> {
    this.catalogue.close();
    this.stopping.abort();
    this.parts.webhooks.close();
    await this.keeper?.close();
  }
}
