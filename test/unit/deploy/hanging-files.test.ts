/** A test file that never ends is named with the place where it is, and its process is ended. */
import { evaluateInBootstrap as evaluate } from '../../support/bootstrap-script.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const begin = `import { spawn } from 'node:child_process';
  import { once } from 'node:events';
  import { writeFileSync } from 'node:fs';
  import { join } from 'node:path';
  import { endHangingFiles } from './hanging-files.mjs';
  const [, folder, code] = process.argv;
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child.stdout, 'data');
  const note = join(folder, String(child.pid));`;

test.each([
  ['spins', `function spin() { for (;;); } console.log('ready'); spin();`, /x\.test\.ts, for \d+ s: spin /],
  [
    'waits for ever',
    `function rest() { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); } console.log('ready'); rest();`,
    /x\.test\.ts, for \d+ s: rest /,
  ],
])(
  'a file that %s',
  async (_, code, want) => {
    const folder = await makeTempFolder('hanging');
    const script = `${begin}
    writeFileSync(note, 'x.test.ts');
    const lines = [];
    const end = endHangingFiles(folder, (line) => lines.push(line), { limitMs: 0, everyMs: 20 });
    const [, signal] = await once(child, 'exit');
    await end();
    console.log(signal, lines.length, lines[0]);`;
    const { out } = evaluate(script, folder.path, code);
    await folder.remove();
    expect(out).toMatch(/^SIGKILL 1 /);
    expect(out).toMatch(want);
  },
  30_000,
);

test('a file within its time is left alone, and so is a process whose file has ended', async () => {
  const folder = await makeTempFolder('hanging');
  const script = `${begin}
    writeFileSync(note, 'x.test.ts');
    const lines = [];
    const end = endHangingFiles(folder, (line) => lines.push(line), { limitMs: 60_000, everyMs: 1 });
    await new Promise((resolve) => setTimeout(resolve, 50));
    await end();
    console.log(lines.length, child.exitCode, child.kill());`;
  const { out } = evaluate(script, folder.path, `console.log('ready'); setInterval(() => {}, 1_000);`);
  await folder.remove();
  expect(out).toBe('0 null true');
});
