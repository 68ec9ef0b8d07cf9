/** The last lines of a log. */
import { LogTail } from '../../../src/testing/host/log-tail.ts';

test('what was written behind a position', () => {
  const printed: string[] = [];
  const log = new LogTail({ write: (line) => printed.push(line) });
  log.write('one\n');
  const { position } = log;
  expect(log.text(position)).toBe('');
  log.write('two\n');
  expect(log.text(position)).toBe('two\n');
  expect(log.text()).toBe('one\ntwo\n');
  expect(printed).toEqual(['one\n', 'two\n']);
});

test('only the end is kept, also of what stands behind a position', () => {
  const log = new LogTail();
  const line = `${'x'.repeat(1_023)}\n`;
  for (let i = 0; i < 1_000; i += 1) log.write(line);
  expect(log.text()).toBe(line.repeat(256));
  expect(log.text(512)).toBe(line.repeat(256));
  expect(log.text(log.position - 1_024)).toBe(line);
});
