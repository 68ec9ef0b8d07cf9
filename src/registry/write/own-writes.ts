/** For internal writes of the service. */

/** Allows updates to create objects. */
export function mayCreate(): Promise<void> {
  return Promise.resolve();
}
