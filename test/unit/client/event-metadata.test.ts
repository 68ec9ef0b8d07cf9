import { setImmediate } from 'node:timers/promises';

import { encodeStored } from '../../../src/codec/stored.ts';
import { newEntry } from '../../../src/registry/written-entry.ts';
import { EventMetadata } from '../../../src/client/event-metadata.ts';
import type { Entry } from '../../../src/storage/types.ts';

function entryOf(name: string, revision: number): Entry {
  const metadata = { name, labels: { a: 'b' }, managedFields: [{ manager: 'm' }] };
  const bytes = encodeStored({ kind: 'A', apiVersion: 'v1', metadata, spec: { x: 1 } });
  return newEntry('core/as', name, bytes, revision);
}

test('all who hear of an entry in one turn get the same, and each entry has its own', async () => {
  const events = new EventMetadata();
  const [first, second] = [entryOf('a', 7), entryOf('a', 8)];
  expect(events.of(first)).toEqual({ name: 'a', labels: { a: 'b' }, resourceVersion: '7' });
  expect(events.of(first)).toBe(events.of(first));
  expect(events.of(second)).toEqual({ name: 'a', labels: { a: 'b' }, resourceVersion: '8' });
  const before = events.of(first);
  await setImmediate();
  expect(events.of(first)).not.toBe(before);
  expect(events.of(first)).toEqual(before);
});
