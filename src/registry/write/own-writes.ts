/** For writes of the service itself, which no client requested. */

/** Lets updates create what is missing: the service alone decides what it writes. */
export function mayCreate(): Promise<void> {
  return Promise.resolve();
}
