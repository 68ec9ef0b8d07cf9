/** Audit events on a standard output that takes nothing: they are lost, and the process goes on. */
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { Child } from '../../support/child-process.ts';
import { nodeBinary, repositoryRoot } from '../../support/paths.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor, within } from '../../support/wait-for.ts';

let folder: TempFolder;
let child: Child;
let pipe: string;
beforeEach(async () => {
  folder = await makeTempFolder('standard-output');
  pipe = join(folder.path, 'pipe');
  execFileSync('mkfifo', [pipe]);
});
afterEach(async () => {
  await child.stop();
  await folder.remove();
});

/** Writes 128 KB, tells on standard error how that ended, and again; SIGTERM gives up what waits. */
const program = `
const { LogFile } = await import(${JSON.stringify(join(repositoryRoot, 'src/audit/log-file.ts'))});
const file = new LogFile({ path: '-', maxBytes: 1, maxAgeMs: 0, maxBackups: 0, compresses: false });
const stop = new AbortController();
process.on('SIGTERM', () => stop.abort());
const awake = setInterval(() => undefined, 1000);
while (!stop.signal.aborted) {
  const end = await file.write(['x'.repeat(128 * 1024)], stop.signal).then(() => 'written', (error) => error.message);
  console.error(end + ';');
  await new Promise((resolve) => setTimeout(resolve, 10));
}
clearInterval(awake);
`;

async function start(redirect: string): Promise<void> {
  child = await Child.start({
    name: 'audit',
    program: '/bin/sh',
    args: ['-c', `exec "$0" --input-type=module -e "$1" ${redirect}`, nodeBinary(), program],
  });
}

async function ends(): Promise<void> {
  child.signal('SIGTERM');
  expect((await within('the end', 5_000, child.exited)).code).toBe(0);
}

test('a full disk loses the events, each time', async () => {
  await start('>/dev/full');
  await waitFor('two failures', () => child.output().split('ENOSPC').length > 2);
  await ends();
});

test('a reader that has gone loses the events, each time', async () => {
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  await start(`>${pipe}`);
  await waitFor('the first bytes', () => hasRead(reader));
  closeSync(reader);
  await waitFor('two failures', () => child.output().split('EPIPE').length > 2);
  await ends();
});

test('a pipe that nobody reads is waited for until the signal', async () => {
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  await start(`>${pipe}`);
  await waitFor('a written batch', () => hasRead(reader) && child.output().includes('written;'));
  await ends();
  closeSync(reader);
});

function hasRead(fd: number): boolean {
  try {
    return readSync(fd, Buffer.alloc(64 * 1024)) > 0;
  } catch {
    return false;
  }
}
