/** Keeps the list of updaters short: the oldest are gathered in one entry per version. */
import { ManagedEntry } from './managed-entry.ts';
import type { ManagedFields } from './managed-fields.ts';
import { compareAge } from './managed-fields.ts';

/** Entries of updaters that an object keeps apart. */
const maxUpdaters = 10;
const gatherer = 'ancient-changes';

/** At most ten updaters, plus one gathering entry more per version that the oldest ones wrote in. */
export function capUpdaters(entries: ManagedFields): ManagedFields {
  const updaters = entries.filter((entry) => entry.parts.operation === 'Update').sort(gatheredFirst);
  let excess = updaters.length - maxUpdaters;
  if (excess <= 0) return entries;
  const gathered = new Map<string, ManagedEntry>();
  const gone = new Set<ManagedEntry>();
  for (const entry of updaters) {
    if (excess <= 0) break;
    const { apiVersion } = entry.parts;
    const former = gathered.get(apiVersion);
    // The first of a version has nothing to be merged with; only those after it make the list shorter.
    if (former) excess -= 1;
    gathered.set(apiVersion, former ? merge(former, entry) : entry);
    gone.add(entry);
  }
  return [...entries.filter((entry) => !gone.has(entry)), ...gathered.values()];
}

/** What was gathered before goes on gathering. */
function gatheredFirst(a: ManagedEntry, b: ManagedEntry): number {
  return Number(b.parts.manager === gatherer) - Number(a.parts.manager === gatherer) || compareAge(a, b);
}

/** `newer` was written last, so its time is the time of both. */
function merge(older: ManagedEntry, newer: ManagedEntry): ManagedEntry {
  const { apiVersion, time } = newer.parts;
  const parts = { manager: gatherer, operation: 'Update', subresource: '', apiVersion, time } as const;
  return ManagedEntry.of(parts, older.set.union(newer.set));
}
