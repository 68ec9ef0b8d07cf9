/** Discovery of groups that other servers answer for beside those of the catalogue. */
import { aggregatedDocument } from '../../../../src/http/discovery/aggregated.ts';
import { discoveryGroups } from '../../../../src/http/discovery/discovery-groups.ts';
import type { RegisteredApi, RemoteApi } from '../../../../src/http/remote-apis.ts';
import { namingProfiles } from '../../../../src/meta/naming.ts';
import { realCatalogue } from '../../../support/catalogue.ts';
import { atOnce } from '../../../../src/base/sliced-work.ts';

const naming = namingProfiles.kubernetes;
const { catalogue } = realCatalogue(naming);
const common = { singularName: '', group: '', version: '', verbs: ['get'], shortNames: [], categories: [] };
const remote: RemoteApi = {
  isFresh: true,
  resources: [
    { ...common, name: 'nodes', namespaced: false, kind: 'NodeMetrics' },
    { ...common, name: 'nodes/scale', namespaced: false, group: 'autoscaling', version: 'v1', kind: 'Scale' },
    { ...common, name: 'lost/part', namespaced: false, kind: 'Part' },
  ],
};

function groups(registered: readonly RegisteredApi[]): [string, string[]][] {
  return atOnce(discoveryGroups(catalogue, registered)).map(({ group, versions }) => [
    group,
    versions.map(({ version, local }) => `${version} ${local ? 'here' : 'there'}`),
  ]);
}

test('without registrations the catalogue counts, APIServices first', () => {
  const all = groups([]).map(([group]) => group);
  expect(all[0]).toBe('apiregistration.k8s.io');
  expect(new Set(all)).toEqual(new Set(catalogue.groups().map(({ group }) => group)));
});

test('registered groups stand in their order, what is not registered yet at the end', () => {
  const all = groups([
    { group: 'metrics.k8s.io', version: 'v1', remote },
    { group: 'batch', version: 'v1beta1', remote: undefined },
    { group: 'apps', version: 'v1', remote: undefined },
    { group: 'gone.example.com', version: 'v1', remote: undefined },
  ]);
  expect(all.slice(0, 4)).toEqual([
    ['apiregistration.k8s.io', ['v1 here', 'v1beta1 here']],
    ['metrics.k8s.io', ['v1 there']],
    ['batch', ['v1beta1 here', 'v1 here', 'v2alpha1 here']],
    ['apps', ['v1 here']],
  ]);
  expect(all.map(([group]) => group)).not.toContain('gone.example.com');
});

test('a group version that moved is that of the other server', () => {
  const all = new Map(groups([{ group: 'batch', version: 'v1', remote }]));
  expect(all.get('batch')).toEqual(['v1 there', 'v1beta1 here', 'v2alpha1 here']);
});

test('aggregated discovery has the resources of other servers, and says when they are old', () => {
  const document = (isFresh: boolean): unknown => {
    const registered = [{ group: 'metrics.k8s.io', version: 'v1', remote: { ...remote, isFresh } }];
    const { items } = atOnce(
      aggregatedDocument(naming, atOnce(discoveryGroups(catalogue, registered)), ['/apis', 'v2']),
    );
    return (items as { metadata: { name: string } }[]).find(
      ({ metadata }) => metadata.name === 'metrics.k8s.io',
    );
  };
  const scale = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
  expect(document(true)).toMatchObject({
    versions: [
      {
        ...{ version: 'v1', freshness: 'Current' },
        resources: [
          {
            ...{ resource: 'nodes', scope: 'Cluster' },
            responseKind: { group: 'metrics.k8s.io', version: 'v1', kind: 'NodeMetrics' },
            subresources: [{ subresource: 'scale', responseKind: scale }],
          },
        ],
      },
    ],
  });
  expect(document(false)).toMatchObject({ versions: [{ freshness: 'Stale' }] });
});

test.each([
  [33, true],
  [34, false],
])('items of aggregated discovery at 1.%i write the time that they lack: %p', (minor, isWritten) => {
  const { catalogue } = realCatalogue(naming, { major: 1, minor });
  const { items } = atOnce(
    aggregatedDocument(naming, atOnce(discoveryGroups(catalogue, [])), ['/apis', 'v2']),
  );
  const written = (items as { metadata: object }[]).map(({ metadata }) => 'creationTimestamp' in metadata);
  expect(new Set(written)).toEqual(new Set([isWritten]));
});
