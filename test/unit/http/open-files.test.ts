/** Limits of connections follow from that of open files. */
import { openFileLimit, withinOpenFiles } from '../../../src/http/open-files.ts';

const limitsFile = (soft: string): string =>
  `Limit                     Soft Limit           Hard Limit           Units     \nMax open files            ${soft.padEnd(20)} 524288               files     \n`;

test('the limit is read where the system tells it', () => {
  expect(openFileLimit(() => limitsFile('1024'))).toBe(1_024);
  expect(openFileLimit(() => limitsFile('unlimited'))).toBeUndefined();
  expect(
    openFileLimit(() => {
      throw new Error('no such file');
    }),
  ).toBeUndefined();
});

test.each([
  [{ max: 30_000, maxPerAddress: 20_000 }, 1_048_576, { max: 30_000, maxPending: 5_000 }],
  [{ max: 30_000, maxPerAddress: 20_000 }, 1_024, { max: 768, maxPending: 512 }],
  [{ max: 0, maxPerAddress: 0 }, 4_096, { max: 3_072, maxPending: 2_048 }],
  [{ max: 100, maxPerAddress: 0, maxPending: 60 }, 1_024, { max: 100, maxPending: 60 }],
])('%o with %i open files', (limits, openFiles, want) => {
  expect(withinOpenFiles(limits, openFiles)).toEqual({ ...limits, ...want });
});
