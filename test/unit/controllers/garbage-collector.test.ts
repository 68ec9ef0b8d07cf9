/** The garbage collector over an API in memory: namespaces of owners, and resources that come and go. */
import { systemEnvironment } from '../../../src/base/environment.ts';
import { createGarbageCollector } from '../../../src/controllers/garbage-collector/garbage-collector.ts';
import { noControllerMetrics } from '../../support/controller-metrics.ts';
import { FakeApiClient, ownerOf, resourceRef } from '../../support/fake-api-client.ts';
import { waitFor } from '../../support/wait-for.ts';

const maps = resourceRef('Map');
const nodes = resourceRef('Node', { namespaced: false });
const events = resourceRef('Event', { verbs: ['create'] });
const things = resourceRef('Thing', { group: 'example.com' });

let api: FakeApiClient;
let stop: AbortController;
let running: Promise<void>;

beforeEach(() => {
  api = new FakeApiClient([maps, nodes, events]);
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await running;
});

function start(syncTimeoutMs = 10_000): void {
  const ignore = (): void => undefined;
  const log = { info: ignore, warn: ignore, error: ignore };
  const collector = createGarbageCollector({
    ...systemEnvironment,
    client: api,
    log,
    metrics: noControllerMetrics,
    ignored: new Set(),
    discoveryMs: 20,
    syncTimeoutMs,
  });
  running = collector.run(stop.signal);
}

/** Resolves when the collector has decided about something that it was given after everything else. */
async function passed(): Promise<void> {
  api.put(maps, 'a', 'probe', { ownerReferences: [ownerOf(maps, 'nobody')] });
  await waitFor('the probe to go', () => api.object(maps, 'a', 'probe') === undefined);
}

const eventsSeen = (): string[] =>
  api.all(events).map((e) => `${e.metadata.namespace ?? ''} ${String(e['reason'])}`);

describe('namespaces', () => {
  test('an owner in the same namespace, or in none, holds its dependent', async () => {
    api.put(maps, 'a', 'owner');
    api.put(nodes, '', 'node');
    api.put(maps, 'a', 'one', { ownerReferences: [ownerOf(maps, 'owner')] });
    api.put(maps, 'a', 'two', { ownerReferences: [ownerOf(nodes, 'node')] });
    start();
    await passed();
    expect(api.names(maps).sort()).toEqual(['one', 'owner', 'two']);
    expect(eventsSeen()).toEqual([]);
  });

  test('an owner that is named very often is read once for a decision', async () => {
    api.put(maps, 'a', 'owner');
    api.put(maps, 'a', 'one');
    start();
    await passed();
    const get = jest.spyOn(api, 'get');
    const ownerReferences = Array.from({ length: 1_000 }, () => ownerOf(maps, 'owner'));
    api.put(maps, 'a', 'one', { ownerReferences: [...ownerReferences, ownerOf(maps, 'absent')] });
    await waitFor(
      'the absent owner to be taken out',
      () => api.object(maps, 'a', 'one')?.metadata.ownerReferences?.length === 1_000,
    );
    expect(get.mock.calls.filter(([{ name }]) => name === 'owner').length).toBeLessThan(10);
  });

  test('an owner in another namespace counts as absent, and an event says so', async () => {
    api.put(maps, 'b', 'owner');
    api.put(maps, 'a', 'stray', { ownerReferences: [ownerOf(maps, 'owner')] });
    start();
    await waitFor('the stray to go', () => api.object(maps, 'a', 'stray') === undefined);
    await passed();
    expect(api.object(maps, 'b', 'owner')).toBeDefined();
    expect(eventsSeen()).toEqual(['a OwnerRefInvalidNamespace']);
    expect(api.all(events)[0]).toMatchObject({
      involvedObject: { kind: 'Map', namespace: 'a', name: 'stray', uid: 'stray' },
      type: 'Warning',
      message: expect.stringContaining('does not exist in namespace "a"') as string,
    });
  });

  test('an object with a right owner beside the wrong one stays, and loses the wrong one', async () => {
    api.put(maps, 'b', 'far');
    api.put(maps, 'a', 'near');
    api.put(maps, 'a', 'child', { ownerReferences: [ownerOf(maps, 'far'), ownerOf(maps, 'near')] });
    start();
    await waitFor('the wrong owner to go', () => {
      return api.object(maps, 'a', 'child')?.metadata.ownerReferences?.length === 1;
    });
    expect(api.object(maps, 'a', 'child')?.metadata.ownerReferences).toMatchObject([{ name: 'near' }]);
    expect(eventsSeen()).toEqual(['a OwnerRefInvalidNamespace']);
  });

  test('an owner in a namespace cannot hold what is in none: it is left alone, and an event says so', async () => {
    api.put(maps, 'a', 'owner');
    api.put(nodes, '', 'odd', { ownerReferences: [ownerOf(maps, 'owner')] });
    start();
    await passed();
    await waitFor('the event', () => eventsSeen().length > 0);
    expect(api.names(nodes)).toEqual(['odd']);
    expect(eventsSeen()).toEqual(['default OwnerRefInvalidNamespace']);
  });
});

describe('an object with hundreds of owners', () => {
  const absent = Array.from({ length: 300 }, (_, i) => ownerOf(maps, `absent-${String(i)}`));

  test('goes when all are absent', async () => {
    api.put(maps, 'a', 'child', { ownerReferences: absent });
    start();
    await waitFor('the child to go', () => api.names(maps).length === 0);
  });

  test('stays with one that is there, loses the others, and goes with it', async () => {
    start();
    await passed();
    api.put(maps, 'a', 'child', { ownerReferences: [...absent, ownerOf(maps, 'owner')] });
    api.put(maps, 'a', 'owner');
    const owners = (): number | undefined => api.object(maps, 'a', 'child')?.metadata.ownerReferences?.length;
    await waitFor('the absent ones to go', () => owners() === 1);
    api.remove(maps, 'a', 'owner');
    await waitFor('the child to go', () => api.names(maps).length === 0);
  });

  test('goes with the last of hundreds that were there', async () => {
    for (const { name } of absent) api.put(maps, 'a', name);
    api.put(maps, 'a', 'child', { ownerReferences: absent });
    start();
    await passed();
    for (const { name } of absent) api.remove(maps, 'a', name);
    await waitFor('the child to go', () => api.names(maps).length === 0);
  });

  test('waits for kinds that are not served', async () => {
    const others = absent.map((owner) => ({ ...owner, ...ownerOf(things, owner.name) }));
    api.put(maps, 'a', 'child', { ownerReferences: others });
    start();
    await passed();
    expect(api.names(maps)).toEqual(['child']);
    api.resources = [maps, nodes, events, things];
    await waitFor('the child to go', () => api.names(maps).length === 0);
  });
});

describe('resources that appear and vanish', () => {
  test('a dependent waits until its owner is of a kind that is served; then it goes if the owner is not there', async () => {
    api.put(maps, 'a', 'child', { ownerReferences: [ownerOf(things, 'thing')] });
    start();
    await passed();
    expect(api.names(maps)).toEqual(['child']);
    api.put(things, 'a', 'thing');
    api.resources = [maps, nodes, events, things];
    await waitFor('the new resource to be followed', async () => {
      api.put(things, 'a', 'probed', { ownerReferences: [ownerOf(maps, 'nobody')] });
      return waitFor('a thing to go', () => api.object(things, 'a', 'probed') === undefined, {
        timeout: 500,
      }).then(
        () => true,
        () => false,
      );
    });
    expect(api.names(maps)).toEqual(['child']);
    api.remove(things, 'a', 'thing');
    await waitFor('the child to go', () => api.names(maps).length === 0);
  });

  test('an owner may be named in a version that is not the preferred one', async () => {
    api.resources = [maps, nodes, events, things];
    api.put(things, 'a', 'thing');
    const owner = { ...ownerOf(things, 'thing'), apiVersion: 'example.com/v1beta1' };
    api.put(maps, 'a', 'child', { ownerReferences: [owner] });
    start();
    await passed();
    expect(api.names(maps)).toEqual(['child']);
    api.remove(things, 'a', 'thing');
    await waitFor('the child to go', () => api.names(maps).length === 0);
  });

  test('an owner that went before anybody knew its kind is looked for when the kind appears', async () => {
    api.put(maps, 'a', 'child', { ownerReferences: [ownerOf(things, 'thing')] });
    start();
    await passed();
    expect(api.names(maps)).toEqual(['child']);
    api.resources = [maps, nodes, events, things];
    await waitFor('the child to go', () => api.names(maps).length === 0);
  });

  test('objects of a kind that is served no more are not taken for deleted', async () => {
    api.resources = [maps, nodes, events, things];
    api.put(things, 'a', 'thing');
    api.put(maps, 'a', 'child', { ownerReferences: [ownerOf(things, 'thing')] });
    start();
    await passed();
    const before = api.discoveries;
    api.resources = [maps, nodes, events];
    await waitFor('discovery', () => api.discoveries > before + 1);
    api.put(maps, 'a', 'child', { labels: { touched: 'yes' }, ownerReferences: [ownerOf(things, 'gone')] });
    await passed();
    expect(api.names(maps)).toEqual(['child']);
  });

  test('a resource that cannot be listed does not keep the rest from being collected', async () => {
    api.resources = [maps, nodes, events, things];
    api.unlistable.add(things);
    api.put(maps, 'a', 'child', { ownerReferences: [ownerOf(maps, 'nobody')] });
    start(100);
    await waitFor('the child to go', () => api.names(maps).length === 0);
  });

  test('one that cannot be listed and is served no more is waited for no longer', async () => {
    api.resources = [maps, nodes, events, things];
    api.unlistable.add(things);
    start(60_000);
    await waitFor('discovery', () => api.discoveries > 1);
    api.resources = [maps, nodes, events];
    await passed();
  });

  test('what went while its resource was not followed is gone when it is listed again, in whichever version', async () => {
    api.resources = [maps, nodes, events, things];
    api.put(things, 'a', 'thing');
    api.put(maps, 'a', 'child', { ownerReferences: [ownerOf(things, 'thing')] });
    start();
    await passed();
    api.resources = [maps, nodes, events];
    await waitFor('nobody to watch', () => !api.isWatched(things));
    api.remove(things, 'a', 'thing');
    await passed();
    expect(api.names(maps)).toEqual(['child']);
    api.resources = [maps, nodes, events, { ...things, version: 'v2' }];
    await waitFor('the child to go', () => api.names(maps).length === 0);
  });

  test('a resource whose preferred version changes is followed on, and nothing of it is lost on the way', async () => {
    api.resources = [maps, nodes, events, things];
    api.put(maps, 'a', 'owner');
    api.put(things, 'a', 'thing', { ownerReferences: [ownerOf(maps, 'owner')] });
    start();
    await passed();
    api.resources = [maps, nodes, events, { ...things, version: 'v2' }];
    const before = api.discoveries;
    await waitFor('discovery', () => api.discoveries > before + 1 && api.isWatched(things));
    await passed();
    expect(api.names(things)).toEqual(['thing']);
    api.remove(maps, 'a', 'owner');
    await waitFor('the thing to go', () => api.names(things).length === 0);
  });
});

test('a group that discovery cannot ask is followed on', async () => {
  api.resources = [maps, nodes, events, things];
  api.put(things, 'a', 'thing');
  api.put(maps, 'a', 'child', { ownerReferences: [ownerOf(things, 'thing')] });
  start();
  await passed();
  api.unknownGroups = ['example.com'];
  const before = api.discoveries;
  await waitFor('discovery', () => api.discoveries > before + 1);
  expect(api.isWatched(things)).toBe(true);
  api.remove(things, 'a', 'thing');
  await waitFor('the child to go', () => api.names(maps).length === 0);
});

describe('lost history', () => {
  test('an owner that goes while nobody watches takes its dependents with it', async () => {
    api.put(maps, 'a', 'owner');
    api.put(maps, 'a', 'child', { ownerReferences: [ownerOf(maps, 'owner')] });
    start();
    await passed();
    api.loseHistory();
    api.remove(maps, 'a', 'owner');
    await waitFor('the child to go', () => api.names(maps).length === 0);
  });
});

test('an owner that comes after it was found missing is an owner from then on', async () => {
  const get = api.get.bind(api);
  api.get = (ref) => {
    // The missing owner was looked up, and now its dependent is.
    if (ref.name === 'child' && api.object(maps, 'a', 'late') === undefined) api.put(maps, 'a', 'late');
    return get(ref);
  };
  api.put(maps, 'a', 'child', { ownerReferences: [ownerOf(maps, 'late')] });
  start();
  await waitFor('the owner to come', () => api.object(maps, 'a', 'late'));
  await passed();
  api.get = get;
  expect(api.names(maps)).toEqual(['child', 'late']);
  api.remove(maps, 'a', 'late');
  await waitFor('the child to go', () => api.names(maps).length === 0);
});
