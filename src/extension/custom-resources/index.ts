/** Custom resources of a replica: the catalogue that knows them, and the keeper of their definitions. */
import type { Clock } from '../../base/clock.ts';
import type { ResourceCatalogue, ResourceVerbs } from '../../registry/types.ts';
import type { DynamicCatalogueParts } from './catalogue.ts';
import { DynamicCatalogue, keyOf } from './catalogue.ts';
import { DefinitionKeeper } from './keeper.ts';

export { keyOf };

export interface CustomResourcesParts extends DynamicCatalogueParts {
  readonly clock: Clock;
}

/** What the server puts between storage and those who ask what exists. */
export class CustomResources {
  readonly catalogue: DynamicCatalogue;
  private readonly parts: CustomResourcesParts;
  private keeper: DefinitionKeeper | undefined;

  constructor(parts: CustomResourcesParts) {
    this.parts = parts;
    this.catalogue = new DynamicCatalogue(parts);
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
    await this.keeper?.close();
  }
}
