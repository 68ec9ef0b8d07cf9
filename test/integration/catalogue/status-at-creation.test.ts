/**
 * What a client says of the status at creation, in every kind and version that has one: where the kind begins with a
 * status of its own, it is dropped before the rules are asked, so that nothing in it can be wrong.
 */
import fc from 'fast-check';
import { deepCopy, type JsonObject } from '../../../src/base/json.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import type { ServedResource } from '../../../src/registry/types.ts';
import type { StructSchema } from '../../../src/schema/types.ts';
import { arbitraryObject } from '../../support/arbitrary-object.ts';
import { realCatalogue } from '../../support/catalogue.ts';
import { startEtcdCluster, type EtcdCluster } from '../../support/etcd/cluster.ts';
import { startReplica, type Replica } from '../../support/replica.ts';
import { sampleOf } from '../../support/samples.ts';

const { catalogue } = realCatalogue(namingProfiles.orch);
const resources = catalogue
  .groups()
  .flatMap(({ versions }) => versions.flatMap((version) => version.resources))
  .filter(({ definition }) => definition.virtual !== true && definition.verbs.includes('create'))
  .flatMap((resource) => {
    const status = statusSchema(resource);
    return status
      ? [
          [
            `${resource.gvr.resource} ${resource.gvr.group}/${resource.gvr.version}`,
            resource,
            status,
          ] as const,
        ]
      : [];
  });

/** They take the status that they are sent (strategies of release 1.21). */
const kept = new Set([
  'nodes /v1',
  'volumeattachments storage.orch.io/v1alpha1',
  'volumeattachments storage.orch.io/v1beta1',
]);

let etcd: EtcdCluster;
let replica: Replica;

beforeAll(async () => {
  etcd = await startEtcdCluster({ how: 'process' });
  replica = await startReplica({
    etcd,
    args: ['--runtime-config=api/all=true', '--disable-admission-plugins=ServiceAccount'],
  });
});
afterAll(async () => {
  await replica.close();
  await etcd.close();
});

function statusSchema({ schema }: ServedResource): StructSchema | undefined {
  const status = schema.fields.get('status')?.schema;
  return status?.type === 'struct' ? status : undefined;
}

/** The sample of a kind in the form of this version. */
async function sampleIn(resource: ServedResource): Promise<JsonObject> {
  const sample = await sampleOf(resource.storage.collection);
  if (!sample) throw new Error(`no sample of ${resource.storage.collection}`);
  const { group, version, kind } = resource.gvk;
  const shown = resource.conversion.isInternal ? sample : resource.conversion.fromInternal(deepCopy(sample));
  return { ...shown, apiVersion: group === '' ? version : `${group}/${version}`, kind };
}

/** The status of an object that would be made, but for the second in which that is, or what is wrong with it. */
async function statusOf({ gvr, namespaced }: ServedResource, object: JsonObject): Promise<unknown> {
  const root = gvr.group === '' ? `/api/${gvr.version}` : `/apis/${gvr.group}/${gvr.version}`;
  const path = `${root}${namespaced ? '/namespaces/default' : ''}/${gvr.resource}?dryRun=All`;
  const answer = await replica.admin.post(path, object);
  if (answer.status !== 201) return answer.text;
  const timeless = (key: string, value: unknown): unknown => (key === 'lastTransitionTime' ? '' : value);
  return (JSON.parse(answer.text, timeless) as JsonObject)['status'];
}

test('there are such kinds', () => {
  expect(resources.length).toBeGreaterThan(30);
});

test.each(resources)('%s', async (name, resource, schema) => {
  const sample = await sampleIn(resource);
  const without = await statusOf(resource, sample);
  expect(typeof without).not.toBe('string');
  const said = fc.sample(arbitraryObject(schema, 4), { numRuns: 15, seed: 5 });
  const found = await Promise.all(said.map((status) => statusOf(resource, { ...sample, status })));
  const differing = found.filter((status) => JSON.stringify(status) !== JSON.stringify(without));
  if (kept.has(name)) expect(differing).not.toEqual([]);
  else expect(differing).toEqual([]);
});
