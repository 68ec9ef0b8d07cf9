/** Large objects come into the graph of nodes without being parsed in one step. */
import { followedBy } from '../../../src/authz/node/node-informer.ts';
import { NodeGraph } from '../../../src/authz/node/node-graph.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import type { Entry } from '../../../src/storage/types.ts';

const naming = namingProfiles.orch;
const secret = { secret: { secretName: 's' } };
const changed: string[] = [];

function indexOf(collection: string): ReturnType<typeof followedBy>[string] {
  const all = followedBy(new NodeGraph(), naming, (operation) => changed.push(operation), {
    claims: true,
    podCertificates: true,
  });
  return all[collection]!;
}

function large(collection: string, spec: object): Entry {
  const text = JSON.stringify({ kind: 'X', metadata: { name: 'x', namespace: 'n' }, padding: 0, spec });
  const bytes = Buffer.from(text.replace('"padding":0', `"padding":[${'{},'.repeat(50_000)}0]`));
  return { collection, key: 'n/x', modRevision: 1, bytes, memo: undefined };
}

test.each([
  ['core/pods', { nodeName: 'a', volumes: [secret] }],
  ['core/nodes', { configSource: { configMap: { name: 'm', namespace: 'n' } } }],
  ['core/persistentvolumes', { claimRef: { namespace: 'n', name: 'c' } }],
  [`storage.${naming.apiDomain}/volumeattachments`, { nodeName: 'a' }],
  [`resource.${naming.apiDomain}/resourceslices`, { nodeName: 'a' }],
  [`certificates.${naming.apiDomain}/podcertificaterequests`, { nodeName: 'a' }],
])('%s', async (collection, spec) => {
  changed.length = 0;
  const parse = jest.spyOn(JSON, 'parse');
  const index = indexOf(collection);
  const take = await index.prepare?.(large(collection, spec), false);
  take?.();
  const lengths = parse.mock.calls.map(([text]) => text.length);
  parse.mockRestore();
  expect(Math.max(...lengths)).toBeLessThan(64 * 1024);
  expect([...index.keys()]).toEqual(['n/x']);
  expect(changed).toHaveLength(1);
});

test('what needs no object parses none', async () => {
  const pods = indexOf('core/pods');
  const waiting = large('core/pods', {});
  const parse = jest.spyOn(JSON, 'parse');
  (await pods.prepare?.(waiting, false))?.();
  expect(parse).not.toHaveBeenCalled();
  const placed = large('core/pods', { nodeName: 'a' });
  (await pods.prepare?.(placed, true))?.();
  const calls = parse.mock.calls.length;
  expect(calls).toBeGreaterThan(0);
  (await pods.prepare?.(placed, true))?.();
  expect(parse).toHaveBeenCalledTimes(calls);
  parse.mockRestore();
});
