/** What newcomers get wrong is said in words that they know. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { meantResource } from '../../../src/testing/host/faults/meant-resource.ts';
import { readManifests } from '../../../src/testing/manifests.ts';
import { inOptions } from '../../../src/testing/options.ts';
import { realCatalogue } from '../../support/catalogue.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const { catalogue } = realCatalogue(namingProfiles.kubernetes);

test.each([
  ['configmap', 'configmaps'],
  ['Secret', 'secrets'],
  ['Pods', 'pods'],
  ['deployment.apps/status', 'deployments.apps/status'],
  ['NetworkPolicy', 'networkpolicies'],
])('a scope with %s means %s', (given, meant) => {
  expect(meantResource(given, catalogue)).toBe(meant);
});

test.each(['configmaps', 'deployments.apps/status', 'shirts', '*', '', 'endpoints', '__proto__'])(
  'a scope with %s may be meant as it is',
  (given) => {
    expect(meantResource(given, catalogue)).toBeUndefined();
  },
);

test('flags that nobody gave are named by the options that stand for them', () => {
  expect(inOptions('use another --secure-port', {})).toBe('use another `port` (--secure-port)');
  expect(inOptions('flag --emulated-release: no release', {})).toBe(
    'option `release` (--emulated-release): no release',
  );
  const flags = { 'secure-port': 80, 'event-ttl': 'x' };
  expect(inOptions('use another --secure-port', { flags })).toBe('use another --secure-port');
  expect(inOptions('flag --event-ttl: x', { flags })).toBe('flag --event-ttl: x');
});

test('a file without objects is no manifest', async () => {
  const folder = await makeTempFolder('manifests');
  const path = join(folder.path, 'crds.yaml');
  await writeFile(path, '# to be written\n');
  await expect(readManifests(path)).rejects.toThrow('crds.yaml has no objects');
  await writeFile(
    join(folder.path, 'other.yaml'),
    'apiVersion: v1\nkind: Namespace\nmetadata: { name: a }\n',
  );
  expect(await readManifests(folder.path)).toHaveLength(1);
  await folder.remove();
});
