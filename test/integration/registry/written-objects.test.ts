/** What a write leaves for the next one is what that would have parsed. */
import type { JsonObject } from '../../../src/base/json.ts';
import { entryObject } from '../../../src/registry/written-entry.ts';
import { ParsedObjects } from '../../../src/registry/write/parsed-objects.ts';
import type { WriteResult } from '../../../src/registry/types.ts';
import { deepFrozen } from '../../support/deep-frozen.ts';
import { configMap, scope, startRegistry, verbsOver, type TestRegistry } from '../../support/registry.ts';

let registry: TestRegistry;
beforeAll(async () => {
  registry = await startRegistry();
  await registry.verbs.create(scope('namespaces'), '', { metadata: { name: 'left' } });
});
afterAll(() => registry.close());

function expectLeft(written: ParsedObjects, { entry }: WriteResult): void {
  expect(JSON.stringify(written.get(entry))).toBe(JSON.stringify(entryObject(entry)));
}

test('of changes of the whole object, of its status, and of writes that change nothing', async () => {
  const written = new ParsedObjects();
  const verbs = verbsOver(registry.storage, () => true, { written });
  const at = scope('pods', { namespace: 'left' });
  const pod = { metadata: { name: 'a' }, spec: { containers: [{ name: 'main', image: 'image:1' }] } };
  await verbs.create(at, '', pod);
  const labelled = (value: string) => (current: JsonObject) => ({
    ...current,
    metadata: { ...(current['metadata'] as JsonObject), labels: { value } },
  });
  for (const value of ['one', 'one', 'two']) expectLeft(written, await verbs.patch(at, 'a', labelled(value)));
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  const ofStatus = scope('pods', { namespace: 'left', subresource: 'status' });
  expectLeft(written, await verbs.patch(ofStatus, 'a', (current) => ({ ...current, status })));
  expectLeft(written, await verbs.patch(at, 'a', labelled('three')));
  expectLeft(written, await verbs.apply(at, 'a', { ...applied, metadata: { name: 'a' } }, { force: true }));
});

const applied = { apiVersion: 'v1', kind: 'Pod', spec: { activeDeadlineSeconds: 5 } };

test('it is not mutated, and dry runs are not cached', async () => {
  const written = new ParsedObjects();
  const verbs = verbsOver(registry.storage, () => true, { written });
  const at = scope('configmaps', { namespace: 'left' });
  await verbs.create(at, '', configMap('b', { x: '1' }));
  const first = await verbs.replace(at, 'b', configMap('b', { x: '2' }));
  const left = deepFrozen(written.get(first.entry));
  expect(left).toBeDefined();
  const dry = scope('configmaps', { namespace: 'left', dryRun: true });
  await verbs.replace(dry, 'b', configMap('b', { x: '3' }));
  expect(written.get(first.entry)).toBe(left);
  const second = await verbs.replace(at, 'b', configMap('b', { x: '4' }));
  expectLeft(written, second);
  expect(written.get(first.entry)).toBeUndefined();
});
