/** Lays out what the image of etcd is built from: the installed binary and the shared libraries that it needs. */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { etcdBinary } from '../../paths.ts';

const run = promisify(execFile);

/** Fills `folder` with `Dockerfile` and `root/`. */
export async function layOutBuildContext(folder: string): Promise<void> {
  const root = join(folder, 'root');
  await copyProgram(root, etcdBinary(), '/usr/local/bin/etcd');
  await mkdir(join(root, 'tmp'), { recursive: true });
  await copyFile(join(import.meta.dirname, 'Dockerfile'), join(folder, 'Dockerfile'));
}

/** Copies a program of this machine, with its shared libraries. */
export async function copyProgram(root: string, program: string, to: string): Promise<void> {
  const binary = await realpath(program);
  await copyInto(root, binary, to);
  for (const library of await sharedLibraries(binary)) await copyInto(root, library, library);
}

/** The paths that `ldd` prints, loader included; none for a static binary. */
async function sharedLibraries(binary: string): Promise<string[]> {
  try {
    const { stdout } = await run('ldd', [binary]);
    return [...stdout.matchAll(/(\/\S+) \(0x/g)].map((match) => match[1] ?? '');
  } catch {
    return [];
  }
}

async function copyInto(root: string, from: string, to: string): Promise<void> {
  const target = join(root, to);
  await mkdir(dirname(target), { recursive: true });
  await copyFile(from, target);
}
