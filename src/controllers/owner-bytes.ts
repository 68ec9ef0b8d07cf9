/** About what an owner reference has. */
const bytesOfOwner = 100;

/** What the owners of an object cost a handler, as `bytesOf` of turns: each is looked for in the ownership graph. */
export function bytesOfOwners(ownerReferences: unknown): number {
  return Array.isArray(ownerReferences) ? ownerReferences.length * bytesOfOwner : 0;
}
