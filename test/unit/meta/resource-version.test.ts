import { parseResourceVersion } from '../../../src/meta/resource-version.ts';
import { StatusError } from '../../../src/meta/status.ts';

test.each([
  ['', undefined],
  ['0', 0],
  ['17', 17],
  ['9007199254740991', 9007199254740991],
  ['9007199254740992', Infinity],
  ['18446744073709551615', Infinity],
  ['0000000000000000000000000000000017', 17],
])('%j is read as %j', (text, revision) => {
  expect(parseResourceVersion(text)).toBe(revision);
});

test.each([
  'a',
  '-1',
  '+1',
  '1.0',
  ' 1',
  '0x10',
  '18446744073709551616',
  '99999999999999999999',
  '9'.repeat(10_000),
])('%.30j is refused with 400', (text) => {
  const read = (): unknown => parseResourceVersion(text);
  expect(read).toThrow(StatusError);
  expect(read).toThrow('resourceVersion must be one that a former answer carried');
});
