/** A controller hears of changes in order and soon, however long the metadata of some objects are. */
import { setImmediate as laterTurn } from 'node:timers/promises';
import { EventMetadata } from '../../../src/client/event-metadata.ts';
import { createInProcessClient } from '../../../src/client/in-process-client.ts';
import { MetadataSink } from '../../../src/client/metadata-sink.ts';
import { encodeStored } from '../../../src/codec/stored.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import type { ResourceVerbs, WatchItem } from '../../../src/registry/types.ts';
import { newEntry } from '../../../src/registry/written-entry.ts';
import type { Entry } from '../../../src/storage/types.ts';
import { realCatalogue } from '../../support/catalogue.ts';
import { cpuBudget } from '../../support/cpu-time.ts';
import { turnsOf } from '../../support/turns.ts';

const { catalogue } = realCatalogue(namingProfiles.orch);
let revision = 0;

function podOf(name: string, labelCount: number): Entry {
  revision += 1;
  // Names that no text before had: known ones are parsed sooner.
  const labels = Object.fromEntries(
    Array.from({ length: labelCount }, (_, i) => [`label-${String(revision)}-${String(i)}`, `v${String(i)}`]),
  );
  const metadata = { name, uid: `uid-of-${name}`, labels, managedFields: [{ manager: 'm' }] };
  const bytes = encodeStored({ kind: 'Pod', apiVersion: 'v1', metadata });
  return newEntry('core/pods', `n/${name}`, bytes, revision);
}

function added(event: Entry): WatchItem {
  return { type: 'ADDED', event };
}

interface Told {
  readonly sink: MetadataSink;
  readonly told: (string | undefined)[];
}

function follower(events: EventMetadata, onEvent: (name?: string) => void = () => undefined): Told {
  const told: (string | undefined)[] = [];
  const resource = catalogue.resource('', 'v1', 'pods');
  if (!resource) throw new Error('there are no pods');
  const sink = new MetadataSink(resource, events, {
    resourceVersion: '1',
    onEvent: ({ object }) => {
      onEvent(object.metadata.name);
      told.push(object.metadata.name);
    },
    onProgress: (version) => told.push(`progress ${version}`),
  });
  return { sink, told };
}

test('short metadata are told at once; what comes behind long ones, behind them', async () => {
  const { sink, told } = follower(new EventMetadata());
  sink.onItems([added(podOf('a', 1))]);
  expect(told).toEqual(['a']);
  sink.onItems([added(podOf('b', 1)), added(podOf('long', 5_000)), added(podOf('c', 1))]);
  sink.onBookmark(70);
  sink.onItems([added(podOf('d', 1))]);
  expect(told).toEqual(['a', 'b']);
  await sink.ready();
  expect(told).toEqual(['a', 'b', 'long', 'c', 'progress 70', 'd']);
  sink.onItems([added(podOf('e', 1))]);
  expect(told.at(-1)).toBe('e');
});

test('an error ends the watch behind what came before it', async () => {
  const { sink, told } = follower(new EventMetadata());
  sink.onItems([added(podOf('long', 5_000))]);
  sink.onError(new Error('expired'));
  await expect(sink.ended).rejects.toThrow('expired');
  expect(told).toEqual(['long']);
});

test('a follower that throws behind long metadata ends its watch', async () => {
  const { sink } = follower(new EventMetadata(), () => {
    throw new Error('the follower is broken');
  });
  sink.onItems([added(podOf('long', 5_000))]);
  await expect(sink.ended).rejects.toThrow('the follower is broken');
});

test('nothing is told behind the end', async () => {
  const { sink, told } = follower(new EventMetadata());
  sink.onItems([added(podOf('long', 5_000)), added(podOf('b', 1))]);
  sink.onBookmark(70);
  sink.end();
  await sink.ready();
  await laterTurn();
  expect(told).toEqual([]);
});

test('a watch behind which too much waits fails, so that what it follows is listed again', async () => {
  const { sink, told } = follower(new EventMetadata());
  sink.onItems([added(podOf('long', 5_000))]);
  const large: Entry = { ...podOf('large', 1), size: 1024 * 1024 };
  for (let i = 0; i < 63; i += 1) sink.onItems([added(large)]);
  sink.onItems([added(large), added(large)]);
  await expect(sink.ended).rejects.toMatchObject({ code: 410 });
  await sink.ready();
  await laterTurn();
  expect(told).toEqual([]);
});

test('what waits counts only until it is told', async () => {
  const { sink, told } = follower(new EventMetadata());
  const large: Entry = { ...podOf('large', 1), size: 20 * 1024 * 1024 };
  for (let round = 0; round < 5; round += 1) {
    sink.onItems([added(podOf('long', 5_000))]);
    sink.onItems([added(large)]);
    await sink.ready();
  }
  expect(told).toHaveLength(10);
});

test('30,000 labels hold no turn for long, whoever hears of them, and are parsed once', async () => {
  let longest = Infinity;
  for (let round = 0; round < 4 && longest >= cpuBudget(9); round += 1) {
    const events = new EventMetadata();
    const followers = Array.from({ length: 3 }, () => follower(events));
    const item = added(podOf('long', 30_000));
    [longest = 0] = await turnsOf(async () => {
      for (const { sink } of followers) sink.onItems([item]);
      await Promise.all(followers.map(({ sink }) => sink.ready()));
    });
    expect(followers.map(({ told }) => told)).toEqual([['long'], ['long'], ['long']]);
  }
  expect(longest).toBeLessThan(cpuBudget(9));
});

test('nor do they where they are listed', async () => {
  let longest = Infinity;
  for (let round = 0; round < 4 && longest >= cpuBudget(9); round += 1) {
    const entries = [podOf('a', 1), podOf('long', 30_000), podOf('b', 1)];
    const verbs = { list: () => Promise.resolve({ entries, revision: 7 }) } as unknown as ResourceVerbs;
    const client = createInProcessClient({ verbs, minorVersion: 21, catalogue: () => catalogue });
    const pods = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true, verbs: [] };
    const names: (string | undefined)[] = [];
    [longest = 0] = await turnsOf(async () => {
      const { items } = await client.listMetadata(pods, '', new AbortController().signal);
      names.push(...items.map(({ metadata }) => metadata.name));
    });
    expect(names).toEqual(['a', 'long', 'b']);
  }
  expect(longest).toBeLessThan(cpuBudget(9));
});
