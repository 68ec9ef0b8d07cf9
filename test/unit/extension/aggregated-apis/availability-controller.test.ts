/** How servers of APIServices are asked whether they are there. */
import { AvailabilityController } from '../../../../src/extension/aggregated-apis/availability-controller.ts';
import type { Probe } from '../../../../src/extension/aggregated-apis/backend-connections.ts';
import { createAggregationMetrics } from '../../../../src/observe/aggregation-metrics.ts';
import { silentLogger } from '../../../../src/observe/log.ts';
import { Metrics } from '../../../../src/observe/metrics.ts';
import type { Storage, StoredEvent, WatchSubscriber } from '../../../../src/storage/types.ts';
import { HandClock } from '../../../support/hand-clock.ts';
import { entryOf } from '../../../support/http/fake-verbs.ts';
import { waitFor } from '../../../support/wait-for.ts';

const name = 'v1.g.example.com';
const backend = { namespace: 'default', name: 'there', port: 443, ca: '', skipsVerification: false };
const asked: Probe[] = [];
let answer: (attempt: number) => Promise<number>;
let onServices: (() => void) | undefined;
let controller: AvailabilityController;
let clock: HandClock;
let services: readonly string[];

beforeEach(() => {
  asked.length = 0;
  clock = new HandClock();
  services = [name];
  const spec = { group: 'g.example.com', version: 'v1', service: backend };
  const entry = entryOf({ metadata: { name }, spec }, name, 1);
  const registered = (of: string): object => ({ name: of, backend, wish: 'one' });
  const registrations = {
    collection: 'apiservices',
    onChange: () => undefined,
    current: () => ({ ordered: services.map(registered), unordered: services.map(registered) }),
    service: registered,
  };
  const storage = {
    view: () => ({ get: () => entry }),
    watch: ({ collection }: { collection: string }, subscriber: WatchSubscriber) => {
      const event = { key: 'default/there' } as StoredEvent;
      if (collection === 'core/services') onServices = () => subscriber.onEvents([event]);
      return { close: () => undefined };
    },
  } as unknown as Storage;
  controller = new AvailabilityController({
    ...{ clock, random: { number: () => 0 }, log: silentLogger },
    ...{ registrations, storage, resource: {}, verbs: { patch: () => Promise.resolve() } },
    connections: {
      probe: (_location: unknown, _path: string, probe: Probe) => {
        asked.push(probe);
        const given = Promise.withResolvers<number>();
        probe.signal.addEventListener('abort', () => given.reject(new Error('nobody waits')));
        answer(asked.length).then(given.resolve, given.reject);
        return given.promise;
      },
    },
    locate: () => ({ host: 'there', port: 443 }),
    reader: { peek: () => ({ spec: { type: 'ExternalName' } }) },
    metrics: createAggregationMetrics(new Metrics()),
  } as unknown as ConstructorParameters<typeof AvailabilityController>[0]);
});

test('one success is enough: the other attempts end', async () => {
  const first = Promise.withResolvers<number>();
  answer = (attempt) => (attempt === 1 ? first.promise : new Promise(() => undefined));
  controller.start();
  await waitFor('the attempts', () => asked.length === 5);
  expect(asked.every(({ signal }) => !signal.aborted)).toBe(true);
  first.resolve(200);
  await waitFor('the end of the others', () => asked.every(({ signal }) => signal.aborted));
  await controller.close();
});

test('many changes during a check lead to one more', async () => {
  const first = Promise.withResolvers<number>();
  answer = () => first.promise;
  controller.start();
  await waitFor('the attempts', () => asked.length === 5);
  for (let change = 0; change < 20; change += 1) onServices?.();
  first.resolve(200);
  await waitFor('another check', () => asked.length === 10);
  await controller.close();
  expect(asked).toHaveLength(10);
});

test('an end does not wait for servers that do not answer', async () => {
  answer = () => new Promise(() => undefined);
  controller.start();
  await waitFor('the attempts', () => asked.length === 5);
  await controller.close();
});

test('of hundreds behind one Service few are woken at once when it changes', async () => {
  services = Array.from({ length: 500 }, (_, i) => `v1.g${String(i)}.example.com`);
  answer = () => Promise.resolve(200);
  controller.start();
  await waitFor('all to rest', () => clock.timers === 500);
  onServices?.();
  // Those that are woken rest no more.
  expect(clock.timers).toBeGreaterThan(400);
  await waitFor('another check of each', () => asked.length === 2 * 5 * 500 && clock.timers === 500);
  await controller.close();
});
