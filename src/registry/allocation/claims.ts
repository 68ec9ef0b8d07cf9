/** The keys by which objects hold values alone (`Allocation` in `src/api/types.ts`), and who holds them. */
import type { Allocation, HeldValue, ValuePool } from '../../api/types.ts';
import type { ApiObject } from '../../meta/object.ts';
import {
  claimedGroup,
  maxClaims,
  type ClaimKey,
  type Claims,
  type CollectionId,
} from '../../storage/types.ts';

/** One key per value, below the prefix of the objects. */
export const poolCollections: Readonly<Record<ValuePool, CollectionId>> = {
  addresses: `${claimedGroup}/serviceips`,
  nodePorts: `${claimedGroup}/servicenodeports`,
};

/** The object that holds a value, as it is stored under the key of the value. */
export interface Holder {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** The stored text of the holder. */
export function holderText({ metadata: { namespace = '', name = '', uid = '' } }: ApiObject): string {
  return JSON.stringify({ namespace, name, uid } satisfies Holder);
}

export function claimKey({ pool, value }: Pick<HeldValue, 'pool' | 'value'>): ClaimKey {
  return { collection: poolCollections[pool], key: value };
}

/** What a deletion gives back; undefined for kinds without values. Of very many the repair gives back the rest. */
export function claimsOfDeletion(
  allocation: Allocation<ApiObject> | undefined,
  object: ApiObject,
): Claims | undefined {
  if (!allocation) return undefined;
  const release = allocation.held(object).slice(0, maxClaims).map(claimKey);
  return release.length === 0 ? undefined : { holder: holderText(object), take: [], release };
}

/** The values of one list that another does not have. */
export function valuesBeside(values: readonly HeldValue[], others: readonly HeldValue[]): HeldValue[] {
  const known = new Set(others.map(({ pool, value }) => `${pool}/${value}`));
  return values.filter(({ pool, value }) => !known.has(`${pool}/${value}`));
}
