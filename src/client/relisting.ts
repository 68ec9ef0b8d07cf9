/** Which informers list again because their watch lost the history, until they watch again. */
import type { MetadataWatch, ResourceRef } from '../controllers/types.ts';
import type { WorkLeft } from '../controllers/work-left.ts';

export class Relisting {
  /** One that stops lists nothing any more. */
  readonly #informers = new Map<object, { readonly key: string; readonly signal: AbortSignal }>();

  begin(
    { group, resource }: ResourceRef,
    { informer, fieldSelector = '' }: MetadataWatch,
    signal: AbortSignal,
  ): void {
    const key = `${resource}.${group} ${fieldSelector}`.trimEnd();
    if (informer !== undefined) this.#informers.set(informer, { key, signal });
  }

  /** It watches. */
  end({ informer }: MetadataWatch): void {
    if (informer !== undefined) this.#informers.delete(informer);
  }

  *left(): Generator<WorkLeft, void> {
    for (const [informer, { key, signal }] of this.#informers) {
      if (signal.aborted) this.#informers.delete(informer);
      else yield { queue: 'informers', key, state: 'working', dueInMs: 0 };
    }
  }
}
