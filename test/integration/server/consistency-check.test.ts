/**
 * The program behind an etcd that reorders an event: it notices, says so in log and metrics, and watches list again. Without
 * the feature gate it does not compare.
 */
import { numberOf } from '../../../src/storage/etcd/etcd-messages.ts';
import type { EtcdEvent } from '../../../src/storage/etcd/message-types.ts';
import { EventProxy } from '../../support/etcd/event-proxy.ts';
import { shareEtcd, type SharedEtcd } from '../../support/etcd/shared.ts';
import { startReplica, type Replica } from '../../support/replica.ts';
import { waitFor } from '../../support/wait-for.ts';

const maps = '/api/v1/namespaces/default/configmaps';

let etcd: SharedEtcd;
let proxy: EventProxy;

beforeAll(async () => {
  etcd = await shareEtcd();
  proxy = await EventProxy.start(etcd.endpoints[0] ?? '');
});

afterAll(async () => {
  await proxy.close();
  await etcd.close();
});

async function startBehindProxy(...args: string[]): Promise<Replica> {
  return startReplica({
    etcd: { endpoints: [proxy.endpoint], tls: undefined },
    naming: 'kubernetes',
    args: [`--etcd-prefix=${etcd.prefix}`, '--etcd-compaction-interval=0', '--controllers=', ...args],
  });
}

/** The events of two config maps come in the wrong order. */
async function reorder(replica: Replica): Promise<void> {
  const held: EtcdEvent[] = [];
  proxy.meddle = (events) => {
    const isMap = ({ kv }: EtcdEvent): boolean => kv.key.includes('/core/configmaps/default/');
    held.push(...events.filter(isMap));
    const others = events.filter((event) => !isMap(event));
    if (held.length < 2) return others;
    proxy.meddle = undefined;
    held.sort((a, b) => numberOf(b.kv.mod_revision) - numberOf(a.kv.mod_revision));
    return [...others, ...held];
  };
  const made = ['early', 'late'].map((name) => replica.admin.post(maps, { metadata: { name } }));
  await Promise.all(made);
  await waitFor('the events', () => held.length === 2);
}

test('an event in the wrong order: log, metrics, and 410 of the watch', async () => {
  await using replica = await startBehindProxy();
  const watch = await replica.admin.watch(`${maps}?watch=1`);
  await reorder(replica);
  const events = await watch.until(({ type }) => type === 'ERROR');
  expect(events.at(-1)).toMatchObject({ object: { code: 410, reason: 'Expired' } });
  const metrics = async (): Promise<string> => (await replica.admin.get('/metrics')).text;
  await waitFor('the metric', async () => {
    const text = await metrics();
    return /^apiserver_storage_view_inconsistent_total\{resource="configmaps"\} 1$/m.test(text);
  });
  expect(await metrics()).toMatch(/^apiserver_storage_consistency_checks_total\{status="failure"\} 1$/m);
  expect(replica.logs()).toContain('the watch cache differs from etcd');
  for (const name of ['early', 'late']) await replica.admin.ok('GET', `${maps}/${name}`);
});

/** Swaps the events of config maps, in pairs, in the watches of etcd with these numbers. */
function swapIn(streams: ReadonlySet<number>): void {
  const held: EtcdEvent[] = [];
  proxy.meddle = (events, stream) => {
    if (!streams.has(stream)) return events;
    const isMap = ({ kv }: EtcdEvent): boolean => kv.key.includes('/core/configmaps/default/');
    held.push(...events.filter(isMap));
    const others = events.filter((event) => !isMap(event));
    if (held.length < 2) return others;
    held.sort((a, b) => numberOf(b.kv.mod_revision) - numberOf(a.kv.mod_revision));
    return [...others, ...held.splice(0)];
  };
}

test('several workers, config maps in a cluster of their own: each compares what it has itself', async () => {
  await using main = await shareEtcd();
  await using replica = await startReplica({
    etcd: main,
    naming: 'kubernetes',
    args: [`--etcd-servers-overrides=/configmaps#${proxy.endpoint}`, ...['--workers=2', '--controllers=']],
  });
  const clients = Array.from({ length: 12 }, () => replica.client(replica.pki.admin));
  try {
    const watches = await Promise.all(clients.map((client) => client.watch(`${maps}?watch=1`)));
    const create = async (name: string): Promise<void> => {
      await replica.admin.ok('POST', maps, { metadata: { name } });
    };
    const streams = new Set<number>();
    proxy.meddle = (events, stream) => {
      streams.add(stream);
      return events;
    };
    await create('first');
    await waitFor('the event at both workers', () => streams.size === 2);
    const [one = 0] = streams;
    swapIn(new Set([one]));
    await create('second');
    await create('third');
    // Where the events are swapped, the earlier one never comes.
    const ends = await Promise.all(
      watches.map(async (watch) => {
        const names = new Set<string | undefined>();
        const events = await watch.until(({ type, object }) => {
          names.add(object.metadata.name);
          return type === 'ERROR' || (names.has('second') && names.has('third'));
        });
        return events.at(-1);
      }),
    );
    const ended = ends.filter((event) => event?.type === 'ERROR');
    // Of so many connections each worker has some.
    expect(ended.length).toBeGreaterThan(0);
    expect(ended.length).toBeLessThan(clients.length);
    for (const event of ended) expect(event).toMatchObject({ object: { code: 410, reason: 'Expired' } });
    const lists = await Promise.all(clients.map((client) => client.list(maps)));
    for (const { items } of lists)
      expect(items.map(({ metadata }) => metadata.name)).toEqual(
        expect.arrayContaining(['first', 'second', 'third']),
      );
    await waitFor('the metric of both', async () =>
      /^apiserver_storage_view_inconsistent_total\{resource="configmaps"\} 1$/m.test(
        (await replica.admin.get('/metrics')).text,
      ),
    );
  } finally {
    for (const client of clients) client.close();
  }
});

test('without the feature gate nothing is compared', async () => {
  await using replica = await startBehindProxy('--feature-gates=DetectCacheInconsistency=false');
  await replica.admin.delete(`${maps}/early`);
  await replica.admin.delete(`${maps}/late`);
  await reorder(replica);
  // A comparison would have begun at once, and ends before this is written and read.
  for (let i = 0; i < 20; i += 1)
    await replica.admin.ok('POST', maps, { metadata: { name: `more-${String(i)}` } });
  const { text } = await replica.admin.get('/metrics');
  expect(text).toMatch(/^apiserver_storage_consistency_checks_total\{status="failure"\} 0$/m);
  expect(text).not.toMatch(/^apiserver_storage_consistency_checks_total\{[^}]*\} [1-9]/m);
  expect(replica.logs()).not.toContain('the watch cache differs from etcd');
});
