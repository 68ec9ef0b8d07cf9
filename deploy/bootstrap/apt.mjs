/** Debian packages, where this machine is one and we may install. */
import { spawnSync } from 'node:child_process';
import { findProgram } from './paths.mjs';
import { step } from './run.mjs';

export function isRoot() {
  return process.getuid?.() === 0;
}

const quiet = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };

/** Installs packages; the package lists are fetched first when the machine does not know them. @throws Error */
export function installPackages(title, names) {
  const known = spawnSync('apt-cache', ['show', ...names], { encoding: 'utf8' });
  if (known.status !== 0) step('package lists fetched', 'apt-get', ['update'], quiet);
  step(title, 'apt-get', ['install', '-y', '--no-install-recommends', ...names], quiet);
}

/** Installs packages that are welcome but not needed. Gives whether `program` is there afterwards. */
export function tryInstall(program, names) {
  if (!findProgram(program) && isRoot() && findProgram('apt-get')) {
    try {
      installPackages(`${names[0]} installed`, names);
    } catch (error) {
      console.error(`orch-apiserver: going on without ${names[0]}: ${error.message}`);
    }
  }
  return findProgram(program) !== undefined;
}
