/** Audit events on a standard output that takes nothing: they are lost, and the process goes on. */
import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../../support/paths.ts';
import { readNow, RedirectedProgram } from '../../support/redirected-program.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Writes 128 KB, tells on standard error how that ended, and again; SIGTERM gives up what waits. */
const program = new RedirectedProgram(`
const { LogFile } = await import(${JSON.stringify(join(repositoryRoot, 'src/audit/log-file.ts'))});
const { systemClock: clock } = await import(${JSON.stringify(join(repositoryRoot, 'src/base/clock.ts'))});
const file = new LogFile({ clock, path: '-', maxBytes: 1, maxAgeMs: 0, maxBackups: 0, compresses: false });
const stop = new AbortController();
process.on('SIGTERM', () => stop.abort());
const awake = setInterval(() => undefined, 1000);
while (!stop.signal.aborted) {
  const end = await file.write(['x'.repeat(128 * 1024)], stop.signal).then(() => 'written', (error) => error.message);
  console.error(end + ';');
  await new Promise((resolve) => setTimeout(resolve, 10));
}
clearInterval(awake);
`);

function failures(code: string): number {
  return program.child.output().split(code).length - 1;
}

function hasRead(reader: number): boolean {
  return readNow(reader, Buffer.alloc(64 * 1024)) > 0;
}

test('a full disk loses the events, each time', async () => {
  await program.start('>/dev/full');
  await waitFor('two failures', () => failures('ENOSPC') >= 2);
  await program.end();
});

test('a reader that has gone loses the events, each time', async () => {
  const reader = program.openReader();
  await program.start(`>${program.pipe}`);
  await waitFor('the first bytes', () => hasRead(reader));
  closeSync(reader);
  await waitFor('two failures', () => failures('EPIPE') >= 2);
  await program.end();
});

test('a write to an unread pipe waits until the signal', async () => {
  const reader = program.openReader();
  await program.start(`>${program.pipe}`);
  await waitFor('a written batch', () => hasRead(reader) && program.child.output().includes('written;'));
  await program.end();
  closeSync(reader);
});
