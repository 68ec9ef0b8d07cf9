/** Selectors of a resource against entries: what is required of one field is looked at once, and labels are read once. */
import { compileSelection } from '../../../src/registry/read/selection.ts';
import type { ServedResource } from '../../../src/registry/types.ts';
import type { Entry } from '../../../src/storage/types.ts';
import { leastShare } from '../../support/cpu-time.ts';

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

test.each(['metadata.name=a', 'metadata.name!=b,metadata.namespace=ns'])('%s reads no text', (selector) => {
  let reads = 0;
  const read: Entry = {
    ...entry('a', 'n'),
    get bytes() {
      reads += 1;
      return entry('a', 'n').bytes;
    },
  };
  expect(compileSelection(resource, '', selector).matches(read)).toBe(true);
  expect([reads, read.memo]).toEqual([0, undefined]);
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

describe('labels', () => {
  function labelled(count: number): { readonly entry: Entry; readonly reads: () => number } {
    const labels = Object.fromEntries(Array.from({ length: count }, (_, i) => [`l${String(i)}`, 'v']));
    const bytes = Buffer.from(JSON.stringify({ metadata: { name: 'a', labels } }));
    let reads = 0;
    const entry: Entry = {
      ...{ collection: 'core/pods', key: 'ns/a', modRevision: 1, size: bytes.length, mark: 0, versionAt: 0 },
      memo: undefined,
      get bytes() {
        reads += 1;
        return bytes;
      },
    };
    return { entry, reads: () => reads };
  }

  test.each([
    ['few', 3, 1],
    ['thousands', 5_000, 0],
  ])('%s are kept with their entry only if they are few', (_name, count, kept) => {
    const { entry: one } = labelled(count);
    expect(compileSelection(resource, 'l1=v,l2', '').matches(one)).toBe(true);
    expect(compileSelection(resource, 'l1=w', '').matches(one)).toBe(false);
    expect(one.memo?.size ?? 0).toBe(kept);
  });

  const many = Array.from({ length: 20 }, (_, i) => `!m${String(i)}`).join(',');

  test('of thousands of labels of many objects, those of the last are kept where many are asked for', () => {
    const selection = compileSelection(resource, many, '');
    const all = Array.from({ length: 200 }, () => labelled(5_000));
    for (const { entry: one } of all) expect(selection.matches(one)).toBe(true);
    for (const { entry: one } of [...all].reverse()) selection.matches(one);
    const again = all.filter(({ reads }) => reads() > 1).length;
    expect(again).toBeGreaterThan(20);
    expect(again).toBeLessThan(180);
  });

  test('hundreds of watches look through the labels of one object a few times, lists of many objects each once', () => {
    const watched = labelled(5_000);
    const matches = (one: Entry, i: number): boolean =>
      compileSelection(resource, `l1=v,!absent-${String(i)}`, '').matches(one);
    for (let i = 0; i < 300; i += 1) expect(matches(watched.entry, i)).toBe(true);
    expect(watched.reads()).toBeLessThan(12);
    const listed = Array.from({ length: 20 }, () => labelled(5_000));
    const all = listed.map(({ entry: one }) => one);
    for (let list = 0; list < 20; list += 1) for (const one of all) expect(matches(one, list)).toBe(true);
    expect(listed.map(({ reads }) => reads())).toEqual(all.map(() => 20));
  });

  test('a few of thousands are found without a look at all', async () => {
    const { entry: one } = labelled(20_000);
    const holds = (selector: string): boolean => compileSelection(resource, selector, '').matches(one);
    const selection = compileSelection(resource, 'l7=v', '');
    const others = Array.from({ length: 8 }, () => labelled(20_000).entry);
    expect(await leastShare(5, () => selection.matches(others.pop() ?? one))).toBeLessThan(1);
    expect(holds('l19999=v,l0,!l,!v,l1 in (v,w)')).toBe(true);
    expect(holds('l19999=w')).toBe(false);
    expect(holds('v')).toBe(false);
    expect(holds('labels')).toBe(false);
  });
});
