import { FieldPath } from '../../../src/meta/field-path.ts';
import { checkEnums, checkRequired } from '../../../src/schema/enum-check.ts';
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
  const faults = checkEnums(schemas.get('core/v1.PersistentVolumeClaimSpec'), spec, FieldPath.of('spec'));
  expect(faults.map((fault) => fault.field)).toEqual(['spec.accessModes[1]']);
  expect(checkEnums(schemas.get('core/v1.Event'), { type: 'Odd' }, root)).toEqual([]);
});

test('cyclic types are walked as far as the object goes', () => {
  const schema = { properties: { a: { not: { type: 'thing' } } } };
  const faults = checkEnums(schemas.get('apiextensions/v1.JSONSchemaProps'), schema, root);
  expect(faults.map((fault) => fault.field)).toEqual(['properties[a].not.type']);
});

test('required texts that are missing or empty are told', () => {
  const lease = { spec: { template: { spec: { containers: [{ name: '' }, {}, { name: 'a' }] } } } };
  const faults = checkRequired(schemas.get('apps/v1.Deployment'), lease, root);
  expect(faults.map((fault) => `${fault.field} ${fault.reason}`)).toEqual([
    'spec.template.spec.containers[0].name FieldValueRequired',
    'spec.template.spec.containers[1].name FieldValueRequired',
  ]);
});
