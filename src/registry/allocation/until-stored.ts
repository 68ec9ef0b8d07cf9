/** Repeats a write with other values while those that it chose are taken by others. */
import { deepCopy } from '../../base/json.ts';
import { asApiObject, asJson } from '../../meta/object.ts';
import { addressOf } from '../scope-keys.ts';
import { toStatusError, translated } from '../storage-errors.ts';
import type { Draft, Write } from '../write/write.ts';
import { nameOf } from '../write/decode.ts';
import { allocatorOf, ChosenValueTaken } from './allocate.ts';
import { poolCollections } from './claims.ts';

/** Others have taken a value at each attempt, so they go on; a range that fills up ends it sooner. */
const maxAttempts = 30;

/**
 * Completes a draft; once for kinds that choose no values.
 * @throws StatusError of the write, 503 after too many attempts
 */
export function untilStored<T>(
  write: Write,
  draft: Draft,
  complete: (candidate: Draft) => Promise<T>,
): Promise<T> {
  return allocatorOf(write) ? repeated(write, draft, complete) : complete(draft);
}

async function repeated<T>(
  write: Write,
  draft: Draft,
  complete: (candidate: Draft) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await complete(copyOf(draft));
    } catch (error) {
      if (!(error instanceof ChosenValueTaken)) throw error;
      if (attempt >= maxAttempts)
        throw toStatusError(error.cause, addressOf(write.scope, nameOf(draft.object.metadata)));
      await newest(write);
    }
  }
}

/** Later steps change the object. */
function copyOf(draft: Draft): Draft {
  const { metadata: _metadata, ...rest } = asJson(draft.object);
  const metadata = { ...draft.object.metadata };
  return { ...draft, object: { ...asApiObject(deepCopy(rest)), metadata } };
}

/** The view then has what the others took. */
async function newest({ deps, scope }: Write): Promise<void> {
  await translated(addressOf(scope, ''), () =>
    deps.storage.snapshot(poolCollections.addresses, { kind: 'mostRecent' }, scope.lifetime ?? scope.signal),
  );
}
