/** What a deletion leaves to its caller: the last state, whose text is made for those who read it. */
import { removedEntry } from '../../../src/registry/written-entry.ts';
import type { Entry } from '../../../src/storage/types.ts';

test('the text of a removed object is made when it is read, not for each that goes', () => {
  let made = 0;
  const text = Buffer.from('{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}}');
  const last: Entry = {
    ...{ collection: 'core/configmaps', key: 'n/a', modRevision: 7, mark: 3, memo: undefined },
    size: text.length,
    get bytes() {
      made += 1;
      return text;
    },
  };
  const gone = removedEntry(last, 9);
  expect(gone).toMatchObject({
    collection: 'core/configmaps',
    key: 'n/a',
    modRevision: 9,
    size: text.length,
  });
  expect(gone.mark).toBe(0);
  expect(made).toBe(0);
  expect(gone.bytes).toBe(text);
  expect(made).toBe(1);
});
