/**
 * A file system of a given size, to be filled: a tmpfs in a mount namespace of its own, which ends with the process that
 * holds it. Others reach it by that process in /proc.
 */
import { spawnSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Child } from './child-process.ts';
import { findProgram } from './paths.ts';
import { makeTempFolder } from './temp-folder.ts';
import { waitFor } from './wait-for.ts';

export interface SmallDisk extends AsyncDisposable {
  readonly path: string;
  /** Leaves no room on it. */
  fill(): Promise<void>;
  /** Takes away what `fill` has put there. */
  makeRoom(): Promise<void>;
}

/** As root, and as a user who may be root of a namespace of users. */
const ways = [['--mount'], ['--mount', '--map-root-user']];

const mountAndHold = (megabytes: number, then: string): string =>
  `mount -t tmpfs -o size=${String(megabytes)}m tmpfs "$0" && ${then}`;

/** The arguments of `unshare` that may mount here; undefined if nothing may. */
export function wayToMount(): readonly string[] | undefined {
  const unshare = findProgram('unshare');
  if (unshare === undefined) return undefined;
  const isAllowed = (way: readonly string[]): boolean =>
    spawnSync(unshare, [...way, 'sh', '-c', mountAndHold(1, 'true'), '/mnt']).status === 0;
  return ways.find(isAllowed);
}

/** @param way what `wayToMount` gave */
export async function mountSmallDisk(way: readonly string[], megabytes: number): Promise<SmallDisk> {
  const folder = await makeTempFolder('disk');
  const script = mountAndHold(megabytes, 'echo mounted && exec sleep infinity');
  const args = [...way, 'sh', '-c', script, folder.path];
  const holder = await Child.start({ name: 'small disk', program: 'unshare', args });
  const dispose = async (): Promise<void> => {
    await holder.kill();
    await folder.remove();
  };
  try {
    await waitFor('the mount', () => holder.output().includes('mounted'), { details: () => holder.output() });
  } catch (error) {
    await dispose();
    throw error;
  }
  const path = join('/proc', String(holder.pid), 'root', folder.path);
  const ballast = join(path, 'ballast');
  return {
    path,
    fill: async () => {
      await pipeline(endlessly, createWriteStream(ballast)).catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      });
    },
    makeRoom: () => rm(ballast),
    [Symbol.asyncDispose]: dispose,
  };
}

function* endlessly(): Generator<Buffer> {
  const bytes = Buffer.alloc(1024 * 1024);
  for (;;) yield bytes;
}
