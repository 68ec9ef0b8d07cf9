/** The image of target `testing` of the Dockerfile, built out of what this machine has installed: no registry is asked. */
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { copyProgram } from '../../support/etcd/image/build-context.ts';
import { findProgram, nodeBinary, repositoryRoot } from '../../support/paths.ts';

const run = promisify(execFile);

/** Fills `folder` with the Dockerfile and what it copies. The program must be built. */
export async function layOutTestingImage(folder: string): Promise<void> {
  const root = join(folder, 'root');
  await copyProgram(root, nodeBinary(), '/usr/local/bin/node');
  for (const [name, to] of [
    ['sh', '/bin/sh'],
    ['install', '/usr/bin/install'],
  ] as const)
    await copyProgram(root, findProgram(name) ?? to, to);
  await mkdir(join(root, 'tmp'), { recursive: true, mode: 0o1777 });
  await cp(join(repositoryRoot, 'package.json'), join(folder, 'package.json'));
  await cp(join(repositoryRoot, 'dist'), join(folder, 'dist'), { recursive: true });
  await copyDependencies(folder);
  await writeFile(join(folder, 'Dockerfile'), dockerfile(await read('Dockerfile')));
}

function read(name: string): Promise<string> {
  return readFile(join(repositoryRoot, name), 'utf8');
}

/** What a production install would have, out of the modules of this checkout. */
async function copyDependencies(folder: string): Promise<void> {
  const args = ['ls', '--omit=dev', '--all', '--parseable'];
  const { stdout } = await run('npm', args, { cwd: repositoryRoot }).catch(
    (error: unknown) => error as { stdout: string },
  );
  const [, ...places] = stdout.trim().split('\n');
  // A link to the modules of another checkout is followed.
  const modules = await realpath(join(repositoryRoot, 'node_modules'));
  for (const place of places) {
    const name = relative(join(repositoryRoot, 'node_modules'), place);
    await cp(join(modules, name), join(folder, 'node_modules', name), { recursive: true, dereference: true });
  }
}

/**
 * The stages of the service and of `testing` as they are, but over the programs of this machine, and with what the stages before
 * would build copied from here.
 */
function dockerfile(text: string): string {
  const begin = text.indexOf('FROM ${BASE} AS service');
  const stages = text.slice(begin).replace('FROM ${BASE}', 'FROM machine');
  const copied = stages.replaceAll(/^COPY --from=\w+ \/app\/(\w+) /gm, 'COPY $1 ');
  return `FROM scratch AS machine\nCOPY root/ /\n\n${copied}`;
}
