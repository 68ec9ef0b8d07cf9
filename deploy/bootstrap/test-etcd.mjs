/**
 * The etcd that tests run on: the machine's, that of a folder (ORCH_TEST_ETCD_BIN), or a release
 * (ORCH_TEST_ETCD_VERSION), which is brought into `.orch/etcd` when the machine has another one.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { takePrograms } from './debian-suite.mjs';
import { findProgram, isExecutable, local } from './paths.mjs';
import { ensureEtcd, ensureEtcdctl } from './programs.mjs';
import { say, tryStep } from './run.mjs';

/** Suites of Debian with an etcd, the oldest first: their packages change least. */
const suites = ['bookworm', 'trixie', 'forky', 'sid'];
/** What CI tries beside the machine's own: of a suite that does not change any more. */
const newer = { release: '3.5', suites: ['trixie'] };

/** @throws Error with the remedy where the etcd that was asked for cannot be had */
export function ensureTestEtcd() {
  const { ORCH_TEST_ETCD_BIN: folder = '', ORCH_TEST_ETCD_VERSION: release = '' } = process.env;
  if (folder !== '') requirePrograms(folder);
  else if (release === '' || isOfRelease(['etcd', 'etcdctl'].map(findProgram), release)) {
    ensureEtcd();
    ensureEtcdctl();
  } else process.env.ORCH_TEST_ETCD_BIN = folderOf(release);
}

/**
 * A folder with a newer etcd than the machine's, for the tests that run on both.
 * @returns {{ folder: string } | { reason: string }} where it is, or why there is none: never a reason to fail
 */
export function newerEtcd() {
  const { ORCH_TEST_ETCD_BIN: folder, ORCH_TEST_ETCD_VERSION: release } = process.env;
  if (folder || release) return { reason: 'the tests before ran on an etcd that was chosen' };
  const own = versionOf(findProgram('etcd'));
  if (own === undefined) return { reason: 'no etcd found' };
  if (!own.startsWith('3.4.')) return { reason: `the tests before ran on etcd ${own}` };
  const place = placeOf(newer.release);
  const isThere = hasRelease(place, newer.release) || fromDebian(newer.release, place, newer.suites);
  return isThere ? { folder: place } : { reason: `Debian has no etcd ${newer.release} for this machine now` };
}

function requirePrograms(folder) {
  for (const program of ['etcd', 'etcdctl'])
    if (!isExecutable(join(folder, program)))
      throw new Error(`no ${program} in ORCH_TEST_ETCD_BIN=${folder}: name a folder with both`);
}

function folderOf(release) {
  if (!/^\d+\.\d+(\.\d+)?$/.test(release))
    throw new Error(`ORCH_TEST_ETCD_VERSION=${release} is no release: write it as 3.5 or 3.5.16`);
  const place = placeOf(release);
  if (hasRelease(place, release)) return place;
  if (fromDebian(release, place, suites) || fromGoModules(release, place)) return place;
  throw new Error(
    `no etcd ${release} found: Debian's suites have none for this machine, and Go modules could not be built ` +
      '(they need go on PATH); name a folder that has its programs with ORCH_TEST_ETCD_BIN',
  );
}

function placeOf(release) {
  return join(local, 'etcd', release);
}

function fromDebian(release, place, from) {
  return from.some((suite) => {
    takePrograms(['etcd-server', 'etcd-client'], suite, place);
    return hasRelease(place, release);
  });
}

/** Of the release's newest patch, or of exactly that one. */
function fromGoModules(release, place) {
  if (findProgram('go') === undefined) return false;
  const folder = mkdtempSync(join(tmpdir(), 'orch-etcd-build-'));
  const programs = { etcd: 'server', etcdctl: 'etcdctl', etcdutl: 'etcdutl' };
  const modules = Object.values(programs).map((name) => `go.etcd.io/etcd/${name}/v3`);
  const go = (title, ...args) => tryStep(title, 'go', args, { cwd: folder });
  try {
    say(`building etcd ${release} out of Go modules takes minutes`);
    return (
      go('Go module made', 'mod', 'init', 'orch-test-etcd') &&
      go(`etcd ${release} fetched`, 'get', ...modules.map((name) => `${name}@v${release}`)) &&
      Object.keys(programs).every((name, i) =>
        go(`${name} ${release} built`, 'build', '-trimpath', '-o', join(place, name), modules[i]),
      ) &&
      hasRelease(place, release)
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether the programs there run, and are of that release. */
function hasRelease(folder, release) {
  return isOfRelease([join(folder, 'etcd'), join(folder, 'etcdctl')], release);
}

function isOfRelease(programs, release) {
  return programs.map(versionOf).every((version) => `${version}.`.startsWith(`${release}.`));
}

/** The version of etcd or etcdctl; undefined if it is not there or does not run. */
function versionOf(program) {
  if (program === undefined || !isExecutable(program)) return undefined;
  const args = program.endsWith('ctl') ? ['version'] : ['--version'];
  const env = { ...process.env, ETCDCTL_API: '3' };
  const { stdout } = spawnSync(program, args, { encoding: 'utf8', timeout: 10_000, env });
  return /^(?:etcd Version|etcdctl version): (\d+\.\d+\.\d+)/.exec(stdout ?? '')?.[1];
}
