/** Bounds on what a patch may ask for; a body of a few bytes must not cost seconds or gigabytes. */
export const patchLimits = {
  /** Operations of one JSON patch. */
  operations: 10_000,
  /** What `copy` may add in sum: one per node plus the length of its text, about as many bytes as JSON needs. */
  copiedWeight: 3 * 1024 * 1024,
  /** List items that insertions and removals may shift in sum. */
  shiftedItems: 20_000_000,
  /** Levels of nesting of the result, as for a body. */
  depth: 1_000,
} as const;
