/** Which keys of etcd are the state of the API, and how the others are found without looking at each object. */
import fc from 'fast-check';

import { isObjectKey, otherKeys } from '../../../src/testing/host/object-keys.ts';

const prefix = '/registry';
const segment = fc.constantFrom(
  'core',
  'announced',
  '~fence',
  'pods',
  'leases',
  'n',
  'orch-controller-manager',
  '',
);
const key = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .array(segment, { minLength: 1, maxLength: 4 })
      .map((parts) => `/registry/${parts.join('/')}`),
  },
  { weight: 1, arbitrary: fc.constantFrom('/another/core/pods/a', '/registryx', '/zoo', 'a') },
);

function reading(keys: readonly string[]): {
  first: (from: string) => string | undefined;
  readonly looks: number;
} {
  let looks = 0;
  return {
    first: (from) => {
      looks += 1;
      return keys.find((each) => each >= from);
    },
    get looks() {
      return looks;
    },
  };
}

test('all keys that are no objects are found', () => {
  fc.assert(
    fc.property(fc.uniqueArray(key, { maxLength: 30 }), (all) => {
      const keys = all.sort();
      const isObject = isObjectKey(prefix);
      expect([...otherKeys(prefix)(reading(keys).first)]).toEqual(keys.filter((each) => !isObject(each)));
    }),
    { numRuns: 1_000 },
  );
});

test('objects of a collection take one look, however many there are', () => {
  const objects = Array.from({ length: 500 }, (_, i) => `/registry/core/pods/n/p${String(i)}`).sort();
  const keys = ['/registry/core/pods/', ...objects, '/registry/~fence'];
  const read = reading(keys);
  expect([...otherKeys(prefix)(read.first)]).toEqual(['/registry/core/pods/', '/registry/~fence']);
  expect(read.looks).toBeLessThan(8);
});
