/** What controllers write of large objects goes to write threads; what is small, or not found there, is written here. */
import type { WriteRequest } from '../../../src/http/writes/write-request.ts';
import type { LargeWrites } from '../../../src/http/writes/large-writes.ts';
import type { RequestScope, ResourceVerbs } from '../../../src/registry/types.ts';
import type { ApiClient } from '../../../src/controllers/types.ts';
import { createInProcessClient } from '../../../src/client/in-process-client.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { GrownWrite } from '../../../src/meta/grown-write.ts';
import { notFound, tooManyRequests } from '../../../src/meta/status.ts';
import { newEntry } from '../../../src/registry/written-entry.ts';
import { controllerWrites } from '../../../src/http/writes/controller-writes.ts';
import { realCatalogue } from '../../support/catalogue.ts';

const maps = {
  ...{ group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true, verbs: [] },
};
const ref = { resource: maps, namespace: 'ns', name: 'a' };
const head = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'ns' } };
const entry = newEntry('core/configmaps', 'ns/a', Buffer.from(JSON.stringify(head)), 7);
const data = Object.fromEntries(Array.from({ length: 8_000 }, (_, i) => [`k${String(i)}`, 'v']));
const { signal } = new AbortController();

let isStoredLarge: boolean;
/** Rules of the object take longer than they may in the serving thread. */
let takesLong: boolean;
const tooLong = new Error('operation cancelled: the evaluation took more than 10 ms');
let outcome: () => Promise<void>;
let elsewhere: WriteRequest[];
let here: string[];
let client: ApiClient;

beforeEach(() => {
  takesLong = false;
  [isStoredLarge, outcome, elsewhere, here] = [true, () => Promise.resolve(), [], []];
  const largeWrites: LargeWrites = {
    takes: () => isStoredLarge,
    perform: async (write) => {
      elsewhere.push(write);
      await outcome();
      return write.operation === 'delete'
        ? { kind: 'deleted', entry, removed: true }
        : { kind: 'entry', entry, created: false };
    },
    performGrown: (write) => {
      elsewhere.push(write);
      return Promise.resolve({ kind: 'entry', entry, created: false });
    },
  };
  const write = (verb: string) => (scope: RequestScope) => {
    here.push(verb);
    if (takesLong) return Promise.reject(scope.growth === 'moves' ? new GrownWrite() : tooLong);
    return Promise.resolve({ entry, created: false, removed: true });
  };
  const verbs = { replace: write('replace'), patch: write('patch'), delete: write('delete') };
  client = createInProcessClient({
    ...{ verbs: verbs as unknown as ResourceVerbs, minorVersion: 21 },
    catalogue: () => realCatalogue(namingProfiles.orch).catalogue,
    writesElsewhere: controllerWrites(largeWrites),
  });
});

const bodies = (): unknown[] => elsewhere.map(({ body }) => JSON.parse(String(body)) as unknown);

test('writes of a large object are those of a client', async () => {
  const patch = { metadata: { ownerReferences: null } };
  expect(await client.patch(ref, patch, signal)).toMatchObject({ metadata: { resourceVersion: '7' } });
  await client.update(ref, { ...head, data }, '', signal);
  await client.delete(ref, { uid: 'u', propagationPolicy: 'Background' }, signal);
  expect(here).toEqual([]);
  const target = { namespace: 'ns', name: 'a', subresource: '', dryRun: false, fieldManager: 'controllers' };
  const contentType = 'application/json';
  const deletion = { propagationPolicy: 'Background', preconditions: { uid: 'u' } };
  expect(elsewhere).toMatchObject([
    { ...target, operation: 'patch', verb: 'patch', contentType: 'application/merge-patch+json' },
    { ...target, operation: 'replace', verb: 'update', contentType },
    { ...target, operation: 'delete', verb: 'delete', deletion, isOwn: false },
  ]);
  elsewhere.pop();
  expect(bodies()).toEqual([patch, { ...head, data }]);
});

test('small ones are written here, but for one that becomes large', async () => {
  isStoredLarge = false;
  await client.patch(ref, { metadata: {} }, signal);
  await client.update(ref, head, '', signal);
  await client.delete(ref, {}, signal);
  expect([here, elsewhere]).toEqual([['patch', 'replace', 'delete'], []]);
  await client.update(ref, { ...head, data }, '', signal);
  expect(bodies()).toEqual([{ ...head, data }]);
});

test('what is not found there is asked for here, whose errors say what is missing', async () => {
  outcome = () => Promise.reject(notFound({ group: '', resource: 'configmaps' }, 'a'));
  await client.patch(ref, {}, signal);
  expect(here).toEqual(['patch']);
});

test('any other error is that of the write: the controller tries again later', async () => {
  const busy = tooManyRequests('busy', 1);
  outcome = () => Promise.reject(busy);
  await expect(client.patch(ref, {}, signal)).rejects.toBe(busy);
  expect(here).toEqual([]);
});

test('small ones whose rules take long are judged there, as those of clients', async () => {
  [isStoredLarge, takesLong] = [false, true];
  const patch = { metadata: { finalizers: [] } };
  await client.patch(ref, patch, signal);
  await client.update(ref, head, '', signal);
  expect(here).toEqual(['patch', 'replace']);
  expect(bodies()).toEqual([patch, head]);
});
