/** Items of large entries, which another thread makes while a list waits. */
import type { Entry } from '../../storage/types.ts';
import type { FormPart, MakeElsewhere } from './types.ts';

const nothing = Buffer.alloc(0);

/**
 * For the generators of lists: yields a promised empty slice until the part is there. Whoever takes slices waits for what
 * is promised before it takes the next. Returns undefined if the part is to be made here.
 */
export function* madeElsewhere(
  elsewhere: MakeElsewhere | undefined,
  entry: Entry,
  part: FormPart,
): Generator<Promise<Buffer>, Buffer | undefined, undefined> {
  const making = elsewhere?.(entry, part);
  if (making === undefined) return undefined;
  let made: Buffer | undefined;
  yield making.then((bytes) => {
    made = bytes;
    return nothing;
  });
  return made;
}
