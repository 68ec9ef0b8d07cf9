/** Lists that filter their entries share the time of the thread. */
import { SharedSlice } from '../../base/cooperate.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { sizeOf } from '../../storage/size.ts';
import type { Entry } from '../../storage/types.ts';
import type { RequestScope } from '../types.ts';

/** Whose client may go meanwhile. */
type FilteringScope = Pick<RequestScope, 'lifetime' | 'signal'>;

/** All filtering lists share the time of the thread. */
const selecting = new SharedSlice();
/** Entries that are filtered between checks of the clock, and their bytes: selectors parse objects for their fields. */
const seenAtOnce = 256;
const bytesAtOnce = 64 * 1024;

/** Of one list. */
export class Filtering {
  readonly #scope: FilteringScope;
  #seen = 0;
  #bytes = 0;

  constructor(scope: FilteringScope) {
    this.#scope = scope;
  }

  /** To await before an entry is filtered. @throws the reason of the signal once the client is gone */
  before(entry: Entry): MaybePromise<void> {
    this.#seen += 1;
    this.#bytes += sizeOf(entry);
    if (this.#seen < seenAtOnce && this.#bytes < bytesAtOnce) return undefined;
    [this.#seen, this.#bytes] = [0, 0];
    return this.breathe();
  }

  /** To await between two short steps of a list. @throws as `before` */
  breathe(): MaybePromise<void> {
    if ((this.#scope.lifetime ?? this.#scope.signal).aborted) this.#scope.signal.throwIfAborted();
    return selecting.shouldYield() ? selecting.yieldNow() : undefined;
  }
}
