/** Brings values of etcd into the current form; large ones in slices, before they are read. */
import { Slice } from '../../base/cooperate.ts';
import { messageOf } from '../../base/errors.ts';
import { DecodeError } from '../../codec/decode-error.ts';
import type { KeyValue } from '../etcd/message-types.ts';
import type { Recode, StorageLogger } from '../options.ts';
import type { CollectionId, ObjectKey } from '../types.ts';

/** An opened value. */
export interface ReadValue {
  readonly kv: KeyValue;
  readonly collection: CollectionId;
  readonly key: ObjectKey;
  /** Without its mark. */
  readonly value: Buffer;
  readonly isOwn: boolean;
}

/** The value in the current form; undefined: it has that form; DecodeError: it is no object. */
type Recoded = Buffer | DecodeError | undefined;

/** A value whose steps are not over. */
interface Begun {
  readonly read: ReadValue;
  readonly steps: Generator<void, Buffer | undefined, void>;
}

export class ValueRecoding {
  readonly #recode: Recode;
  readonly #logger: StorageLogger;
  /** What `prepare` found. */
  readonly #found = new WeakMap<KeyValue, { readonly recoded: Recoded }>();

  constructor({ recode, logger }: { readonly recode: Recode; readonly logger: StorageLogger }) {
    this.#recode = recode;
    this.#logger = logger;
  }

  /** Recodes large values in slices; to be awaited before they are read. undefined if each took one step. Never fails. */
  prepare(values: Iterable<ReadValue>): Promise<void> | undefined {
    const begun: Begun[] = [];
    for (const read of values) {
      const steps = this.#recode.inSteps?.(read.collection, read.value, read.isOwn);
      if (steps && !this.#step({ read, steps })) begun.push({ read, steps });
    }
    return begun.length === 0 ? undefined : this.#finish(begun);
  }

  recoded(read: ReadValue): Recoded {
    const found = this.#found.get(read.kv);
    return found
      ? found.recoded
      : this.#attempt(read, () => this.#recode(read.collection, read.value, read.isOwn));
  }

  async #finish(begun: readonly Begun[]): Promise<void> {
    const slice = new Slice();
    for (const each of begun) {
      do await slice.breathe();
      while (!this.#step(each));
    }
  }

  /** True if it was the last. */
  #step({ read, steps }: Begun): boolean {
    const step = this.#attempt(read, () => steps.next());
    const isFailed = step === undefined || step instanceof DecodeError;
    if (!isFailed && step.done !== true) return false;
    this.#found.set(read.kv, { recoded: isFailed ? step : step.value });
    return true;
  }

  /** An object of an unknown kind must not fail the others: it is kept unchanged, so that its owner can see it. */
  #attempt<T>({ collection, key }: ReadValue, recode: () => T): T | DecodeError | undefined {
    try {
      return recode();
    } catch (error) {
      if (error instanceof DecodeError) return error;
      const message = messageOf(error);
      this.#logger.error({ collection, key, error: message }, 'a stored value cannot be decoded');
      return undefined;
    }
  }
}
