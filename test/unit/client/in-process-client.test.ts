import type { ApiClient } from '../../../src/controllers/types.ts';
import type { ResourceVerbs } from '../../../src/registry/types.ts';
import { createInProcessClient } from '../../../src/client/in-process-client.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { realCatalogue } from '../../support/catalogue.ts';
import { within } from '../../support/wait-for.ts';

const pods = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true, verbs: [] };

test('a watch that is stopped during its start is closed', async () => {
  const began = Promise.withResolvers<{ close(): void }>();
  let isClosed = false;
  const verbs = { watch: () => began.promise } as unknown as ResourceVerbs;
  const client = createInProcessClient({
    verbs,
    minorVersion: 21,
    catalogue: () => realCatalogue(namingProfiles.orch).catalogue,
  });
  const stopping = new AbortController();
  const watching = client.watchMetadata(
    pods,
    { resourceVersion: '1', onEvent: () => undefined, onProgress: () => undefined },
    stopping.signal,
  );
  stopping.abort();
  began.resolve({ close: () => (isClosed = true) });
  await within(
    'the watch to end',
    5_000,
    watching.catch(() => undefined),
  );
  expect(isClosed).toBe(true);
});

test('what is served is the same array until it changes', async () => {
  const { catalogue } = realCatalogue(namingProfiles.orch);
  let groups = catalogue.groups();
  const client = createInProcessClient({
    verbs: {} as unknown as ResourceVerbs,
    minorVersion: 21,
    catalogue: () => ({ ...catalogue, groups: () => groups }),
  });
  const before = await client.discover(signal);
  expect(await client.discover(signal)).toBe(before);
  groups = groups.filter(({ group }) => group !== 'batch');
  const after = await client.discover(signal);
  expect(after).toEqual(before.filter(({ group }) => group !== 'batch'));
});

const signal = new AbortController().signal;
const ref = { resource: pods, namespace: 'n', name: 'a' };
const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } };
const writes: Record<string, (client: ApiClient) => Promise<unknown>> = {
  create: (client) => client.create(pods, 'n', pod, signal),
  replace: (client) => client.update(ref, pod, '', signal),
  patch: (client) => client.patch(ref, {}, signal),
  delete: (client) => client.delete(ref, {}, signal),
  deleteCollection: (client) => client.deleteCollection(pods, 'n', signal),
};

test.each(Object.entries(writes))('%s waits until the definition is read', async (verb, write) => {
  const { catalogue } = realCatalogue(namingProfiles.orch);
  const served = catalogue.resource('', 'v1', 'pods');
  const read = Promise.withResolvers<undefined>();
  const resource = Object.assign(Object.create(served ?? null) as object, { prepare: () => read.promise });
  const begun: string[] = [];
  const note = (name: string) => () => {
    begun.push(name);
    return Promise.reject(new Error('enough'));
  };
  const verbs = Object.fromEntries(Object.keys(writes).map((name) => [name, note(name)]));
  const client = createInProcessClient({
    verbs: verbs as unknown as ResourceVerbs,
    minorVersion: 21,
    catalogue: () => ({ ...catalogue, resource: () => resource as typeof served }),
  });
  const written = write(client).catch((error: unknown) => error);
  await new Promise(setImmediate);
  expect(begun).toEqual([]);
  read.resolve(undefined);
  expect(await written).toEqual(new Error('enough'));
  expect(begun).toEqual([verb]);
});
