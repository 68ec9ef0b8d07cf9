import { FileError } from '../../../src/base/file-error.ts';
import { describeStartError } from '../../../src/base/start-error.ts';

const megabyte = 'x'.repeat(1024 * 1024);

test('a flag, or a name in a file, of a megabyte is told in short, with its remedy and its code', () => {
  const flag = describeStartError({
    code: 'FLAG_VALUE',
    cause: `flag --naming has the value "${megabyte}"`,
    remedy: 'mend it',
  });
  expect(flag.length).toBeLessThan(20_000);
  expect(flag).toMatch(/^flag --naming has the value "x+…; mend it \[FLAG_VALUE\]$/);
  const { message } = new FileError([`line 1: unknown field "${megabyte}"`, 'line 7: kind must be Policy']);
  expect(message.length).toBeLessThan(2_000);
  expect(message).toMatch(/^line 1: unknown field "x+…; line 7: kind must be Policy$/);
});
