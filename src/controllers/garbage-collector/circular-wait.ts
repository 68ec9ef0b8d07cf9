/**
 * Foreground deletions that wait for each other. Every object waits for the dependents that block it; where all that an
 * object waits for, directly or through others, is deleted in the foreground too and waits for that object in turn, none
 * of them would ever go. The reference unblocks a member of such a circle; here the graph says when waiting is vain.
 */
import { SharedSlice } from '../../base/cooperate.ts';
import type { GraphNode } from './graph.ts';

/** What holds back the foreground deletion of a node. */
export type DeletionHold =
  /** Nothing, or only a circle that the node is part of: it may go. */
  | { readonly kind: 'free' }
  /** Something that will go without it; `undecided`: it is not being deleted yet and has to be processed. */
  | { readonly kind: 'held'; readonly undecided?: GraphNode };

interface Visit {
  readonly node: GraphNode;
  readonly index: number;
  /** The earliest visit that is reached from here and is still open. */
  low: number;
  readonly next: Generator<GraphNode, undefined>;
}

/** Of all decisions: a circle may have a million edges, and each of its members asks. */
const turns = new SharedSlice();
/** Between two looks at the clock. */
const stepsAtOnce = 64;

/**
 * Whether the node may go (Tarjan's strongly connected components, ended at the first one that does not hold the node:
 * its members go without it). Takes time in proportion to the circle, and mostly much less; long ones in slices,
 * between which the graph may change.
 */
export async function deletionHold(start: GraphNode): Promise<DeletionHold> {
  const visits = new Map<GraphNode, Visit>();
  const path = [visit(visits, start)];
  let steps = 0;
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    steps += 1;
    if (steps % stepsAtOnce === 0 && turns.shouldYield()) await turns.yieldNow();
    const { value: dependent } = top.next.next();
    if (dependent === undefined) {
      path.pop();
      const parent = path.at(-1);
      if (parent === undefined) break;
      if (top.low === top.index) return { kind: 'held' };
      parent.low = Math.min(parent.low, top.low);
      continue;
    }
    if (!dependent.deletingDependents)
      return dependent.beingDeleted ? { kind: 'held' } : { kind: 'held', undecided: dependent };
    const seen = visits.get(dependent);
    if (seen) top.low = Math.min(top.low, seen.index);
    else path.push(visit(visits, dependent));
  }
  return steps < stepsAtOnce ? { kind: 'free' } : holdOfNew(start, visits);
}

/** What came to block the node while the circle was followed is not in it. */
function holdOfNew(start: GraphNode, visits: ReadonlyMap<GraphNode, Visit>): DeletionHold {
  for (const dependent of start.blockingDependents())
    if (!visits.has(dependent)) return { kind: 'held', undecided: dependent };
  return { kind: 'free' };
}

function visit(visits: Map<GraphNode, Visit>, node: GraphNode): Visit {
  const made = { node, index: visits.size, low: visits.size, next: node.blockingDependents() };
  visits.set(node, made);
  return made;
}
