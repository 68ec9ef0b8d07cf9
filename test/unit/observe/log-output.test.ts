/** Logs that take nothing: a full disk, a pipe without a reader, one that nobody reads. The process outlives them. */
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { LogOutput } from '../../../src/observe/log-output.ts';
import { repositoryRoot } from '../../support/paths.ts';
import { readNow, RedirectedProgram } from '../../support/redirected-program.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Writes its first line, and one every ten milliseconds, to standard error; tells its health; SIGTERM ends it. */
const program = new RedirectedProgram(`
const { createLogger } = await import(${JSON.stringify(join(repositoryRoot, 'src/observe/log.ts'))});
const { notifierOf, processIo } = await import(${JSON.stringify(join(repositoryRoot, 'src/cli/io.ts'))});
const logger = createLogger({ clock: { now: () => Date.now() } });
const notify = notifierOf({ ...processIo, isTerminal: false });
const timer = setInterval(() => {
  for (let i = 0; i < 200; i += 1) logger.info('x'.repeat(100));
  notify({ message: 'notice' });
  process.stdout.write('health:' + logger.health() + ';');
}, 10);
process.on('SIGTERM', () => { notify({ message: 'stopping' }); clearInterval(timer); });
`);

describe('two processes that write to one pipe', () => {
  /** Each writes records of up to 9 KB as fast as they are taken, until it is told to end. */
  const two = new RedirectedProgram(`

const { createLogger } = await import(${JSON.stringify(join(repositoryRoot, 'src/observe/log.ts'))});
const logger = createLogger({ clock: { now: () => Date.now() }, fields: { pid: process.pid } });
const lines = setInterval(() => {
  for (let i = 0; i < 6; i += 1)
    logger.info('a record', { i, text: 'é"'.repeat(i * 500), many: Array.from({ length: i * 20 }, String) });
}, 10);
let ends = () => clearInterval(lines);
if (process.argv[1] !== 'second') {
  const args = [...process.execArgv, 'second'];
  const { spawn } = await import('node:child_process');
  const second = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 2] });
  const end = ends;
  ends = () => { second.kill(); end(); };
}
process.on('SIGTERM', () => ends());
`);

  test('do so line by line, also when it is full', async () => {
    const reader = two.openReader();
    await two.start(`2>${two.pipe}`);
    let text = '';
    const bytes = Buffer.alloc(1_000);
    // Less at a time than they write, so that the pipe is full.
    await waitFor('lines of both', () => {
      for (let i = 0, n = 1; i < 100 && n > 0; i += 1, text += bytes.toString('latin1', 0, n))
        n = readNow(reader, bytes);
      return text.length > 2_000_000;
    });
    const records = text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(Buffer.from(line, 'latin1').toString()) as Record<string, unknown>);
    expect(new Set(records.map(({ pid }) => pid)).size).toBe(2);
    expect(records.some(({ shortenedFrom }) => Number(shortenedFrom) > 4_096)).toBe(true);
    await two.end();
    closeSync(reader);
  });
});

/** What the process said last about its log. */
function health(): string | undefined {
  return program.child.output().split(';').at(-2);
}

test('a full disk shows in health; the process continues, and exits when stopped', async () => {
  await program.start('2>/dev/full');
  await waitFor('health to tell', () => health()?.includes('no space left on device'));
  expect(program.child.exit()).toBeUndefined();
  await program.end();
});

test('an unread pipe blocks nothing, and lines that do not fit are dropped and counted', async () => {
  const reader = program.openReader();
  await program.start(`2>${program.pipe}`);
  await waitFor('lines to be lost', () => health() === 'health:the log has no reader');
  let text = '';
  const bytes = Buffer.alloc(64 * 1024);
  await waitFor('lines to be taken again', () => {
    for (let n = 1; n > 0; text = (text + bytes.toString('utf8', 0, n)).slice(-200_000))
      n = readNow(reader, bytes);
    return text.includes('log lines were dropped') && health() === 'health:';
  });
  expect(text).toMatch(/"level":"warn","time":"[^"]+","lines":\d+,"msg":"log lines were dropped/);
  await waitFor('the pipe to be full again', () => health() === 'health:the log has no reader');
  await program.end();
  closeSync(reader);
});

test('a pipe whose reader has gone does not end the process', async () => {
  const reader = program.openReader();
  await program.start(`2>${program.pipe}`);
  await waitFor('the first line', () => readNow(reader, Buffer.alloc(100)) > 0);
  closeSync(reader);
  await waitFor('health to tell', () => health()?.includes('EPIPE') ?? false);
  await program.end();
});

test('a line of megabytes is dropped and counted, and does not count as a missing reader', async () => {
  const fd = openSync('/dev/null', 'w');
  const lost: number[] = [];
  const output = new LogOutput(fd, (lines) => lost.push(lines));
  output.write('x'.repeat(2 * 1024 * 1024));
  expect(output.health()).toBe('');
  output.write('the next\n');
  await waitFor('the loss to be told', () => lost.length > 0);
  expect(lost).toEqual([1]);
  closeSync(fd);
});

test('a burst of lines is no missing reader; one that takes nothing for seconds is, until it takes some', async () => {
  const reader = program.openReader();
  const fd = openSync(program.pipe, 'w');
  const now = jest.spyOn(performance, 'now').mockReturnValue(1_000);
  const lost: number[] = [];
  const output = new LogOutput(fd, (lines) => lost.push(lines));
  const bytes = Buffer.alloc(64 * 1024);
  let taken = 0;
  const take = (): number => (taken += readNow(reader, bytes));

  for (let i = 0; i < 1_200; i += 1) output.write(`${'x'.repeat(2_499)}\n`);
  expect(output.health()).toBe('');
  now.mockReturnValue(4_000);
  expect(output.health()).toBe('');
  now.mockReturnValue(4_001);
  expect(output.health()).toBe('the log has no reader');
  await waitFor('a line to be taken', () => output.health() === '');
  const kept = Math.floor((1024 * 1024) / 2_500);
  await waitFor('the lines that were kept', () => take() === kept * 2_500, { interval: 1 });
  expect([lost, output.health()]).toEqual([[1_200 - kept], '']);
  for (const open of [reader, fd]) closeSync(open);
});

afterEach(() => jest.restoreAllMocks());
