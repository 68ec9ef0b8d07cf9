/** Lists as sets. */
import { global, type CallCost, type Overload } from '../language/functions.ts';
import type { CelList, CelValue } from '../language/values.ts';
import { areEqual, sizeOf } from '../run/equality.ts';
import type { Run } from '../run/run.ts';

/** Each item may be compared with each. */
const product: CallCost = (a: CelValue, b: CelValue) => sizeOf(a) * sizeOf(b) + 1;
const bothWays: CallCost = (a: CelValue, b: CelValue) => 2 * sizeOf(a) * sizeOf(b) + 1;

function has(run: Run, list: CelList, value: CelValue): boolean {
  for (let i = 0; i < list.size; i += 1) {
    run.work(1);
    if (areEqual(run, list.at(i), value)) return true;
  }
  return false;
}

function contains(run: Run, list: CelList, part: CelList): boolean {
  for (let i = 0; i < part.size; i += 1) if (!has(run, list, part.at(i))) return false;
  return true;
}

function intersects(run: Run, one: CelList, other: CelList): boolean {
  for (let i = 0; i < one.size; i += 1) if (has(run, other, one.at(i))) return true;
  return false;
}

const signature = 'list(A), list(A) -> bool';

export const sets: readonly Overload[] = [
  global('sets.contains', 'list_sets_contains_list', signature, contains, product),
  global(
    'sets.equivalent',
    'list_sets_equivalent_list',
    signature,
    (run, a: CelList, b: CelList) => contains(run, a, b) && contains(run, b, a),
    bothWays,
  ),
  global('sets.intersects', 'list_sets_intersects_list', signature, intersects, product),
];
