/** For writes of the service itself, which nobody has asked for. */

/** Lets updates create what is missing: nobody but the service decides what it writes. */
export function mayCreate(): Promise<void> {
  return Promise.resolve();
}
