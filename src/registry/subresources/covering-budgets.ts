/**
 * The disruption budgets that cover a pod, found in slices that all evictions share: a namespace may have thousands of
 * budgets, and the selector of each thousands of requirements.
 */
import type { PodDisruptionBudget as BudgetFields } from '../../api/policy/v1.types.ts';
import { refusedLabel, selectorHolds } from '../../api/selector-holds.ts';
import { SharedSlice } from '../../base/cooperate.ts';
import type { JsonObject } from '../../base/json.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { decodeStored, decodeStoredInSlices } from '../../codec/stored.ts';
import type { Labels } from '../../meta/label-requirements.ts';
import { asApiObject, type ApiObject } from '../../meta/object.ts';
import { sizeOf } from '../../storage/size.ts';
import type { Entry } from '../../storage/types.ts';
import type { RequestScope } from '../types.ts';
import { withRevision } from '../written-entry.ts';
import { RefusedLabels } from './refused-labels.ts';

export type Budget = ApiObject & Pick<BudgetFields, 'spec' | 'status'>;

/** A budget with the bytes of its stored text. */
export interface StoredBudget {
  readonly budget: Budget;
  readonly bytes: number;
}

type Selector = NonNullable<BudgetFields['spec']>['selector'];

const looking = new SharedSlice();
/** Selectors of longer budgets are not kept with their entries: in memory they take a multiple of their text. */
const smallBytes = 8 * 1024;
const key = Symbol('selector of a disruption budget');
const refused = new RefusedLabels();

/**
 * Those of the entries that cover the pod, at most two, which is one more than may be.
 * @param scope of the budgets in v1, where an empty selector selects every pod and a missing one none
 * @throws the reason of the signal once the client is gone
 */
export async function coveringBudgets(
  scope: RequestScope,
  entries: Iterable<Entry>,
  pod: ApiObject,
): Promise<StoredBudget[]> {
  const labels = pod.metadata.labels ?? {};
  const covering: StoredBudget[] = [];
  for (const entry of entries) {
    if (looking.shouldYield()) await looking.yieldNow();
    if ((scope.lifetime ?? scope.signal).aborted) scope.signal.throwIfAborted();
    const isSmall = sizeOf(entry) <= smallBytes;
    const budget = await (isSmall ? smallCovering : largeCovering)(scope, entry, labels);
    if (budget) covering.push({ budget, bytes: sizeOf(entry) });
    if (covering.length > 1) break;
  }
  return covering;
}

function smallCovering(scope: RequestScope, entry: Entry, labels: Labels): Budget | undefined {
  const known = entry.memo?.get(key) as { readonly selector: Selector } | undefined;
  if (known && !covers(known.selector, labels)) return undefined;
  const budget = shown(scope, entry, decodeStored(entry.bytes));
  const selector = budget.spec?.selector;
  (entry.memo ??= new Map()).set(key, { selector });
  return covers(selector, labels) ? budget : undefined;
}

async function largeCovering(scope: RequestScope, entry: Entry, labels: Labels): Promise<Budget | undefined> {
  if (refused.refuse(entry, labels)) return undefined;
  const budget = shown(scope, entry, await decodeStoredInSlices(entry.bytes, breathe));
  const selector = budget.spec?.selector;
  // A missing selector refuses everybody, and so everybody who has no label without a name.
  const broken = selector == null ? '' : refusedLabel(selector, labels);
  if (broken === undefined) return budget;
  refused.note(entry, broken, labels);
  return undefined;
}

function covers(selector: Selector, labels: Labels): boolean {
  return selector != null && selectorHolds(selector, labels);
}

function shown({ resource }: RequestScope, { modRevision }: Entry, stored: JsonObject): Budget {
  return asApiObject(resource.conversion.fromInternal(withRevision(stored, modRevision)));
}

function breathe(): MaybePromise<void> {
  return looking.shouldYield() ? looking.yieldNow() : undefined;
}
