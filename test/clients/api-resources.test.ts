/** `kubectl api-resources` against the facts of the oldest and the newest release. */
import { startEtcdCluster, type EtcdCluster } from '../support/etcd/cluster.ts';
import { factsIn, type Fact } from '../support/facts/facts.ts';
import { startReplica } from '../support/replica.ts';
import { makeKubectl } from './support/kubectl.ts';

let etcd: EtcdCluster;

beforeAll(async () => {
  etcd = await startEtcdCluster({ how: 'process' });
});
afterAll(() => etcd.close());

/** `apiregistration.orch.io/v1 APIService` as clients know it. */
function nameOf({ group = '', version = '', kind = '' }: Fact): string {
  const known = group === 'core' ? '' : `${group.replace('orch.io', 'k8s.io')}/`;
  return `${known}${version} ${kind}`;
}

/** Columns are found by where their names stand, for some cells are empty. */
function rowsOf(text: string): Record<string, string>[] {
  const [head = '', ...lines] = text.trimEnd().split('\n');
  const names = head.split(/ +/).filter(Boolean);
  const starts = names.map((name) => head.indexOf(name));
  return lines.map((line) =>
    Object.fromEntries(
      names.map((name, index) => [name, line.slice(starts[index], starts[index + 1]).trim()] as const),
    ),
  );
}

test.each([
  ['1.21', 'old'],
  ['1.36', 'new'],
] as const)(
  'api-resources of %s',
  async (release, side) => {
    const args = [`--emulated-release=${release}`];
    await using replica = await startReplica({ etcd, naming: 'kubernetes', prefix: `/r${release}`, args });
    await using kubectl = await makeKubectl(replica);
    const printed = rowsOf(await kubectl.ok(['api-resources', '-o', 'wide']));
    const facts = factsIn('kinds', side).filter(
      ({ plural, enabledByDefault, served }) =>
        plural !== '' && enabledByDefault === 'true' && served === 'true',
    );
    const byName = new Map(facts.map((fact) => [nameOf(fact), fact]));
    const shown = printed.map((row) => `${row['APIVERSION'] ?? ''} ${row['KIND'] ?? ''}`);
    expect(shown.filter((name) => !byName.has(name))).toEqual([]);
    // Of a group the preferred version that has the kind is printed.
    const kindOf = (name: string): string => name.replace(/\/?v\d\w* /, ' ');
    expect(new Set(shown.map(kindOf))).toEqual(new Set([...byName.keys()].map(kindOf)));
    for (const [index, row] of printed.entries()) {
      const fact = byName.get(shown[index] ?? '') ?? {};
      expect({ ...row, VERBS: (row['VERBS'] ?? '').split(',').sort().join(',') }).toMatchObject({
        NAME: fact['plural'],
        SHORTNAMES: fact['shortNames'],
        NAMESPACED: fact['namespaced'],
        VERBS: fact['verbs'],
        CATEGORIES: fact['categories'],
      });
    }
    expect(printed.length).toBeGreaterThan(50);
  },
  60_000,
);
