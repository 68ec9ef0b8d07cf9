/** Claims and volumes stay while they are used: how often what uses them is read. */
import { systemEnvironment } from '../../../src/base/environment.ts';
import { coreResource } from '../../../src/controllers/core-resources.ts';
import { createClaimProtection } from '../../../src/controllers/storage-protection/pvc-protection.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import type { ApiObject, ObjectMeta } from '../../../src/meta/object.ts';
import { noControllerMetrics } from '../../support/controller-metrics.ts';
import { FakeApiClient } from '../../support/fake-api-client.ts';
import { waitFor } from '../../support/wait-for.ts';

const claims = coreResource('PersistentVolumeClaim', 'persistentvolumeclaims');
const pods = coreResource('Pod', 'pods');
const finalizer = 'kubernetes.io/pvc-protection';
const going = '2030-01-01T00:00:00Z';
const ignore = (): void => undefined;

let api: FakeApiClient;
let stop: AbortController;
let running: Promise<void>;

beforeEach(() => {
  api = new FakeApiClient([claims, pods]);
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await running;
});

async function start(): Promise<void> {
  const controller = createClaimProtection({
    ...systemEnvironment,
    ...{ client: api, naming: namingProfiles.kubernetes, metrics: noControllerMetrics },
    log: { info: ignore, warn: ignore, error: ignore },
  });
  running = controller.run(stop.signal);
  await waitFor('the watches', () => api.isWatched(pods) && api.isWatched(claims));
}

function claim(name: string, more: Partial<ObjectMeta> = {}): void {
  api.put(claims, 'n', name, { finalizers: [finalizer], deletionTimestamp: going, ...more });
}

function user(name: string, volume: object): Promise<ApiObject> {
  const metadata = { name, namespace: 'n', uid: name };
  const spec = { nodeName: 'node', volumes: [{ name: 'data', ...volume }] };
  return api.create(pods, 'n', { apiVersion: 'v1', kind: 'Pod', metadata, spec });
}

function isProtected(name: string): boolean {
  return api.object(claims, 'n', name)?.metadata.finalizers?.includes(finalizer) === true;
}

test('pods are read together for all claims of a namespace that wait', async () => {
  await user('one', { persistentVolumeClaim: { claimName: 'c7' } });
  for (let i = 0; i < 300; i += 1) claim(`c${String(i)}`);
  await start();
  await waitFor('the others', () => api.updates.length === 299);
  expect(isProtected('c7')).toBe(true);
  // Once when they were listed, and again for those of which another event came meanwhile.
  expect(api.walked.length).toBeLessThan(5);
});

test('of pods that stay none is read', async () => {
  const volume = { persistentVolumeClaim: { claimName: 'used' } };
  await user('one', volume);
  claim('used');
  await start();
  await waitFor('the first look', () => api.walked.length > 0);
  const before = api.walked.length;
  for (let i = 0; i < 20; i += 1) await user(`other-${String(i)}`, volume);
  claim('free');
  await waitFor('the claim to go', () => !isProtected('free'));
  expect(api.walked.length - before).toBeLessThan(3);
  expect(isProtected('used')).toBe(true);
});

test('a claim goes with its last user', async () => {
  await user('one', { persistentVolumeClaim: { claimName: 'used' } });
  await user('web', { ephemeral: {} });
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Pod', name: 'web', uid: 'web', controller: true }];
  claim('used');
  claim('web-data', { ownerReferences });
  claim('one-data');
  await start();
  await waitFor('what nothing uses', () => !isProtected('one-data'));
  expect([isProtected('used'), isProtected('web-data')]).toEqual([true, true]);
  api.remove(pods, 'n', 'one');
  await waitFor('the first', () => !isProtected('used'));
  expect(isProtected('web-data')).toBe(true);
  api.put(pods, 'n', 'web', { deletionTimestamp: going, deletionGracePeriodSeconds: 0 });
  await waitFor('the second', () => !isProtected('web-data'));
});

test('a claim that came by the same name after the look keeps its finalizer, and one that cannot be written keeps no other', async () => {
  claim('again', { uid: 'first' });
  claim('refused');
  claim('third');
  const walk = api.eachObject.bind(api);
  api.eachObject = async (...request) => {
    await walk(...request);
    api.eachObject = walk;
    // Nothing is told of it yet.
    api.get = ((get) => async (ref) => {
      const found = await get(ref);
      return found && ref.name === 'again'
        ? { ...found, metadata: { ...found.metadata, uid: 'second' } }
        : found;
    })(api.get.bind(api));
  };
  const update = api.update.bind(api);
  api.update = (ref, object) =>
    ref.name === 'refused' ? Promise.reject(new Error('refused')) : update(ref, object);
  await start();
  await waitFor('the third', () => !isProtected('third'));
  expect([isProtected('again'), isProtected('refused')]).toEqual([true, true]);
});
