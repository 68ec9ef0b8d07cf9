/** The objects of service addresses: what is read of services and addresses that do not change. */
import { namingProfiles } from '../../../src/meta/naming.ts';
import { newestRelease } from '../../../src/observe/release.ts';
import type { ResourceVerbs } from '../../../src/registry/types.ts';
import { newEntry } from '../../../src/registry/written-entry.ts';
import { ServiceIpAddresses } from '../../../src/server/services/service-ip-addresses.ts';
import type { CollectionSnapshot, Entry } from '../../../src/storage/types.ts';
import { realCatalogue } from '../../support/catalogue.ts';

const count = 200;
const { signal } = new AbortController();

test('each revision is read once, though entries are made for each look', async () => {
  const naming = namingProfiles.kubernetes;
  const { catalogue } = realCatalogue(naming, newestRelease);
  const revisions = new Map<string, number>();
  let read: string[] = [];
  const entryOf = (collection: string, key: string, object: object): Entry => {
    const bytes = Buffer.from(JSON.stringify(object));
    const entry = newEntry(collection, key, bytes, revisions.get(key) ?? 7);
    return Object.defineProperty({ ...entry, size: bytes.length }, 'bytes', {
      get: () => {
        read.push(key);
        return bytes;
      },
    });
  };
  function* entries(collection: string): Generator<Entry> {
    for (let i = 0; i < count; i += 1) {
      const [name, address] = [`s${String(i)}`, `10.0.0.${String(i)}`];
      const spec = { clusterIP: address, clusterIPs: [address], ports: [] };
      const labels = { 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' };
      const parentRef = { group: '', resource: 'services', namespace: 'n', name };
      if (collection === 'core/services')
        yield entryOf(collection, `n/${name}`, { kind: 'Service', metadata: { name, namespace: 'n' }, spec });
      else yield entryOf(collection, address, { metadata: { name: address, labels }, spec: { parentRef } });
    }
  }
  const view = (collection: string): CollectionSnapshot =>
    ({ entries: () => entries(collection) }) as unknown as CollectionSnapshot;
  const refused = (): never => {
    throw new Error('nothing is to be written');
  };
  const verbs = { create: refused, delete: refused } as unknown as ResourceVerbs;
  const shown = ServiceIpAddresses.of({ storage: { view }, catalogue, verbs, naming });
  expect(shown?.collections).toContain('core/services');
  await shown?.reconcile(signal);
  expect(read.length).toBe(2 * count);
  read = [];
  revisions.set('n/s7', 8);
  await shown?.reconcile(signal);
  expect(read).toEqual(['n/s7']);
  read = [];
  await shown?.reconcile(signal);
  expect(read).toEqual([]);
});
