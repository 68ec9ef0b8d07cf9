/** Which keys of etcd are the state of the API, and not what running processes need of each other. */
import { controllersLease } from '../../controllers/controller-names.ts';
import { announcedGroup } from '../../storage/types.ts';

/**
 * Tells for keys below a prefix whether they are objects, or what objects claim: no fences, no announcements of processes,
 * not the lease of the controllers that run.
 */
export function isObjectKey(prefix: string): (key: string) => boolean {
  const partsOf = partsBelow(prefix);
  return (key) => {
    const parts = partsOf(key);
    if (parts === undefined) return false;
    const [group = '', plural, ...object] = parts;
    if (plural === undefined || object.join('') === '' || group.startsWith('~')) return false;
    return group !== announcedGroup && !isLeaseOfControllers(parts);
  };
}

/**
 * The keys that are no objects, in time for the collections there are, as in each collection they come first; and those of leases.
 * @param first gives the first key that is not smaller than a text
 */
export function otherKeys(
  prefix: string,
): (first: (from: string) => string | undefined) => Generator<string, void> {
  const isObject = isObjectKey(prefix);
  const partsOf = partsBelow(prefix);
  return function* (first) {
    for (let key = first(''); key !== undefined;) {
      const [group = '', plural = ''] = partsOf(key) ?? [];
      const hasOnlyObjects = isObject(key) && plural !== 'leases';
      if (!isObject(key)) yield key;
      // A slash ends the name of the collection; this is the next character.
      key = first(hasOnlyObjects ? `${rootOf(prefix)}${group}/${plural}0` : `${key}\0`);
    }
  };
}

/** Tells for keys below a prefix whether they are the lease of the controllers that run. */
export function isControllersLease(prefix: string): (key: string) => boolean {
  const partsOf = partsBelow(prefix);
  return (key) => isLeaseOfControllers(partsOf(key) ?? []);
}

/** A short range of keys with that lease. */
export function rangeOfLeases(prefix: string): { readonly start: string; readonly end: string } {
  // The rest of the group is a name of the naming profile; a slash comes next after a point.
  const start = `${rootOf(prefix)}coordination`;
  return { start: `${start}.`, end: `${start}/` };
}

/** What all keys of the service begin with. */
export function rootOf(prefix: string): string {
  return `/${prefix.split('/').filter(Boolean).join('/')}/`;
}

/** The parts of a key below a prefix; undefined for keys of others. */
export function partsBelow(prefix: string): (key: string) => readonly string[] | undefined {
  const root = rootOf(prefix);
  return (key) => (key.startsWith(root) ? key.slice(root.length).split('/') : undefined);
}

function isLeaseOfControllers([, plural, ...object]: readonly string[]): boolean {
  return plural === 'leases' && object.at(-1) === controllersLease;
}
