/** Programs out of packages of another Debian suite than the machine's, by the machine's own mirror and keys. */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from './paths.mjs';
import { privateApt } from './private-apt.mjs';
import { tryStep } from './run.mjs';

const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
/** Each step may take so long: whoever asks can do without. */
const stepLimitMs = 30_000;

/**
 * Copies all programs (`usr/bin`) of packages into a folder. Installs nothing, needs no root and touches neither the
 * machine's package lists nor its settings. @returns whether it went well
 */
export function takePrograms(packages, suite, into) {
  const mirror = debianMirror();
  if (mirror === undefined) return false;
  const folder = mkdtempSync(join(tmpdir(), 'orch-suite-'));
  try {
    const apt = aptWithSource(folder, `${mirror} ${suite} main`);
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const options = { cwd: folder, env, timeout: stepLimitMs };
    const wanted = packages.map((name) => `${name}/${suite}`);
    const isDone =
      tryStep(`package lists of ${suite} fetched`, 'apt-get', [...apt, 'update'], options) &&
      tryStep(
        `${packages.join(', ')} of ${suite} fetched`,
        'apt-get',
        [...apt, 'download', ...wanted],
        options,
      ) &&
      readdirSync(folder)
        .filter((name) => name.endsWith('.deb'))
        .every((archive) => tryStep(`${archive} unpacked`, 'dpkg', ['-x', archive, 'content'], options));
    if (isDone) copyPrograms(join(folder, 'content/usr/bin'), into);
    return isDone;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Where the machine has Debian itself from: the address of the repository of its own suite. */
function debianMirror() {
  if (findProgram('apt-get') === undefined || findProgram('dpkg') === undefined) return undefined;
  const [, ownSuite = ''] = /^VERSION_CODENAME=(\w+)$/m.exec(readOr('/etc/os-release')) ?? [];
  const format = '$(RELEASE) $(COMPONENT) $(REPO_URI)';
  const { stdout = '' } = spawnSync('apt-get', ['indextargets', '--format', format, 'Identifier: Packages'], {
    encoding: 'utf8',
    timeout: stepLimitMs,
  });
  const targets = stdout.split('\n').map((line) => line.split(' '));
  return targets.find(([suite, component]) => suite === ownSuite && component === 'main')?.[2];
}

/** Arguments for an apt with a state of its own below the folder, and one source. */
function aptWithSource(folder, source) {
  const signed = existsSync(keyring) ? `[signed-by=${keyring}] ` : '';
  writeFileSync(join(folder, 'sources.list'), `deb ${signed}${source}\n`);
  return privateApt(folder, {
    'Dir::Etc::sourcelist': join(folder, 'sources.list'),
    'Dir::Etc::sourceparts': '/dev/null',
    'Acquire::IndexTargets::deb::DEP-11::DefaultEnabled': 'false',
  });
}

function copyPrograms(from, into) {
  mkdirSync(into, { recursive: true });
  for (const name of readdirSync(from)) copyFileSync(join(from, name), join(into, name));
}

function readOr(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}
