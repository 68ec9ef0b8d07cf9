/** Informers of the built-in controllers that list at once, as they do when a replica starts. */
import { systemClock } from '../../../src/base/clock.ts';
import { createInProcessClient } from '../../../src/client/in-process-client.ts';
import { reflect } from '../../../src/controllers/reflector.ts';
import type { MetadataEvent } from '../../../src/controllers/types.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import type { ResourceVerbs } from '../../../src/registry/types.ts';
import { realCatalogue } from '../../support/catalogue.ts';
import { cpuBudget, leastOfThree } from '../../support/cpu-time.ts';
import { entryOf } from '../../support/http/fake-verbs.ts';
import { longestTurn } from '../../support/storage.ts';

const count = 1_000;
const informers = 40;
const entries = Array.from({ length: count }, (_, i) => {
  const metadata = { name: `m-${String(i)}`, namespace: 'x', uid: `uid-${String(i)}` };
  return entryOf({ apiVersion: 'v1', kind: 'ConfigMap', metadata }, `x/m-${String(i)}`, i + 1);
});
const verbs = {
  list: () => Promise.resolve({ entries, revision: count }),
  watch: () => Promise.resolve({ close: () => undefined }),
} as unknown as ResourceVerbs;
const resource = {
  ...{ group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true, verbs: [] },
};
const ignore = (): void => undefined;
const log = { info: ignore, warn: ignore, error: ignore };

/** Milliseconds of the longest turn while all take in their lists. */
async function startAll(): Promise<number> {
  const client = createInProcessClient({
    verbs,
    minorVersion: 21,
    catalogue: () => realCatalogue(namingProfiles.orch).catalogue,
  });
  const stop = new AbortController();
  const events: MetadataEvent[] = [];
  const running: Promise<void>[] = [];
  const onEvent = (event: MetadataEvent): unknown => events.push(event);
  const synced = Array.from({ length: informers }, () => {
    return new Promise<void>((onSynced) => {
      running.push(reflect({ clock: systemClock, client, resource, log, onEvent, onSynced }, stop.signal));
    });
  });
  const longest = await longestTurn(Promise.all(synced));
  stop.abort();
  await Promise.all(running);
  expect(events).toHaveLength(informers * count);
  expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['ADDED']));
  return longest;
}

test('share the time of the thread', async () => {
  await startAll();
  expect(await leastOfThree(startAll)).toBeLessThan(cpuBudget(20));
}, 60_000);
