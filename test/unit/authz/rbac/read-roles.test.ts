/** A role that several indexes of a process hold as the same entry is read once. */
import { PolicyIndex, type ReadRoles } from '../../../../src/authz/rbac/policy-index.ts';
import type { Entry } from '../../../../src/storage/types.ts';
import { entryOf, policyObject } from '../../../support/policy.ts';

const ref = { kind: 'ClusterRole', name: 'viewer' };
const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }];

/** How often the text of an entry is asked for. */
function counted(): { readonly entry: Entry; readonly reads: () => number } {
  const { bytes, ...entry } = entryOf('clusterroles', policyObject('clusterroles', 'viewer', { rules }));
  let reads = 0;
  const text = (): Buffer => {
    reads += 1;
    return bytes;
  };
  return { entry: Object.defineProperty(entry, 'bytes', { get: text }) as Entry, reads: () => reads };
}

test.each([
  ['once by indexes that share what they read', true, 1],
  ['by each of the others', false, 2],
])('a role is read %s', (_, shares, times) => {
  const read: ReadRoles | undefined = shares ? new WeakMap() : undefined;
  const { entry, reads } = counted();
  const indexes = [new PolicyIndex(read), new PolicyIndex(read)];
  for (const index of indexes) index.put('clusterroles', entry);
  expect(reads()).toBe(times);
  for (const index of indexes) expect(index.rulesOf(ref, '')?.list).toMatchObject(rules);
});

test('a role that changes in one of them stays as it was in the other', () => {
  const read: ReadRoles = new WeakMap();
  const [one, other] = [new PolicyIndex(read), new PolicyIndex(read)];
  const { entry } = counted();
  one.put('clusterroles', entry);
  other.put('clusterroles', entry);
  one.put('clusterroles', entryOf('clusterroles', policyObject('clusterroles', 'viewer', { rules: [] })));
  expect(one.rulesOf(ref, '')?.list).toEqual([]);
  expect(other.rulesOf(ref, '')?.list).toHaveLength(1);
  other.remove('clusterroles', 'viewer');
  expect(other.rulesOf(ref, '')).toBeUndefined();
});

test('an entry that cannot be read is refused each time', () => {
  const read: ReadRoles = new WeakMap();
  const entry: Entry = { ...counted().entry, bytes: Buffer.from('{"metadata":{') };
  for (const index of [new PolicyIndex(read), new PolicyIndex(read)])
    expect(() => {
      index.put('clusterroles', entry);
    }).toThrow();
});
