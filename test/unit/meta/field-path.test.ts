import { shortPath } from '../../../src/base/short-text.ts';
import { FieldPath } from '../../../src/meta/field-path.ts';

/** A path of so many pairs of steps below each other, as of schemas. */
function below(path: FieldPath, pairs: number): FieldPath {
  let deep = path;
  for (let i = 0; i < pairs; i += 1) deep = deep.child('properties').key(`p${String(i)}`);
  return deep;
}

test('is in words what its steps say', () => {
  const path = FieldPath.of('spec').child('containers').index(0).child('env').key('a.b');
  expect(path.toString()).toBe('spec.containers[0].env[a.b]');
  expect(FieldPath.of('').child('spec').toString()).toBe('spec');
  expect(FieldPath.of('').toString()).toBe('');
});

test.each([0, 1, 30, 40, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 80, 400])(
  'of %i schemas below each other is the beginning and the end of the whole',
  (pairs) => {
    const whole = `spec${Array.from({ length: pairs }, (_, i) => `.properties[p${String(i)}]`).join('')}`;
    expect(below(FieldPath.of('spec'), pairs).toString()).toBe(shortPath(whole));
  },
);

test('keys that are long are cut, wherever they are', () => {
  const long = 'x'.repeat(5_000);
  const cut = `${'x'.repeat(500)}…`;
  expect(FieldPath.of('spec').key(long).child('a').toString()).toBe(`spec[${cut}].a`);
  const path = below(FieldPath.of('spec').key(long), 200).key(long).child('a');
  const whole = `spec[${cut}]${'.properties[p0]'.repeat(100)}[${cut}].a`;
  expect(path.toString().length).toBe(shortPath(whole).length);
  expect(path.toString()).toMatch(/^spec\[x{500}….+…x+….\.a$/);
});

/** Each step was added to the text of all before, which was cut and copied again: 2 ms for a path, a second for all errors of an object. */
test('is cut once, however deep it is', () => {
  const deep = below(FieldPath.of('spec'), 450);
  const stringify = jest.spyOn(JSON, 'stringify');
  const { length } = deep.toString();
  // A text is cut by way of JSON.
  const cuts = stringify.mock.calls.length;
  stringify.mockRestore();
  expect({ length, cuts }).toEqual({ length: 1_001, cuts: 1 });
});
