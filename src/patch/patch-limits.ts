/** Limits of patches; a body of a few bytes must not cost seconds or gigabytes. */
export const patchLimits = {
  /** Operations of one JSON patch. */
  operations: 10_000,
  /** Steps of all its paths: each is read and walked, and a body has room for a million. */
  steps: 100_000,
  /** What `copy` may add in sum, in about as many bytes as JSON needs. */
  copiedWeight: 3 * 1024 * 1024,
  /** List items that insertions and removals may shift in sum. */
  shiftedItems: 20_000_000,
  /** Members and items that a strategic merge patch copies or orders, each as often as it does: half a second of work. */
  mergedMembers: 1_000_000,
  /** Levels of nesting of the result, as for a body. */
  depth: 1_000,
} as const;
