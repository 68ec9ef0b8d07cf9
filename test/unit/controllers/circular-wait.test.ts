import fc from 'fast-check';
import { deletionHold } from '../../../src/controllers/garbage-collector/circular-wait.ts';
import { OwnershipGraph, type GraphNode } from '../../../src/controllers/garbage-collector/graph.ts';
import { cpuBudget, leastOfThree, leastShare, threadCpuMs } from '../../support/cpu-time.ts';
import { longestTurn } from '../../support/storage.ts';

interface Drawn {
  readonly graph: OwnershipGraph;
  readonly nodes: GraphNode[];
}

/** Nodes 0…n-1, each waiting for its dependents; an edge goes from a dependent to its owner. */
function drawn(size: number, edges: readonly (readonly [number, number])[]): Drawn {
  const graph = new OwnershipGraph();
  const common = { resource: undefined, apiVersion: 'v1', kind: 'Map', namespace: 'a' };
  const names = Array.from({ length: size }, (_, i) => String(i));
  const nodes = names.map((name) => graph.observe(name, { ...common, name }));
  for (const node of nodes) node.deletingDependents = node.beingDeleted = true;
  nodes.forEach((node, i) => {
    const owners = edges.filter(([dependent]) => dependent === i).map(([, owner]) => String(owner));
    const references = owners.map((uid) => ({ apiVersion: 'v1', kind: 'Map', name: uid, uid }));
    graph.setOwners(
      node,
      references.map((r) => ({ ...r, blockOwnerDeletion: true })),
    );
  });
  return { graph, nodes };
}

function waitedFor(start: GraphNode): Set<GraphNode> {
  const found = new Set<GraphNode>();
  const open = [start];
  for (let node = open.pop(); node; node = open.pop()) {
    for (const next of node.blockingDependents()) {
      if (found.has(next)) continue;
      found.add(next);
      if (next.deletingDependents) open.push(next);
    }
  }
  return found;
}

const anyGraph = fc.integer({ min: 1, max: 7 }).chain((size) => {
  const index = fc.integer({ min: 0, max: size - 1 });
  const edges = fc.array(fc.tuple(index, index), { maxLength: 14 });
  return fc.record({ size: fc.constant(size), edges, others: fc.uniqueArray(index, { maxLength: 2 }) });
});

test('a node may go exactly when all that it waits for waits for it', async () => {
  await fc.assert(
    fc.asyncProperty(anyGraph, async ({ size, edges, others }) => {
      const { nodes } = drawn(size, edges);
      for (const i of others) (nodes[i] as GraphNode).deletingDependents = false;
      for (const node of nodes.filter((n) => n.deletingDependents)) {
        const all = [...waitedFor(node)];
        const isVain = all.every((n) => n.deletingDependents && (n === node || waitedFor(n).has(node)));
        expect((await deletionHold(node)).kind).toBe(isVain ? 'free' : 'held');
      }
    }),
    { numRuns: 1_000 },
  );
});

test('where everything is deleted in the foreground, everything goes, whatever the order', async () => {
  await fc.assert(
    fc.asyncProperty(anyGraph, async ({ size, edges }) => {
      const { graph, nodes } = drawn(size, edges);
      const left = new Set(nodes);
      for (let before = -1; left.size > 0 && before !== left.size;) {
        before = left.size;
        for (const node of left) {
          if ((await deletionHold(node)).kind !== 'free') continue;
          graph.remove(node.uid);
          left.delete(node);
        }
      }
      expect([...left].map((n) => n.uid)).toEqual([]);
    }),
    { numRuns: 1_000 },
  );
});

test('what has to be decided about is named; what goes without a decision is not', async () => {
  const { nodes } = drawn(2, [[1, 0]]);
  const [owner, dependent] = nodes as [GraphNode, GraphNode];
  dependent.deletingDependents = false;
  expect(await deletionHold(owner)).toEqual({ kind: 'held' });
  dependent.beingDeleted = false;
  expect(await deletionHold(owner)).toEqual({ kind: 'held', undecided: dependent });
});

test('an owner of many that are going is judged by the first, a long circle in one walk', async () => {
  const many = 20_000;
  const fan = drawn(many, []);
  const circle = drawn(many, []);
  const setOwner = ({ graph, nodes }: Drawn, dependent: number, owner: number): void => {
    const reference = { apiVersion: 'v1', kind: 'Map', name: '', blockOwnerDeletion: true };
    graph.setOwners(nodes[dependent] as GraphNode, [{ ...reference, uid: String(owner) }]);
  };
  for (let i = 1; i < many; i++) setOwner(fan, i, 0);
  for (let i = 0; i < many; i++) setOwner(circle, i, (i + 1) % many);
  let held = 0;
  const started = threadCpuMs();
  for (let round = 0; round < 10_000; round++)
    if ((await deletionHold(fan.nodes[0] as GraphNode)).kind === 'held') held += 1;
  expect((await deletionHold(circle.nodes[0] as GraphNode)).kind).toBe('free');
  expect(held).toBe(10_000);
  expect(threadCpuMs() - started).toBeLessThan(cpuBudget(2_000));
});

/** Each of so many is owned by all others. */
function knot(size: number): Drawn {
  const edges = Array.from({ length: size }, (_, i) => i);
  const { graph, nodes } = drawn(size, []);
  for (const node of nodes) {
    const others = edges.filter((i) => String(i) !== node.uid);
    const common = { apiVersion: 'v1', kind: 'Map', blockOwnerDeletion: true };
    graph.setOwners(
      node,
      others.map((i) => ({ ...common, name: String(i), uid: String(i) })),
    );
  }
  return { graph, nodes };
}

test('a knot, in which each is owned by all others, is followed in short turns and in proportion to its edges', async () => {
  const { nodes } = knot(700);
  const share = await leastShare(1_000, async () => {
    expect((await deletionHold(nodes[0] as GraphNode)).kind).toBe('free');
  });
  expect(share).toBeLessThan(1);
  const longest = await leastOfThree(() => longestTurn(deletionHold(nodes[1] as GraphNode)));
  expect(longest).toBeLessThan(cpuBudget(40));
});

test('what came to block an object while its circle was followed is waited for', async () => {
  const { graph, nodes } = knot(300);
  const deciding = deletionHold(nodes[0] as GraphNode);
  const [owner] = nodes as [GraphNode];
  const reference = { apiVersion: 'v1', kind: 'Map', name: '0', uid: '0', blockOwnerDeletion: true };
  const added = graph.observe('late', owner.identity);
  graph.setOwners(added, [reference]);
  expect(await deciding).toEqual({ kind: 'held', undecided: added });
});
