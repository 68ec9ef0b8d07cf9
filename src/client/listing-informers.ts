/** Which informers list, until they watch: what follows from their lists is work that no queue has yet. */
import type { MetadataReading, ResourceRef } from '../controllers/types.ts';
import type { WorkLeft } from '../controllers/work-left.ts';

type Listing = Pick<WorkLeft, 'key' | 'state'> & {
  /** One that stops lists nothing any more. */
  readonly signal: AbortSignal;
};

export class ListingInformers {
  readonly #informers = new Map<object, Listing>();

  /** It lists. */
  begin(resource: ResourceRef, reading: MetadataReading, signal: AbortSignal): void {
    const { informer } = reading;
    if (informer !== undefined && !this.#informers.has(informer))
      this.#informers.set(informer, { key: keyOf(resource, reading), state: 'starting', signal });
  }

  /** It lists again, for its watch lost the history. */
  beginAgain(resource: ResourceRef, reading: MetadataReading, signal: AbortSignal): void {
    const { informer } = reading;
    if (informer !== undefined)
      this.#informers.set(informer, { key: keyOf(resource, reading), state: 'working', signal });
  }

  /** It watches, or failed and waits to try again. */
  end({ informer }: MetadataReading): void {
    if (informer !== undefined) this.#informers.delete(informer);
  }

  *left(): Generator<WorkLeft, void> {
    for (const [informer, { key, state, signal }] of this.#informers) {
      if (signal.aborted) this.#informers.delete(informer);
      else yield { queue: 'informers', key, state, dueInMs: 0 };
    }
  }
}

function keyOf({ group, resource }: ResourceRef, { fieldSelector = '' }: MetadataReading): string {
  return `${resource}.${group} ${fieldSelector}`.trimEnd();
}
