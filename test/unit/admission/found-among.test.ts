/** What plugins find by a look at all objects of a collection is looked for once for each of its states. */
import { createDefaultIngressClass } from '../../../src/admission/default-ingress-class.ts';
import { createDefaultStorageClass } from '../../../src/admission/default-storage-class.ts';
import { FoundAmong } from '../../../src/admission/found-among.ts';
import type { ObjectReader } from '../../../src/admission/object-reader.ts';
import { createPriorityPlugin } from '../../../src/admission/priority.ts';
import type { ApiObject } from '../../../src/meta/object.ts';
import { attributesOf, naming, outcomeOf, readerOf } from '../../support/admission.ts';

/** A reader that counts how often it lists, of a collection whose state is replaced. */
class Counted {
  lists = 0;
  contents = {};
  objects: Readonly<Record<string, object>> = {};
  readonly reader: ObjectReader = {
    ...readerOf(),
    contentsOf: () => this.contents,
    list: (collection, prefix) => {
      this.lists += 1;
      return readerOf(this.objects).list(collection, prefix);
    },
  };

  change(objects: Readonly<Record<string, object>>): void {
    this.objects = objects;
    this.contents = {};
  }
}

const isDefault = (kind: string): object => ({
  annotations: { [`${kind}.orch.io/is-default-class`]: 'true' },
});

const cases = [
  {
    collection: 'scheduling.orch.io/priorityclasses',
    create: createPriorityPlugin,
    write: { resource: 'pods', object: { spec: {} } },
    usual: { metadata: { name: 'usual' }, value: 7, globalDefault: true },
    field: 'priorityClassName',
  },
  {
    collection: 'storage.orch.io/storageclasses',
    create: createDefaultStorageClass,
    write: { resource: 'persistentvolumeclaims', object: { spec: {} } },
    usual: { metadata: { name: 'usual', ...isDefault('storageclass') } },
    field: 'storageClassName',
  },
  {
    collection: 'networking.orch.io/ingressclasses',
    create: createDefaultIngressClass,
    write: { resource: 'networking.orch.io/v1/ingresses', object: { spec: {} } },
    usual: { metadata: { name: 'usual', ...isDefault('ingressclass') } },
    field: 'ingressClassName',
  },
];

test.each(cases)('the default among $collection is looked for once for each change', async (one) => {
  const counted = new Counted();
  const plugin = one.create(counted.reader, naming);
  const classOf = async (): Promise<unknown> => {
    const attributes = attributesOf(one.write);
    expect(await outcomeOf(plugin, attributes)).toBe('');
    return (attributes.object?.['spec'] as Record<string, unknown>)[one.field];
  };
  expect([await classOf(), await classOf(), counted.lists]).toEqual([undefined, undefined, 1]);
  counted.change({ [`${one.collection}/usual`]: one.usual });
  expect([await classOf(), await classOf(), counted.lists]).toEqual(['usual', 'usual', 2]);
});

test('what is many is listed in slices, once for all who ask meanwhile, and a failure is not kept', async () => {
  const lists: PromiseWithResolvers<readonly ApiObject[]>[] = [];
  const contents = {};
  const listed = (): Promise<readonly ApiObject[]> => {
    const list = Promise.withResolvers<readonly ApiObject[]>();
    lists.push(list);
    return list.promise;
  };
  const reader: ObjectReader = {
    ...readerOf(),
    contentsOf: () => contents,
    bytesOf: () => 1_000_000,
    listInSlices: listed,
  };
  const found = new FoundAmong(reader, 'any/things', ({ length }) => length);
  const failing = [found.now(), found.now()].map((now) => expect(now).rejects.toThrow('no'));
  lists[0]?.reject(new Error('no'));
  await Promise.all(failing);
  const [one, other] = [found.now(), found.now()];
  expect(lists).toHaveLength(2);
  lists[1]?.resolve([]);
  expect([await one, await other]).toEqual([0, 0]);
  expect(await found.now()).toBe(0);
  expect(lists).toHaveLength(2);
});
