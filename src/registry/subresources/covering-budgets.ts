/**
 * The disruption budgets that cover a pod, found in slices that all evictions share: a namespace may have thousands of
 * budgets, and the selector of each thousands of requirements.
 */
import type { PodDisruptionBudget as BudgetFields } from '../../api/policy/v1.types.ts';
import { selectorHolds } from '../../api/selector-holds.ts';
import { SharedSlice } from '../../base/cooperate.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { decodeStored, decodeStoredInSlices } from '../../codec/stored.ts';
import { asApiObject, type ApiObject } from '../../meta/object.ts';
import { sizeOf } from '../../storage/size.ts';
import type { Entry } from '../../storage/types.ts';
import type { RequestScope } from '../types.ts';
import { withRevision } from '../written-entry.ts';

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
    const known = entry.memo?.get(key) as { readonly selector: Selector } | undefined;
    if (known && !covers(known.selector, labels)) continue;
    const budget = await read(scope, entry);
    if (covers(budget.spec?.selector, labels)) covering.push({ budget, bytes: sizeOf(entry) });
    if (covering.length > 1) break;
  }
  return covering;
}

function covers(selector: Selector, labels: Readonly<Record<string, string>>): boolean {
  return selector != null && selectorHolds(selector, labels);
}

async function read({ resource }: RequestScope, entry: Entry): Promise<Budget> {
  const isSmall = sizeOf(entry) <= smallBytes;
  const stored = isSmall ? decodeStored(entry.bytes) : await decodeStoredInSlices(entry.bytes, breathe);
  const shown = resource.conversion.fromInternal(withRevision(stored, entry.modRevision));
  const budget = asApiObject(shown) as Budget;
  if (isSmall) (entry.memo ??= new Map()).set(key, { selector: budget.spec?.selector });
  return budget;
}

function breathe(): MaybePromise<void> {
  return looking.shouldYield() ? looking.yieldNow() : undefined;
}
