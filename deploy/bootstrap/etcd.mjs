/** An etcd binary: on PATH, in `.orch/bin`, or brought from Debian's packages. */
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram, local } from './paths.mjs';
import { installPackages, isRoot } from './apt.mjs';
import { step } from './run.mjs';

/** @throws Error with the remedy where no etcd can be had */
export function ensureEtcd() {
  if (findProgram('etcd')) return;
  if (!findProgram('apt-get')) throw noEtcd();
  if (isRoot()) installPackages('etcd installed', ['etcd-server']);
  else unpackEtcd();
  if (!findProgram('etcd')) throw noEtcd();
}

function noEtcd() {
  return new Error(
    'no etcd found: put an etcd binary (3.4 or newer) on PATH or into .orch/bin, or give --etcd-servers',
  );
}

/** Without root: the package is fetched and unpacked, not installed. */
function unpackEtcd() {
  const folder = mkdtempSync(join(tmpdir(), 'orch-etcd-'));
  try {
    step('etcd fetched', 'apt-get', ['download', 'etcd-server'], { cwd: folder });
    const archive = readdirSync(folder).find((name) => name.endsWith('.deb'));
    step('etcd unpacked', 'dpkg', ['-x', join(folder, archive ?? ''), folder]);
    mkdirSync(join(local, 'bin'), { recursive: true });
    copyFileSync(join(folder, 'usr', 'bin', 'etcd'), join(local, 'bin', 'etcd'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
