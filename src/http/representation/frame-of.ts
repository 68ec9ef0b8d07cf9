/** Frames of large objects, which another thread makes. */
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { WatchItem } from '../../registry/types.ts';
import type { MakeElsewhere, Representation } from './types.ts';

/**
 * The frame of an event. What another thread makes of its object comes later.
 * @param isFirst whether it is the first frame of its watch: `form` is then the negotiated one, else the one behind it
 */
export function frameOf(
  form: Representation,
  item: WatchItem,
  { elsewhere, isFirst }: { readonly elsewhere: MakeElsewhere | undefined; readonly isFirst: boolean },
): MaybePromise<Buffer> {
  const { kept } = form;
  if (!elsewhere || kept?.has(item.event) || form.hasFrame?.(item)) return form.frame(item);
  const making = elsewhere(item.event, kept ? 'kept' : `${isFirst ? 'first' : 'next'} ${item.type}`);
  return making?.then((made) => form.frame(item, made)) ?? form.frame(item);
}
