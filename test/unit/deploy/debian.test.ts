/** What the bootstrap takes out of Debian packages: the package lists of the machine stay as they are. */
import { appendFileSync, cpSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { hasDebian, makeDebianRepository, type DebianRepository } from '../../support/debian-repository.ts';
import { repositoryRoot } from '../../support/paths.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

const where = hasDebian ? test : test.skip;
let folder: TempFolder;
let repository: DebianRepository;

beforeEach(async () => {
  folder = await makeTempFolder('debian');
  const program = join(folder.path, 'fold');
  writeFileSync(program, '#!/bin/sh\necho folded\n');
  if (hasDebian)
    repository = makeDebianRepository(join(folder.path, 'debian'), 'shop-tools', 'fold-shirts', program);
  const bootstrap = join(repositoryRoot, 'deploy', 'bootstrap');
  cpSync(bootstrap, join(folder.path, 'checkout', 'deploy', 'bootstrap'), { recursive: true });
});

afterEach(() => folder.remove());

/** Runs a script beside the tools of a checkout that has nothing yet. */
function evaluate(script: string): { readonly code: number | null; readonly err: string } {
  const tools = join(folder.path, 'checkout', 'deploy', 'bootstrap');
  const env = { ...process.env, APT_CONFIG: repository.settings, TMPDIR: folder.path };
  const text = `import * as debian from '${tools}/debian.mjs'; ${script}`;
  const ended = spawnSync(process.execPath, ['--input-type=module', '-e', text], { encoding: 'utf8', env });
  return { code: ended.status, err: ended.stderr };
}

where('a program is fetched where package lists are missing, and those of the machine stay missing', () => {
  const { code, err } = evaluate(`debian.unpackProgram('fold-shirts', 'shop-tools');`);
  expect({ code, err }).toMatchObject({ code: 0 });
  expect(existsSync(join(folder.path, 'checkout', '.orch', 'bin', 'fold-shirts'))).toBe(true);
  expect(repository.isTouched()).toBe(false);
  expect(readdirSync(folder.path).filter((name) => name.startsWith('orch-'))).toEqual([]);
});

where('what is installed comes by lists of its own as well', () => {
  appendFileSync(repository.settings, 'APT::Get::Simulate "true";\n');
  const { code, err } = evaluate(`debian.installPackage('shop-tools');`);
  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringMatching(/package lists fetched .*\n.*shop-tools installed/) as string,
  });
  expect(repository.isTouched()).toBe(false);
});

where('a package that nowhere is ends in an error that names it', () => {
  const { code, err } = evaluate(`debian.unpackProgram('fold', 'shop-nothing');`);
  expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining('shop-nothing') as string });
  expect(repository.isTouched()).toBe(false);
});
