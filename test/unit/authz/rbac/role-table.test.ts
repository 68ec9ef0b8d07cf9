/** Roles are read when they are first asked for, and decide as those that were read at once. */
import type { JsonObject } from '../../../../src/base/json.ts';
import { RoleTable } from '../../../../src/authz/rbac/role-table.ts';
import { clusterRoleId } from '../../../../src/authz/rbac/subject-grants.ts';
import { encodeStored } from '../../../../src/codec/stored.ts';

/** As the service stores it; counts how often it is read. */
function stored(name: string): { readonly bytes: Buffer; readonly reads: () => number } {
  const rules: JsonObject[] = [{ apiGroups: [''], resources: [name], verbs: ['get'] }];
  const kind = { kind: 'ClusterRole', apiVersion: 'rbac.authorization.k8s.io/v1' };
  const bytes = Buffer.from(encodeStored({ ...kind, metadata: { name }, rules }));
  let reads = 0;
  const toString = bytes.toString.bind(bytes);
  bytes.toString = (...parts) => {
    reads += 1;
    return toString(...parts);
  };
  return { bytes, reads: () => reads };
}

test('a role is read once, when it is first asked for', () => {
  const [table, role] = [new RoleTable(), stored('pods')];
  table.putStored('clusterroles', 'a', role.bytes);
  expect([...table.keys('clusterroles')]).toEqual(['a']);
  expect(role.reads()).toBe(0);
  expect(table.get('clusterroles', 'a')?.list).toMatchObject([{ resources: ['pods'] }]);
  const reads = role.reads();
  expect(reads).toBeGreaterThan(0);
  table.get('clusterroles', 'a');
  expect(role.reads()).toBe(reads);
});

test('no more of them than can be read within a moment are unread, also after changes', () => {
  const table = new RoleTable();
  const put = (count: number): number => {
    const roles = Array.from({ length: count }, (_, i) => stored(`r${String(i)}`));
    for (const [i, { bytes }] of roles.entries()) table.putStored('clusterroles', String(i), bytes);
    return roles.filter(({ reads }) => reads() === 0).length;
  };
  expect(put(1_000)).toBe(200);
  // The same ones again, and again after they have gone.
  expect(put(1_000)).toBe(200);
  for (const key of [...table.keys('clusterroles')]) table.remove('clusterroles', key);
  expect(put(1_000)).toBe(200);
});

test('who follows a role is told of it, and what is no object is refused at once', () => {
  const table = new RoleTable();
  const told: string[] = [];
  table.follow(clusterRoleId('a'), { noteChange: (role) => told.push(role) });
  table.putStored('clusterroles', 'a', stored('pods').bytes);
  table.remove('clusterroles', 'a');
  expect(told).toEqual([clusterRoleId('a'), clusterRoleId('a')]);
  expect(() => table.putStored('clusterroles', 'b', Buffer.from('[]'))).toThrow('object');
  expect(table.get('clusterroles', 'b')).toBeUndefined();
});
