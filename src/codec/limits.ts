/** Bounds on what a decoder takes. They protect the one thread and its stack; no valid object comes near them. */

/** Bytes of a request body (specification: a request of more than 3 MB is refused with 413). */
export const maxBodyBytes = 3 * 1024 * 1024;

/**
 * Bytes of an object that is written. Defaults can make a body fifty times as long, and no etcd takes as much: its own limit
 * (`--max-request-bytes`) is 1.5 MiB by default, and 10 MiB at most as it recommends.
 */
export const maxStoredBytes = 16 * 1024 * 1024;

/** Bodies up to this size are decoded, validated and stored by the serving thread: some 10 ms at worst. */
export const smallBodyBytes = 64 * 1024;

export interface DecodeLimits {
  /**
   * Levels of nesting. 10,000 would be the format's usual bound, but everything behind the decoder recurses, and
   * V8's default stack holds only some 3,000 levels of a deep copy; the limit leaves room for the heaviest walker.
   */
  readonly maxDepth: number;
  /**
   * What YAML aliases may add: one per node plus the length of its text. What is added takes time like a body of that
   * size; a body that is larger itself may grow by its own size.
   */
  readonly maxAliasWeight: number;
}

export const defaultLimits: DecodeLimits = { maxDepth: 1_000, maxAliasWeight: 4 * smallBodyBytes };
