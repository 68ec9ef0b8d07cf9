/** Matchers for objects of the API. */
import fc from 'fast-check';

import { ApiError } from '../../../src/testing/index.ts';
import { matchers } from '../../../src/testing/matchers/index.ts';

expect.extend(matchers);

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'web',
    namespace: 'default',
    generation: 3,
    labels: { app: 'web', 'shop.test/size': 'l' },
    annotations: { note: 'handle with care' },
    finalizers: ['shop.test/fold'],
    ownerReferences: [
      { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1', uid: 'uid-1', controller: true },
      { apiVersion: 'shop.test/v1', kind: 'Shirt', name: 'blue', uid: 'uid-2' },
    ],
    managedFields: [
      {
        manager: 'folder',
        operation: 'Apply',
        fieldsV1: {
          'f:metadata': {
            'f:labels': { 'f:app': {}, 'f:shop.test/size': {} },
            'f:finalizers': { 'v:"shop.test/fold"': {} },
          },
          'f:spec': { 'f:containers': { 'k:{"name":"main"}': { '.': {}, 'f:image': {} } } },
        },
      },
      {
        manager: 'kubelet',
        operation: 'Update',
        subresource: 'status',
        fieldsV1: { 'f:status': { 'f:phase': {} } },
      },
    ],
  },
  status: {
    observedGeneration: 2,
    conditions: [
      { type: 'Ready', status: 'False', reason: 'NotReady', message: 'container main is waiting' },
      { type: 'PodScheduled', status: 'True' },
    ],
  },
};

/** The text of a failure. */
function failure(run: () => void): string {
  try {
    run();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('it did not fail');
}

test('conditions: type, status, reason and message', () => {
  expect(pod).toHaveCondition('PodScheduled');
  expect(pod).toHaveCondition('Ready', 'False', { reason: 'NotReady', message: 'is waiting' });
  expect(pod).toHaveCondition('Ready', 'False', { message: /^container \w+ is/ });
  expect(pod).not.toHaveCondition('Ready');
  expect(pod).not.toHaveCondition('Ready', 'False', { reason: 'Other' });
  expect(pod).not.toHaveCondition('Ready', 'False', { message: /is running/ });
  expect({}).not.toHaveCondition('Ready');
});

test('a failure shows the conditions that are there', () => {
  expect(
    failure(() => {
      expect(pod).toHaveCondition('Ready', 'True', { reason: 'AllReady' });
    }),
  ).toBe(
    [
      'expected Pod default/web to have condition Ready True with reason AllReady',
      'its conditions:',
      '  Ready False  NotReady: container main is waiting',
      '  PodScheduled True',
    ].join('\n'),
  );
  expect(
    failure(() => {
      expect(pod).not.toHaveCondition('PodScheduled');
    }),
  ).toMatch(/^expected Pod default\/web not to have/);
  expect(
    failure(() => {
      expect(undefined).toHaveCondition('Ready');
    }),
  ).toBe('expected undefined (is there no such object?) to have condition Ready True\nit has no conditions');
});

test('observed: the status is of the newest generation', () => {
  expect(pod).not.toBeObserved();
  expect({ ...pod, status: { observedGeneration: 3 } }).toBeObserved();
  expect({ metadata: {} }).not.toBeObserved();
  expect(
    failure(() => {
      expect(pod).toBeObserved();
    }),
  ).toContain('its generation is 3, status.observedGeneration 2');
});

test('owners: as an object, with its UID, or by kind and name', () => {
  const shirt = { apiVersion: 'shop.test/v2', kind: 'Shirt', metadata: { name: 'blue', uid: 'uid-2' } };
  expect(pod).toBeOwnedBy(shirt);
  expect(pod).toBeOwnedBy(shirt, { controller: false });
  expect(pod).toBeOwnedBy({ kind: 'ReplicaSet', name: 'web-1' }, { controller: true });
  expect(pod).not.toBeOwnedBy({ kind: 'ReplicaSet', name: 'web-1' }, { controller: false });
  expect(pod).not.toBeOwnedBy({ ...shirt, metadata: { name: 'blue', uid: 'uid-of-another' } });
  expect(pod).not.toBeOwnedBy({ ...shirt, apiVersion: 'other.test/v1' });
  expect(
    failure(() => {
      expect(pod).toBeOwnedBy({ kind: 'Shirt', name: 'red' });
    }),
  ).toBe(
    [
      'expected Pod default/web to be owned by Shirt red',
      'its owners:',
      '  ReplicaSet web-1 (uid-1), its controller',
      '  Shirt blue (uid-2)',
    ].join('\n'),
  );
});

test('managers: any field, or these', () => {
  expect(pod).toBeManagedBy('folder');
  expect(pod).toBeManagedBy('folder', 'spec.containers[name=main].image');
  expect(pod).toBeManagedBy('folder', [
    'metadata.labels.app',
    'metadata.labels["shop.test/size"]',
    'metadata.finalizers["shop.test/fold"]',
  ]);
  expect(pod).toBeManagedBy('folder', 'spec');
  expect(pod).not.toBeManagedBy('folder', 'spec.containers[name=other].image');
  expect(pod).not.toBeManagedBy('kubelet', 'spec');
  expect(pod).not.toBeManagedBy('stranger');
  expect(
    failure(() => {
      expect(pod).toBeManagedBy('kubelet', ['status.phase', 'spec.containers']);
    }),
  ).toBe(
    [
      'expected Pod default/web to be managed by kubelet in status.phase, spec.containers',
      'kubelet does not manage spec.containers',
      'its managers:',
      '  folder (Apply)',
      '    metadata.labels.app',
      '    metadata.labels["shop.test/size"]',
      '    metadata.finalizers["shop.test/fold"]',
      '    spec.containers[name=main].image',
      '  kubelet (Update of status)',
      '    status.phase',
    ].join('\n'),
  );
  expect(() => {
    expect(pod).toBeManagedBy('folder', 'spec..x');
  }).toThrow('spec..x is no path of fields');
});

test('managers: every path that a failure shows is one that the matcher takes', () => {
  const name = fc.constantFrom('a', 'b-c', 'x.y/z', '__proto__', 'é"', '1', 'a]b');
  const step = fc.oneof(
    name.map((each) => `f:${each}`),
    name.map((each) => `v:${JSON.stringify(each)}`),
    fc.constantFrom('k:{"name":"main"}', 'k:{"port":80,"protocol":"TCP"}', 'i:0'),
  );
  const paths = fc.array(fc.tuple(name, fc.array(step, { maxLength: 4 })), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(paths, (all) => {
      const fieldsV1: Record<string, object> = Object.create(null) as Record<string, object>;
      for (const [first, rest] of all) {
        let at = fieldsV1;
        for (const each of [`f:${first}`, ...rest])
          at = (at[each] ??= Object.create(null) as object) as Record<string, object>;
      }
      const object = {
        kind: 'X',
        metadata: { name: 'x', managedFields: [{ manager: 'm', operation: 'Apply', fieldsV1 }] },
      };
      const text = failure(() => {
        expect(object).toBeManagedBy('other');
      });
      const shown = text
        .split('\n')
        .filter((line) => line.startsWith('    '))
        .map((line) => line.slice(4));
      expect(shown.length).toBeGreaterThan(0);
      for (const path of shown) expect(object).toBeManagedBy('m', path);
    }),
  );
});

test('finalizers, deletion, labels and annotations', () => {
  expect(pod).toHaveFinalizer('shop.test/fold');
  expect(pod).not.toHaveFinalizer('other');
  expect(pod).not.toBeTerminating();
  expect({ metadata: { deletionTimestamp: new Date(0) } }).toBeTerminating();
  expect(pod).toHaveLabel('app');
  expect(pod).toHaveLabel('app', 'web');
  expect(pod).toHaveLabel('app', /^w/);
  expect(pod).not.toHaveLabel('app', 'other');
  expect(pod).not.toHaveLabel('toString');
  expect(pod).toHaveAnnotation('note', /care$/);
  expect(
    failure(() => {
      expect(pod).toHaveLabel('app', 'shop');
    }),
  ).toBe(
    'expected Pod default/web to have label app with value shop\nits labels:\n  app: web\n  shop.test/size: l',
  );
  expect(
    failure(() => {
      expect(pod).toBeTerminating();
    }),
  ).toContain('it was not deleted\nits finalizers:\n  shop.test/fold');
});

test('refusals, of this client and of others', async () => {
  const status = {
    kind: 'Status',
    status: 'Failure',
    code: 409,
    reason: 'Conflict',
    message: 'the object has been modified',
  } as const;
  const error = new ApiError('PUT /x', status);
  expect(error).toBeRefusedWith('Conflict');
  await expect(Promise.reject(error)).rejects.toBeRefusedWith(409, /modified$/);
  expect({ code: 409, body: JSON.stringify(status) }).toBeRefusedWith('Conflict', 'modified');
  expect({ code: 409, body: status }).toBeRefusedWith(409);
  expect(error).not.toBeRefusedWith('Invalid');
  expect(new Error('socket hang up')).not.toBeRefusedWith('Conflict');
  expect(
    failure(() => {
      expect(error).toBeRefusedWith('Invalid');
    }),
  ).toBe(
    'expected the request to be refused with Invalid\nthe service answered 409 Conflict: the object has been modified',
  );
  expect(
    failure(() => {
      expect(new Error('reset')).toBeRefusedWith(404);
    }),
  ).toContain('it is no answer of the service: Error: reset');
});
