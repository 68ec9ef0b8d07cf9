/** The log as text, as klog writes structured records. */
import { createLogger } from '../../../src/observe/log.ts';
import { configFromFlags } from '../../../src/options/config-from-flags.ts';
import type { CliIo } from '../../../src/cli/io.ts';
import { notifierOf } from '../../../src/cli/io.ts';
import { HandClock } from '../../support/hand-clock.ts';

const clock = new HandClock(new Date(2030, 0, 2, 3, 4, 5, 6).getTime());

function capture(): { lines: string[]; logger: ReturnType<typeof createLogger> } {
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  return { lines, logger: createLogger({ clock, level: 'debug', format: 'text', destination }) };
}

/** What follows the head of a line. */
const rest = (line = ''): string => line.replace(/^.*?\] /s, '');

test('the head: severity, local time, process, component', () => {
  const { lines, logger } = capture();
  logger.child({ component: 'http' }).warn('slow');
  const pid = String(process.pid).padStart(7);
  expect(lines).toEqual([`W0102 03:04:05.006000 ${pid} http] "slow"\n`]);
});

test('severities', () => {
  const { lines, logger } = capture();
  logger.debug('x');
  logger.info('x');
  logger.warn('x');
  logger.error('x');
  expect(lines.map((line) => line[0])).toEqual(['I', 'I', 'W', 'E']);
});

test('values: strings in quotes, so that none begins a line', () => {
  const { lines, logger } = capture();
  logger.info('a "b"\nI0101', { text: 'x\ny="z"', number: 1.5, flag: true, list: ['a', 1], none: null });
  expect(lines.map(rest)).toEqual([
    '"a \\"b\\"\\nI0101" text="x\\ny=\\"z\\"" number=1.5 flag=true list=["a",1] none=null\n',
  ]);
});

test('errors with their stack; credentials stay out', () => {
  const { lines, logger } = capture();
  logger.error('failed', { err: new Error('Bearer abc refused'), token: 'abc' });
  expect(rest(lines[0])).toMatch(
    /^"failed" err="Bearer \[redacted\] refused" stack="Error: .*\\n .*" token="\[redacted\]"\n$/,
  );
  expect(lines.join('')).not.toContain('abc');
});

test('notices for the operator come in the same format', () => {
  const lines: string[] = [];
  const io: CliIo = {
    out: () => undefined,
    err: () => undefined,
    record: (line) => lines.push(line),
    isTerminal: false,
  };
  notifierOf(io, 'text')({ message: 'Serving', fields: { url: 'https://x' } });
  expect(rest(lines[0])).toBe('"Serving" url="https://x"\n');
});

test('the flag', async () => {
  const read = async (format?: string) => {
    const { config, errors } = await configFromFlags(
      format === undefined ? {} : { 'logging-format': format },
    );
    return [config.logFormat, errors.length];
  };
  expect([await read(), await read('text'), await read('json')]).toEqual([
    ['json', 0],
    ['text', 0],
    ['json', 0],
  ]);
  expect((await read('yaml'))[1]).toBe(1);
});
