/** Lists of earlier states: what they ask of the storage. */
import { namingProfiles } from '../../../src/meta/naming.ts';
import { encodeContinueToken } from '../../../src/registry/read/continue-token.ts';
import { listObjects } from '../../../src/registry/read/get-list.ts';
import type { ListOptions, RequestScope } from '../../../src/registry/types.ts';
import type { CollectionSnapshot, Freshness, Storage } from '../../../src/storage/types.ts';
import { realCatalogue } from '../../support/catalogue.ts';

const plain: ListOptions = {
  ...{ labelSelector: '', fieldSelector: '', continue: '', limit: 1 },
  ...{ resourceVersion: '', resourceVersionMatch: '' },
};
const empty = { revision: 1, page: () => [] } as unknown as CollectionSnapshot;

/** The freshness that a list of this namespace ('' for all) asks for. */
async function asked(namespace: string, options: Partial<ListOptions>): Promise<Freshness[]> {
  const found: Freshness[] = [];
  const snapshot: Storage['snapshot'] = (_collection, freshness) => {
    found.push(freshness);
    return Promise.resolve(empty);
  };
  const resource = realCatalogue(namingProfiles.orch).catalogue.resource('', 'v1', 'pods');
  const user = { name: 'ann', uid: '', groups: [], extra: {} };
  const scope = {
    resource,
    namespace,
    user,
    signal: new AbortController().signal,
  } as unknown as RequestScope;
  await listObjects({ snapshot } as Partial<Storage> as Storage, scope, { ...plain, ...options });
  return found;
}

test.each([
  ['x', 'x/'],
  ['', ''],
])('of namespace "%s" they need the keys with "%s", in the turn of their user', async (namespace, within) => {
  const wanted = { kind: 'exact', within, flow: 'ann' };
  const token = encodeContinueToken({ revision: 5, after: 'a' });
  expect(await asked(namespace, { continue: token })).toEqual([{ ...wanted, revision: 5 }]);
  const exact = { resourceVersion: '7', resourceVersionMatch: 'Exact' };
  expect(await asked(namespace, exact)).toEqual([{ ...wanted, revision: 7 }]);
});
