import { validateLabels } from '../../../../src/api/validation/labels.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../../../src/api/validation/metadata.ts';
import { nameIsDns1123Subdomain } from '../../../../src/api/validation/name-rules.ts';
import { FieldPath } from '../../../../src/meta/field-path.ts';
import type { ObjectMeta } from '../../../../src/meta/object.ts';
import { brief } from '../../../support/kind.ts';

const rules = { namespaced: true, nameRule: nameIsDns1123Subdomain, bareFinalizers: ['kubernetes'] };
const good: ObjectMeta = { name: 'a', namespace: 'default' };
const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' };

test.each<[string, ObjectMeta, ...string[]]>([
  ['good', good],
  ['no name', { namespace: 'default' }, 'metadata.name Required'],
  ['bad prefix', { ...good, generateName: 'A' }, 'metadata.generateName Invalid'],
  ['path in name', { ...good, name: 'a/b' }, 'metadata.name Invalid', 'metadata.name Invalid'],
  ['no namespace', { name: 'a' }, 'metadata.namespace Required'],
  ['bad namespace', { name: 'a', namespace: 'a.b' }, 'metadata.namespace Invalid'],
  [
    'labels',
    { ...good, labels: { 'a b': 'c', d: '-' } },
    'metadata.labels Invalid',
    'metadata.labels Invalid',
  ],
  ['annotation key', { ...good, annotations: { 'a b': '' } }, 'metadata.annotations Invalid'],
  [
    'annotations too large',
    { ...good, annotations: { a: 'x'.repeat(256 * 1024) } },
    'metadata.annotations TooLong',
  ],
  ['negative generation', { ...good, generation: -1 }, 'metadata.generation Invalid'],
  ['finalizers', { ...good, finalizers: ['orphan', 'kubernetes', 'x.io/y'] }],
  ['unknown bare finalizer', { ...good, finalizers: ['mine'] }, 'metadata.finalizers[0] Invalid'],
  [
    'opposite finalizers',
    { ...good, finalizers: ['orphan', 'foregroundDeletion'] },
    'metadata.finalizers Invalid',
  ],
  ['owner', { ...good, ownerReferences: [owner] }],
  [
    'empty owner',
    { ...good, ownerReferences: [{ apiVersion: '', kind: '', name: '', uid: '' }] },
    'metadata.ownerReferences[0].apiVersion Invalid',
    'metadata.ownerReferences[0].kind Invalid',
    'metadata.ownerReferences[0].name Invalid',
    'metadata.ownerReferences[0].uid Invalid',
  ],
  [
    'owner that is an event',
    { ...good, ownerReferences: [{ ...owner, kind: 'Event' }] },
    'metadata.ownerReferences[0] Invalid',
  ],
  [
    'two controllers',
    {
      ...good,
      ownerReferences: [
        { ...owner, controller: true },
        { ...owner, controller: true },
      ],
    },
    'metadata.ownerReferences Invalid',
  ],
  [
    'managed fields',
    { ...good, managedFields: [{ manager: 'm'.repeat(129), fieldsType: 'X' }] },
    'metadata.managedFields[0].fieldsType NotSupported',
    'metadata.managedFields[0].manager Invalid',
    'metadata.managedFields[0].operation Invalid',
  ],
])('%s', (_name, meta, ...errors) => {
  expect(brief(validateObjectMeta(meta, rules))).toEqual(errors);
});

test('a namespace is refused where there is none', () => {
  expect(brief(validateObjectMeta(good, { ...rules, namespaced: false }))).toEqual([
    'metadata.namespace Forbidden',
  ]);
});

test('keys that are names of Object members are labels like others', () => {
  const labels = JSON.parse('{"__proto__":"x","constructor":"y"}') as Record<string, string>;
  expect(brief(validateLabels(labels, FieldPath.of('labels')))).toEqual(['labels Invalid']);
});

const stored: ObjectMeta = { ...good, uid: 'u', creationTimestamp: '2021-01-01T00:00:00Z', generation: 3 };

test.each<[string, ObjectMeta, ObjectMeta, ...string[]]>([
  ['labels change', stored, { ...stored, labels: { a: 'b' } }],
  ['name', stored, { ...stored, name: 'b' }, 'metadata.name Invalid'],
  ['namespace', stored, { ...stored, namespace: 'b' }, 'metadata.namespace Invalid'],
  ['uid', stored, { ...stored, uid: 'x' }, 'metadata.uid Invalid'],
  ['generation lowered', stored, { ...stored, generation: 2 }, 'metadata.generation Invalid'],
  ['deletion by update', stored, { ...stored, deletionTimestamp: 'x' }, 'metadata.deletionTimestamp Invalid'],
  [
    'grace by update',
    stored,
    { ...stored, deletionGracePeriodSeconds: 1 },
    'metadata.deletionGracePeriodSeconds Invalid',
  ],
  [
    'finalizer added while terminating',
    { ...stored, deletionTimestamp: 'x', finalizers: ['x.io/a'] },
    { ...stored, deletionTimestamp: 'x', finalizers: ['x.io/a', 'x.io/b'] },
    'metadata.finalizers Forbidden',
  ],
  [
    'finalizers removed and reordered while terminating',
    { ...stored, deletionTimestamp: 'x', finalizers: ['x.io/a', 'x.io/b', 'x.io/c'] },
    { ...stored, deletionTimestamp: 'x', finalizers: ['x.io/c', 'x.io/a'] },
  ],
])('update: %s', (_name, current, next, ...errors) => {
  expect(brief(validateObjectMetaUpdate(next, current))).toEqual(errors);
});
