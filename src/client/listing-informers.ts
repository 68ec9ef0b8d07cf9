/** Which informers list, until they watch: what follows from their lists is work that no queue has yet. */
import type { MetadataReading, ResourceRef } from '../controllers/types.ts';
import type { WorkLeft } from '../controllers/work-left.ts';

export class ListingInformers {
  /** One that stops lists nothing any more. */
  readonly #informers = new Map<object, { readonly key: string; readonly signal: AbortSignal }>();

  /** It lists, or lists again because its watch lost the history. */
  begin(
    { group, resource }: ResourceRef,
    { informer, fieldSelector = '' }: MetadataReading,
    signal: AbortSignal,
  ): void {
    const key = `${resource}.${group} ${fieldSelector}`.trimEnd();
    if (informer !== undefined) this.#informers.set(informer, { key, signal });
  }

  /** It watches, or failed and waits to try again. */
  end({ informer }: MetadataReading): void {
    if (informer !== undefined) this.#informers.delete(informer);
  }

  *left(): Generator<WorkLeft, void> {
    for (const [informer, { key, signal }] of this.#informers) {
      if (signal.aborted) this.#informers.delete(informer);
      else yield { queue: 'informers', key, state: 'working', dueInMs: 0 };
    }
  }
}
