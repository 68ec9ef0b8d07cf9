/** Which keys of etcd are the state of the API, and not what running processes need of each other. */
import { controllersLease } from '../../controllers/controller-names.ts';
import { announcedGroup } from '../../storage/types.ts';

/**
 * Tells for keys below a prefix whether they are objects, or what objects claim: no fences, no announcements of processes,
 * not the lease of the controllers that run.
 */
export function isObjectKey(prefix: string): (key: string) => boolean {
  const root = rootOf(prefix);
  return (key) => {
    if (!key.startsWith(root)) return false;
    const [group = '', plural, ...object] = key.slice(root.length).split('/');
    if (plural === undefined || object.join('') === '' || group.startsWith('~')) return false;
    return group !== announcedGroup && !(plural === 'leases' && object.at(-1) === controllersLease);
  };
}

/** What all keys of the service begin with. */
export function rootOf(prefix: string): string {
  return `/${prefix.split('/').filter(Boolean).join('/')}/`;
}
