/** Fetches etcd out of a Debian package, for machines that have none. Installs nothing, changes nothing and needs no root. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
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
export async function fetchEtcd(folder: string, signal: AbortSignal): Promise<void> {
  for (const program of ['apt-get', 'dpkg'])
    if ((await findProgram(program, folder)) === undefined) throw new Error(`${program} is not in PATH`);
  await mkdir(join(folder, 'bin'), { recursive: true });
  const scratch = await mkdtemp(join(folder, 'fetch-'));
  try {
    const steps: Steps = { cwd: scratch, signal };
    await download(steps);
    const archive = (await readdir(scratch)).find((name) => name.endsWith('.deb'));
    if (archive === undefined) throw new Error(`apt-get brought no package ${packageName}`);
    await run('dpkg', ['-x', archive, 'content'], steps);
    // At once: another process never finds half of it.
    await rename(join(scratch, programInPackage), join(folder, 'bin', 'etcd'));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

interface Steps {
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** Package lists of the machine may be old or missing, as in images of containers: then with lists of its own. */
async function download(steps: Steps): Promise<void> {
  try {
    await run('apt-get', ['download', packageName], steps);
  } catch {
    const settings = await ownLists(steps.cwd);
    await run('apt-get', ['-c', settings, 'update'], steps);
    await run('apt-get', ['-c', settings, 'download', packageName], steps);
  }
}

/**
 * Settings for lists and a cache in the folder, read after those of the machine. What the machine does after an update
 * (images of containers empty their cache) is left out.
 */
async function ownLists(folder: string): Promise<string> {
  for (const part of ['lists/partial', 'cache/archives/partial'])
    await mkdir(join(folder, part), { recursive: true });
  const settings = {
    'Dir::State::lists': join(folder, 'lists'),
    // Nothing is installed: what the sources have is wanted, also beside a package that came from elsewhere.
    'Dir::State::status': join(folder, 'status'),
    'Dir::Cache': join(folder, 'cache'),
    'Acquire::Languages': 'none',
    'Acquire::Retries': '0',
    // Its own user cannot write here.
    'APT::Sandbox::User': '',
  };
  const hooks = ['Pre-Invoke', 'Post-Invoke', 'Post-Invoke-Success'];
  const lines = [
    ...Object.entries(settings).map(([name, value]) => `${name} "${value}";`),
    ...hooks.map((hook) => `#clear APT::Update::${hook};`),
  ];
  await writeFile(join(folder, 'status'), '');
  const file = join(folder, 'apt.conf');
  await writeFile(file, `${lines.join('\n')}\n`);
  return file;
}

/** @throws Error with the last line that the program wrote */
function run(program: string, args: readonly string[], { cwd, signal }: Steps): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return new Promise((resolve, reject) => {
    execFile(program, args, { cwd, env, signal, timeout: stepLimitMs }, (error, _stdout, stderr) => {
      const reason = stderr.trim().split('\n').at(-1) || messageOf(error);
      if (error === null) resolve();
      else reject(new Error(`${program} ${args.join(' ')}: ${reason}`));
    });
  });
}
