/** Keeps the list of updaters short: the oldest are gathered in one entry per version. */
import { unionOf } from './field-set.ts';
import { ManagedEntry } from './managed-entry.ts';
import type { ManagedFields } from './managed-fields.ts';
import { compareAge } from './managed-fields.ts';

/** Entries of updaters that an object keeps apart. */
const maxUpdateManagers = 10;
const ancientManager = 'ancient-changes';

/** At most ten updaters, plus one gathering entry more per version that the oldest ones wrote in. */
export function capManagers(entries: ManagedFields): ManagedFields {
  const updaters = entries.filter((entry) => entry.parts.operation === 'Update').sort(ancientFirst);
  let excess = updaters.length - maxUpdateManagers;
  if (excess <= 0) return entries;
  const gathered = new Map<string, ManagedEntry[]>();
  const gone = new Set<ManagedEntry>();
  for (const entry of updaters) {
    if (excess <= 0) break;
    const { apiVersion } = entry.parts;
    const former = gathered.get(apiVersion);
    // The first of a version has nothing to be merged with; only those after it make the list shorter.
    if (former) excess -= 1;
    if (former) former.push(entry);
    else gathered.set(apiVersion, [entry]);
    gone.add(entry);
  }
  return [...entries.filter((entry) => !gone.has(entry)), ...Array.from(gathered.values(), merged)];
}

/** What was gathered before goes on gathering. */
function ancientFirst(a: ManagedEntry, b: ManagedEntry): number {
  return (
    Number(b.parts.manager === ancientManager) - Number(a.parts.manager === ancientManager) ||
    compareAge(a, b)
  );
}

/** Oldest first: the last was written last, so its time is the time of all. */
function merged(entries: readonly ManagedEntry[]): ManagedEntry {
  const newest = entries.at(-1);
  const [first] = entries;
  if (first === undefined || newest === undefined || first === newest) return first as ManagedEntry;
  const { apiVersion, time } = newest.parts;
  const parts = { manager: ancientManager, operation: 'Update', subresource: '', apiVersion, time } as const;
  return ManagedEntry.of(parts, unionOf(entries.map(({ set }) => set)));
}
