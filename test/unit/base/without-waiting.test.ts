/** Outputs that are not read: a full one refuses more, and does not hold the thread that writes. */
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeBinary, repositoryRoot } from '../../support/paths.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Fills standard output until it takes no more, and writes the code of that to a file. */
const source = `
import { execFileSync } from 'node:child_process';
import { writeFileSync, writeSync } from 'node:fs';
import { stillWithoutWaiting, withoutWaiting } from ${JSON.stringify(join(repositoryRoot, 'src/base/without-waiting.ts'))};
const fd = withoutWaiting(1);
// Which makes the output of this process blocking, where it is shared.
execFileSync('true', { stdio: ['ignore', 'inherit', 'ignore'] });
try {
  for (;;) writeSync(stillWithoutWaiting(fd), 'x'.repeat(1000));
} catch (error) {
  writeFileSync(process.argv[2], error.code);
}
`;

let folder: TempFolder;
let child: ChildProcess | undefined;
beforeEach(async () => {
  folder = await makeTempFolder('output');
  writeFileSync(join(folder.path, 'fill.mjs'), source);
});
afterEach(async () => {
  child?.kill('SIGKILL');
  await folder.remove();
});

/** Starts a program of which nobody reads the output: a socket, as Node gives to children. */
function startUnread(program: string, args: readonly string[]): void {
  child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] });
}

async function outcome(): Promise<string> {
  return waitFor('the output to be full', () => readFileSync(join(folder.path, 'code'), 'utf8') || undefined);
}

test('a socket, which is what the system journal or a parent may give', async () => {
  startUnread(nodeBinary(), [join(folder.path, 'fill.mjs'), join(folder.path, 'code')]);
  expect(await outcome()).toBe('EAGAIN');
});

test('a terminal that shows nothing', async () => {
  const words = [nodeBinary(), join(folder.path, 'fill.mjs'), join(folder.path, 'code')];
  // Gives its command a terminal, and copies what arrives there to its own output.
  startUnread('script', ['-qec', words.join(' '), '/dev/null']);
  expect(await outcome()).toBe('EAGAIN');
});
