import { FieldPath } from '../../../src/meta/field-path.ts';
import { checkEnums } from '../../../src/schema/enum-check.ts';
import { field, mapOf, scalar, struct } from '../../support/schema.ts';
import { schemas } from './catalogue.ts';

const root = FieldPath.of('');

test('a value outside a closed set is told with its path and what is allowed', () => {
  const pod = {
    spec: { containers: [{ imagePullPolicy: 'Sometimes' }], restartPolicy: 'Always', dnsPolicy: '' },
  };
  expect(checkEnums(schemas.get('core/v1.Pod'), pod, root)).toEqual([
    {
      reason: 'FieldValueNotSupported',
      field: 'spec.containers[0].imagePullPolicy',
      message: 'Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"',
    },
  ]);
});

test('every entry of a list is checked, and open sets accept anything', () => {
  const spec = { accessModes: ['ReadWriteOnce', 'Some'] };
  const errors = checkEnums(schemas.get('core/v1.PersistentVolumeClaimSpec'), spec, FieldPath.of('spec'));
  expect(errors.map((error) => error.field)).toEqual(['spec.accessModes[1]']);
  expect(checkEnums(schemas.get('core/v1.Event'), { type: 'Odd' }, root)).toEqual([]);
});

test('cyclic types are walked as far as the object goes', () => {
  const fields = new Map([
    ['word', field('word', scalar('string'), { enumValues: ['yes'], enumClosed: true })],
  ]);
  const knot = { ...struct('Knot', []), fields };
  fields.set('members', field('members', mapOf(knot)));
  fields.set('not', field('not', knot, { pointer: true }));
  const errors = checkEnums(knot, { members: { a: { not: { word: 'perhaps' } } } }, root);
  expect(errors.map((error) => error.field)).toEqual(['members[a].not.word']);
});

test('what an object shares with one that was checked is not looked at again', () => {
  const odd = { name: 'a', imagePullPolicy: 'Sometimes' };
  const known = { spec: { containers: [odd] } };
  const pod = schemas.get('core/v1.Pod');
  expect(checkEnums(pod, { spec: { containers: [odd, { ...odd }] } }, root, known)).toMatchObject([
    { field: 'spec.containers[1].imagePullPolicy' },
  ]);
  expect(checkEnums(pod, { spec: { containers: [{ ...odd }, odd] } }, root, known)).toHaveLength(2);
});
