/** Replacements that say nothing new, in one way or another. */
import type { JsonObject } from '../../../src/base/json.ts';
import { entryObject } from '../../../src/registry/written-entry.ts';
import type { ResourceVerbs } from '../../../src/registry/types.ts';
import { configMap, scope, startRegistry, statusOf, type TestRegistry } from '../../support/registry.ts';

let registry: TestRegistry;
let verbs: ResourceVerbs;
const namespace = 'replaced';
const maps = (): ReturnType<typeof scope> => scope('configmaps', { namespace });

beforeAll(async () => {
  registry = await startRegistry();
  verbs = registry.verbs;
  await verbs.create(scope('namespaces'), '', { metadata: { name: namespace } });
});

afterAll(() => registry.close());

/** A pod template with a 64-bit integer that no float can hold. */
function longLived(seconds: string): JsonObject {
  const containers = [{ name: 'c', image: 'i' }];
  return { spec: { containers, terminationGracePeriodSeconds: JSON.rawJSON(seconds) } };
}

describe('equal owner references', () => {
  const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u-1' };
  const other = { ...owner, controller: true };
  const asked = (): { readonly warnings: string[]; readonly maps: ReturnType<typeof scope> } => {
    const warnings: string[] = [];
    return { warnings, maps: Object.assign(maps(), { warn: (text: string) => warnings.push(text) }) };
  };
  const owned = (...ownerReferences: JsonObject[]): JsonObject => ({
    metadata: { name: 'owned', ownerReferences },
  });

  test('are merged with a warning by every write; those that differ are kept', async () => {
    const created = asked();
    const sent = owned(owner, other, { uid: 'u-1', name: 'p', kind: 'Pod', apiVersion: 'v1' });
    const { entry } = await verbs.create(created.maps, '', sent);
    expect(entryObject(entry).metadata.ownerReferences).toEqual([owner, other]);
    expect(created.warnings).toEqual([expect.stringMatching(/duplicate entries; .* observed: u-1$/)]);

    const replaced = asked();
    const again = await verbs.replace(replaced.maps, 'owned', sent);
    expect(again.entry.modRevision).toBe(entry.modRevision);
    expect(replaced.warnings).toEqual(created.warnings);

    const patched = asked();
    const change = (): JsonObject => owned(owner, owner);
    const result = await verbs.patch(patched.maps, 'owned', change);
    expect(entryObject(result.entry).metadata.ownerReferences).toEqual([owner]);
    expect(patched.warnings).toEqual([expect.stringContaining('entries after mutating admission happens;')]);

    const quiet = asked();
    await verbs.patch(quiet.maps, 'owned', () => owned(owner, other));
    expect(quiet.warnings).toEqual([]);
  });
});

describe('a replacement', () => {
  test('with members in another order keeps the version, with other long integers it does not', async () => {
    const labels = { a: '1', b: '2' };
    await verbs.create(maps(), '', configMap('order', { k: 'v', l: 'w' }, labels));
    const before = await verbs.get(maps(), 'order', { resourceVersion: '' });
    const turned = configMap('order', { l: 'w', k: 'v' }, { b: '2', a: '1' });
    const { entry } = await verbs.replace(maps(), 'order', turned);
    expect(entry.modRevision).toBe(before.modRevision);

    const templates = scope('podtemplates', { namespace });
    await verbs.create(templates, '', { metadata: { name: 'long' }, template: longLived('1') });
    const versionWith = async (seconds: string): Promise<number> => {
      const sent = { metadata: { name: 'long' }, template: longLived(seconds) };
      return (await verbs.replace(templates, 'long', sent)).entry.modRevision;
    };
    const first = await versionWith('9007199254740992');
    expect(await versionWith('9007199254740993')).toBeGreaterThan(first);
  });

  test('resourceVersion 0, a null kind and a null apiVersion count as left out', async () => {
    const body = { kind: null, apiVersion: null, data: { k: 'v' } };
    await verbs.create(maps(), '', { ...body, metadata: { name: 'null', resourceVersion: '0' } });
    const sent = { ...body, data: { k: 'w' }, metadata: { name: 'null', resourceVersion: '0' } };
    const { entry } = await verbs.replace(maps(), 'null', sent);
    expect(entryObject(entry)).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', data: { k: 'w' } });
    const node = { metadata: { name: 'zero', resourceVersion: '0' }, spec: { drivers: [] } };
    const csi = scope('csinodes', { group: 'storage.orch.io' });
    await verbs.create(csi, '', node);
    expect((await statusOf(verbs.replace(csi, 'zero', node))).code).toBe(422);
  });

  test('by another name is refused before its resourceVersion is missed or compared', async () => {
    const csi = scope('csinodes', { group: 'storage.orch.io' });
    await verbs.create(csi, '', { metadata: { name: 'named' }, spec: { drivers: [] } });
    for (const resourceVersion of [undefined, '1']) {
      const metadata = { name: 'other', ...(resourceVersion && { resourceVersion }) };
      const refused = await statusOf(verbs.replace(csi, 'named', { metadata, spec: { drivers: [] } }));
      expect(refused.code).toBe(400);
    }
  });

  test('of what is not there is refused for its body first', async () => {
    const codeOf = async (body: JsonObject): Promise<unknown> => {
      const { code, message } = await statusOf(verbs.replace(maps(), 'missing', body));
      return [code, message];
    };
    expect(await codeOf(configMap('other', {}))).toEqual([
      400,
      'the name of the object (other) does not match the name on the URL (missing)',
    ]);
    expect(await codeOf({ ...configMap('missing', {}), kind: 'Secret' })).toEqual([
      400,
      'the kind of the object (Secret) does not match the kind of the request (ConfigMap)',
    ]);
    expect(await codeOf(configMap('missing', {}))).toEqual([404, 'configmaps "missing" not found']);
  });
});
