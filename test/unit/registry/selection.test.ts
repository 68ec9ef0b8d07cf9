/** Field selectors of a resource against entries: what is required of one field is looked at once. */
import { compileSelection } from '../../../src/registry/read/selection.ts';
import type { ServedResource } from '../../../src/registry/types.ts';
import type { Entry } from '../../../src/storage/types.ts';

const resource = {
  namespaced: true,
  gvk: { group: '', version: 'v1', kind: 'Pod' },
  definition: {
    selectableFields: { 'spec.nodeName': ({ spec }: { spec: { nodeName: string } }) => spec.nodeName },
  },
} as unknown as ServedResource;

function entry(name: string, nodeName: string): Entry {
  const bytes = Buffer.from(JSON.stringify({ metadata: { name }, spec: { nodeName } }));
  return { collection: 'core/pods', key: `ns/${name}`, modRevision: 1, bytes, memo: undefined };
}

test.each([
  ['metadata.name=a', true],
  ['metadata.name=a,metadata.name=b', false],
  ['metadata.name=a,metadata.name==a', true],
  ['metadata.name=a,metadata.name!=a', false],
  ['metadata.name!=b,metadata.name!=c', true],
  ['metadata.name!=b,metadata.name!=a', false],
  ['spec.nodeName=n,metadata.name!=b,spec.nodeName!=m', true],
  ['spec.nodeName=n,metadata.name=a,spec.nodeName!=n', false],
  ['spec.nodeName=', false],
])('%s', (selector, expected) => {
  expect(compileSelection(resource, '', selector).matches(entry('a', 'n'))).toBe(expected);
});

test('a field with an equality requirement is needed', () => {
  const { needs } = compileSelection(resource, '', 'spec.nodeName!=m,spec.nodeName=n');
  expect([...(needs?.values ?? [])]).toEqual(['n']);
  expect(needs?.attribute.read(entry('a', 'n'))).toBe('n');
  expect(compileSelection(resource, '', 'spec.nodeName!=m').needs).toBeUndefined();
});

test('thousands of terms of one field look at it a few times', () => {
  let backoff = 0;
  const watched: Entry = {
    ...entry('a', 'n'),
    get key() {
      backoff += 1;
      return 'ns/a';
    },
  };
  const terms = Array.from({ length: 3_000 }, (_, i) => `metadata.name!=b${String(i)}`);
  expect(compileSelection(resource, '', terms.join(',')).matches(watched)).toBe(true);
  expect(backoff).toBeLessThan(10);
});
