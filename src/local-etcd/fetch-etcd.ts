/** Fetches etcd out of a Debian package, for tests on machines that have none. Installs nothing and needs no root. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../base/errors.ts';
import { findProgram } from './find-program.ts';

const packageName = 'etcd-server';
const programInPackage = join('content', 'usr', 'bin', 'etcd');
const stepLimitMs = 120_000;

/**
 * Puts etcd into `<folder>/bin` with apt-get and dpkg, by the package sources of this machine. Several processes may do so at
 * once.
 * @throws Error that says why it cannot be had
 */
export async function fetchEtcd(folder: string): Promise<void> {
  for (const program of ['apt-get', 'dpkg'])
    if ((await findProgram(program, folder)) === undefined) throw new Error(`${program} is not in PATH`);
  await mkdir(join(folder, 'bin'), { recursive: true });
  const scratch = await mkdtemp(join(folder, 'fetch-'));
  try {
    await download(scratch);
    const archive = (await readdir(scratch)).find((name) => name.endsWith('.deb'));
    if (archive === undefined) throw new Error(`apt-get brought no package ${packageName}`);
    await run('dpkg', ['-x', archive, 'content'], scratch);
    // At once: another process never finds half of it.
    await rename(join(scratch, programInPackage), join(folder, 'bin', 'etcd'));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Package lists may be old or missing, as in images of containers; only root can renew them. */
async function download(folder: string): Promise<void> {
  const args = ['download', packageName];
  try {
    await run('apt-get', args, folder);
  } catch (error) {
    if (process.getuid?.() !== 0) throw error;
    await run('apt-get', ['update'], folder);
    await run('apt-get', args, folder);
  }
}

/** @throws Error with the last line that the program wrote */
function run(program: string, args: readonly string[], cwd: string): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return new Promise((resolve, reject) => {
    execFile(program, args, { cwd, env, timeout: stepLimitMs }, (error, _stdout, stderr) => {
      const reason = stderr.trim().split('\n').at(-1) || messageOf(error);
      if (error === null) resolve();
      else reject(new Error(`${program} ${args.join(' ')}: ${reason}`));
    });
  });
}
