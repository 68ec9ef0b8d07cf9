/** The release whose types are loaded: it decides which fields, values and defaults of a `.proto` file there are. */

/** Options of a field or message by name: `(since)` is `since`. */
export type DeclaredOptions = Readonly<Record<string, unknown>>;

export interface SchemaRelease {
  /** Whether the release is this one or a later one; true for ''. */
  readonly hasReached: (release: string) => boolean;
  /** Whether it has a field with these options (`since`, `until`). */
  readonly knows: (options: DeclaredOptions) => boolean;
}

/** All fields, values and defaults of all releases: what tools and generated types need. */
export const everyRelease: SchemaRelease = { hasReached: () => true, knows: () => true };

/** @param minor of a release 1.N */
export function schemaRelease(minor: number): SchemaRelease {
  const hasReached = (release: string): boolean => release === '' || minor >= minorOf(release);
  const isUntil = (release: unknown): boolean => typeof release === 'string' && hasReached(release);
  return {
    hasReached,
    knows: ({ since, until }) => hasReached(typeof since === 'string' ? since : '') && !isUntil(until),
  };
}

function minorOf(release: string): number {
  const match = /^1\.([0-9]+)$/.exec(release);
  if (!match) throw new Error(`${release} is not a release such as 1.30`);
  return Number(match[1]);
}
