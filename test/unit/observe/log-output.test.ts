/** Logs that take nothing: a full disk, a pipe without a reader, one that nobody reads. The process outlives them. */
import { execFileSync } from 'node:child_process';
import { constants, openSync, readSync, closeSync } from 'node:fs';
import { join } from 'node:path';
import { Child } from '../../support/child-process.ts';
import { nodeBinary, repositoryRoot } from '../../support/paths.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor, within } from '../../support/wait-for.ts';

let folder: TempFolder;
let child: Child;
let pipe: string;
beforeEach(async () => {
  folder = await makeTempFolder('log-output');
  pipe = join(folder.path, 'pipe');
  execFileSync('mkfifo', [pipe]);
});
afterEach(async () => {
  await child.stop();
  await folder.remove();
});

/** Writes its first line, and one every ten milliseconds, to standard error; tells its health; SIGTERM ends it. */
const program = `
const { createLogger } = await import(${JSON.stringify(join(repositoryRoot, 'src/observe/log.ts'))});
const { notifierOf, processIo } = await import(${JSON.stringify(join(repositoryRoot, 'src/cli/io.ts'))});
const logger = createLogger();
const notify = notifierOf({ ...processIo, isTerminal: false });
const timer = setInterval(() => {
  for (let i = 0; i < 200; i += 1) logger.info('x'.repeat(100));
  notify({ message: 'notice' });
  process.stdout.write('health:' + logger.health() + ';');
}, 10);
process.on('SIGTERM', () => { notify({ message: 'stopping' }); clearInterval(timer); });
`;

async function start(redirect: string): Promise<void> {
  child = await Child.start({
    name: 'log',
    program: '/bin/sh',
    args: ['-c', `exec "$0" --input-type=module -e "$1" ${redirect}`, nodeBinary(), program],
  });
}

/** What the process said last about its log. */
function health(): string | undefined {
  return child.output().split(';').at(-2);
}

async function ends(): Promise<void> {
  child.signal('SIGTERM');
  expect((await within('the end', 5_000, child.exited)).code).toBe(0);
}

test('a full disk shows in health; the process goes on, and ends when it is told to', async () => {
  await start('2>/dev/full');
  await waitFor('health to tell', () => health()?.includes('no space left on device'));
  expect(child.exit()).toBeUndefined();
  await ends();
});

test('a pipe that nobody reads holds nothing up, and lines that do not fit are lost and counted', async () => {
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  await start(`2>${pipe}`);
  await waitFor('lines to be lost', () => health() === 'health:the log has no reader');
  let text = '';
  const bytes = Buffer.alloc(64 * 1024);
  await waitFor('lines to be taken again', () => {
    for (let n = 1; n > 0; text = (text + bytes.toString('utf8', 0, n)).slice(-200_000))
      n = read(reader, bytes);
    return text.includes('lines of the log were lost') && health() === 'health:';
  });
  expect(text).toMatch(/"level":"warn","time":"[^"]+","lines":\d+,"msg":"lines of the log were lost/);
  await waitFor('the pipe to be full again', () => health() === 'health:the log has no reader');
  await ends();
  closeSync(reader);
});

test('a pipe whose reader has gone does not end the process', async () => {
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  await start(`2>${pipe}`);
  await waitFor('the first line', () => read(reader, Buffer.alloc(100)) > 0);
  closeSync(reader);
  await waitFor('health to tell', () => health()?.includes('EPIPE') ?? false);
  await ends();
});

/** 0: there is nothing to read now. */
function read(fd: number, bytes: Buffer): number {
  try {
    return readSync(fd, bytes);
  } catch {
    return 0;
  }
}
