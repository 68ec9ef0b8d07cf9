/** What is left of `npm start` when it is ended while it sets up, or before it could look around: nothing. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../../support/paths.ts';
import { processesWith } from '../../support/processes.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';
import { evaluateInBootstrap } from '../../support/bootstrap-script.ts';

const tools = join(repositoryRoot, 'deploy', 'bootstrap');
const onLinux = process.platform === 'linux' ? test : test.skip;
let temporary: TempFolder;

beforeEach(async () => {
  temporary = await makeTempFolder('early-stop');
});
afterEach(async () => {
  for (const { pid } of processesWith(temporary.path)) process.kill(pid, 'SIGKILL');
  await temporary.remove();
});

/** A program that says in a file that it runs, and does not end. */
const endless = (file: string): string =>
  `require('fs').writeFileSync('${file}', 'here'); setInterval(() => {}, 1000);`;
const words = (script: string): string[] => [
  '--input-type=module',
  '-e',
  script.replaceAll(`'./`, `'${tools}/`),
];
const noneIsLeft = (): Promise<boolean> =>
  waitFor('all to end', () => processesWith(temporary.path).length === 0, {
    details: () => JSON.stringify(processesWith(temporary.path)),
  });

test.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)(
  'a step that is under way ends when the script is ended by %s',
  async (signal) => {
    const file = join(temporary.path, 'up');
    const script = `import { step } from './run.mjs'; step('waited', process.execPath, ['-e', ${JSON.stringify(endless(file))}]);`;
    const child = spawn(process.execPath, words(script), { stdio: 'ignore' });
    await waitFor('the step', () => existsSync(file));
    child.kill(signal);
    await once(child, 'exit');
    await noneIsLeft();
  },
);

onLinux('a script whose npm ended before it began starts nothing', async () => {
  const [file, done] = [join(temporary.path, 'up'), join(temporary.path, 'done')];
  const script = `import { writeFileSync } from 'node:fs';
    import { foreground } from './run.mjs';
    writeFileSync('${done}', String(await foreground(process.execPath, ['-e', ${JSON.stringify(endless(file))}])));`;
  const env = { ...process.env, npm_lifecycle_event: 'start', npm_package_name: 'orch-apiserver' };
  // The shell is npm's: it ends, and the script waits until it has another parent.
  const late = `(while kill -0 "$1" 2>/dev/null; do sleep 0.1; done; shift; exec "$@") &`;
  const npm = spawn('sh', ['-c', `sh -c '${late}' sh $$ "$@"`, 'sh', process.execPath, ...words(script)], {
    detached: true,
    env,
    stdio: 'ignore',
  });
  await once(npm, 'exit');
  await waitFor('its end', () => existsSync(done) && readFileSync(done, 'utf8') !== '');
  expect(readFileSync(done, 'utf8')).toBe('143');
  expect(existsSync(file)).toBe(false);
});

test('what builds that were ended have left is removed by a later one, what others are at is not', () => {
  const [old, young] = [join(temporary.path, 'build-old'), join(temporary.path, 'build-young')];
  for (const folder of [old, young]) mkdirSync(join(folder, 'new'), { recursive: true });
  const yesterday = Date.now() / 1_000 - 86_400;
  utimesSync(old, yesterday, yesterday);
  const { err } = evaluateInBootstrap(
    `import { removeStaleBuilds } from './build.mjs'; removeStaleBuilds('${temporary.path}');`,
  );
  expect(err).toBe('');
  expect([existsSync(old), existsSync(young)]).toEqual([false, true]);
});
