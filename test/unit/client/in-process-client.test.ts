import type { ResourceVerbs } from '../../../src/registry/types.ts';
import { createInProcessClient } from '../../../src/client/in-process-client.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { realCatalogue } from '../../support/catalogue.ts';
import { within } from '../../support/wait-for.ts';

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
  const pods = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true, verbs: [] };
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
