/** Whatever happens to objects, the graph knows those that are there, and how many of each resource. */
import { array, assert, constant, constantFrom, oneof, property, record, subarray } from 'fast-check';
import { OwnershipGraph, type GraphNode } from '../../../src/controllers/garbage-collector/graph.ts';
import type { ResourceRef } from '../../../src/controllers/types.ts';
import { resourceRef } from '../../support/fake-api-client.ts';

const resources = [resourceRef('Map'), resourceRef('Other')];
const uids = ['a', 'b', 'c', 'd', 'e'];

const resource = constantFrom(...resources);
const uid = constantFrom(...uids);
const step = oneof(
  record({ what: constant('put' as const), uid, resource, owners: subarray(['a', 'b', 'never-seen']) }),
  record({ what: constant('remove' as const), uid }),
  record({ what: constant('keep' as const), resource, uids: subarray(uids) }),
);

function put(graph: OwnershipGraph, name: string, of: ResourceRef, owners: readonly string[]): void {
  const common = { apiVersion: 'v1', kind: of.kind, name };
  const node = graph.observe(name, { ...common, resource: of, namespace: 'n' });
  const references = owners.map((owner) => ({ ...common, name: owner, uid: owner }));
  graph.setOwners(node, references);
}

/** Takes out what has no relatives but those named. @returns the others that are out of the graph now */
function keep(graph: OwnershipGraph, of: ResourceRef, named: readonly string[]): GraphNode[] {
  const others = observed(graph).filter(
    ({ uid: name, identity }) => identity.resource === of && !named.includes(name),
  );
  const alone = others.filter(({ owners, dependents }) => owners.length === 0 && dependents.size === 0);
  graph.keepOfAlone(of, named);
  const gone = others.filter((node) => graph.get(node.uid) === undefined);
  expect(alone).toEqual(expect.arrayContaining(gone));
  return gone;
}

function observed(graph: OwnershipGraph): GraphNode[] {
  return [...graph.all()].filter(({ virtual }) => !virtual);
}

test('the graph has what is there', () => {
  assert(
    property(array(step, { maxLength: 40 }), (steps) => {
      const graph = new OwnershipGraph();
      const known = new Map<string, ResourceRef>();
      for (const each of steps) {
        if (each.what === 'put') {
          put(graph, each.uid, each.resource, each.owners);
          known.set(each.uid, each.resource);
        } else if (each.what === 'remove') {
          graph.remove(each.uid);
          known.delete(each.uid);
        } else for (const gone of keep(graph, each.resource, each.uids)) known.delete(gone.uid);
        expect(new Map(observed(graph).map((node) => [node.uid, node.identity.resource]))).toEqual(known);
        for (const of of resources)
          expect(graph.countOf(of)).toBe([...known.values()].filter((each) => each === of).length);
      }
    }),
  );
});

test('those without relatives go at once, others stay', () => {
  const graph = new OwnershipGraph();
  const [maps, others] = resources as [ResourceRef, ResourceRef];
  for (const name of ['alone', 'kept', 'owner', 'owned']) put(graph, name, maps, []);
  put(graph, 'owned', maps, ['owner', 'never-seen']);
  put(graph, 'other', others, []);
  graph.keepOfAlone(maps, ['kept']);
  expect(Array.from(graph.all(), (node) => node.uid)).toEqual([
    ...['kept', 'owner', 'owned'],
    ...['never-seen', 'other'],
  ]);
});
