/** Where `backup` and `restore --output` write: never in the place of what is no regular file. */
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { PrivateMember } from '../../../src/restore/private-member.ts';
import { runToEnd } from '../../support/service.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { etcdTools, forever } from './stored-state.ts';

let temporary: TempFolder;
beforeAll(async () => {
  temporary = await makeTempFolder('output');
});
afterAll(() => temporary.remove());

test('a pipe, a folder and a link to either are refused before anything is done, and stay', async () => {
  const [pipe, folder, link, snapshot] = ['pipe', 'folder', 'link', 'snapshot.db'].map((name) =>
    join(temporary.path, name),
  ) as [string, string, string, string];
  const tools = await etcdTools();
  {
    await using member = await PrivateMember.start({
      tools,
      dataDir: join(temporary.path, 'etcd'),
      signal: forever,
    });
    await member.etcdctl('put', '/registry/a', 'x');
    await member.etcdctl('snapshot', 'save', snapshot);
  }
  execFileSync('mkfifo', [pipe]);
  mkdirSync(folder);
  symlinkSync(pipe, link);
  const before = readdirSync(temporary.path);
  for (const command of [
    ['restore', `--snapshot=${snapshot}`],
    ['backup', `--data-dir=${join(temporary.path, 'none')}`],
  ])
    for (const output of [pipe, folder, link]) {
      const ended = await runToEnd([...command, `--output=${output}`]);
      expect(ended.output).toMatch(
        /^orch-apiserver: \S+: not a regular file; correct --output \[FILE_UNWRITABLE\]\n$/,
      );
      expect(ended.code).toBe(1);
    }
  expect(readdirSync(temporary.path)).toEqual(before);
  expect(statSync(pipe).isFIFO()).toBe(true);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
}, 60_000);
