import { keyAfter, KeySpace } from '../../../src/storage/keys.ts';

test.each(['/registry', 'registry', '/registry/', '//registry//'])('the prefix %p', (prefix) => {
  const keys = new KeySpace(prefix);
  expect(keys.object('core/pods', 'ns/a').toString()).toBe('/registry/core/pods/ns/a');
  expect(keys.everything().key.toString()).toBe('/registry/');
  expect(keys.everything().range_end.toString()).toBe('/registry0');
  expect(keys.collection('core/pods').key.toString()).toBe('/registry/core/pods/');
});

test.each([
  ['/registry/core/pods/ns/a', { collection: 'core/pods', key: 'ns/a' }],
  ['/registry/core/nodes/a', { collection: 'core/nodes', key: 'a' }],
  ['/registry/core/pods/a/b/c', { collection: 'core/pods', key: 'a/b/c' }],
  ['/registry/core/pods/', { collection: 'core/pods', key: '' }],
  ['/registry/core/pods', undefined],
  ['/registry/core', undefined],
  ['/registry/~fence', undefined],
  ['/other/core/pods/a', undefined],
])('%s is %j', (key, address) => {
  expect(new KeySpace('/registry').parse(Buffer.from(key))).toEqual(address);
});

test('an empty prefix and deep prefixes work', () => {
  expect(new KeySpace('').object('core/pods', 'a').toString()).toBe('/core/pods/a');
  expect(new KeySpace('/a/b').parse(Buffer.from('/a/b/core/pods/x'))).toEqual({
    collection: 'core/pods',
    key: 'x',
  });
});

test('no key lies between a key and the one after it', () => {
  const key = Buffer.from('a');
  expect(Buffer.compare(key, keyAfter(key))).toBe(-1);
  expect(Buffer.compare(keyAfter(key), Buffer.from('a\0'))).toBe(0);
});
