/** Debian packages: programs and libraries unpacked into `.orch`, or packages installed on the machine. */
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { findProgram, local } from './paths.mjs';
import { privateApt } from './private-apt.mjs';
import { say, step, tryStep } from './run.mjs';

const options = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };

export function isRoot() {
  return process.getuid?.() === 0;
}

/**
 * Takes one program out of a package without installing it: needs no root, starts no service and leaves the
 * machine as it was. @throws Error
 */
export function unpackProgram(program, packageName) {
  unpack(packageName, (content) => {
    mkdirSync(join(local, 'bin'), { recursive: true });
    copyFileSync(join(content, 'usr/bin', program), join(local, 'bin', program));
  });
}

/** The same for a shared library, into `.orch/lib`. @throws Error */
export function unpackLibrary(file, packageName) {
  unpack(packageName, (content) => {
    const found = readdirSync(content, { recursive: true }).find((path) => basename(path) === file);
    if (found === undefined) throw new Error(`no ${file} in ${packageName}`);
    mkdirSync(join(local, 'lib'), { recursive: true });
    copyFileSync(join(content, found), join(local, 'lib', file));
  });
}

function unpack(packageName, take) {
  const folder = mkdtempSync(join(tmpdir(), 'orch-package-'));
  try {
    withPackageLists(`${packageName} fetched`, ['download', packageName], { ...options, cwd: folder });
    const archive = readdirSync(folder).find((name) => name.endsWith('.deb'));
    step(`${packageName} unpacked`, 'dpkg', ['-x', archive, 'content'], { cwd: folder });
    take(join(folder, 'content'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @throws Error */
export function installPackage(name) {
  withPackageLists(`${name} installed`, ['install', '-y', '--no-install-recommends', name], options);
}

/** Installs packages that are welcome but not needed; says so when that fails. */
export function tryInstall(program, names) {
  if (findProgram(program) !== undefined || findProgram('apt-get') === undefined || !isRoot()) return;
  try {
    withPackageLists(
      `${names[0]} installed`,
      ['install', '-y', '--no-install-recommends', ...names],
      options,
    );
  } catch (error) {
    say(`going on without ${names[0]}: ${error.message}`);
  }
}

/** Runs apt-get; where it fails, perhaps for old or missing package lists, once more with new ones, which are its own. */
function withPackageLists(title, args, stepOptions) {
  if (tryStep(title, 'apt-get', args, stepOptions)) return;
  const folder = mkdtempSync(join(tmpdir(), 'orch-lists-'));
  try {
    const apt = privateApt(folder);
    step('package lists fetched', 'apt-get', [...apt, 'update'], options);
    step(title, 'apt-get', [...apt, ...args], stepOptions);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
