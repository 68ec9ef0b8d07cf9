/** The pinned Node must not only be there but run: its binary wants a library that small Debian images lack. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { installPackage, isRoot, unpackLibrary } from './debian.mjs';
import { findProgram, local, pinnedNode } from './paths.mjs';
import { say } from './run.mjs';

const library = { file: 'libatomic.so.1', package: 'libatomic1' };

/** @throws Error with the remedy */
export function ensureNodeRuns() {
  useUnpackedLibraries();
  if (nodeError() === undefined) return;
  bringLibrary();
  useUnpackedLibraries();
  const error = nodeError();
  if (error === undefined) return;
  throw new Error(`${pinnedNode()} does not run: ${error}; install ${library.package} and run this again`);
}

/** What it says instead of its version. */
function nodeError() {
  const { status, error, stderr } = spawnSync(pinnedNode(), ['--version'], { encoding: 'utf8' });
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
}

function bringLibrary() {
  if (process.platform !== 'linux' || findProgram('apt-get') === undefined) return;
  try {
    if (isRoot()) installPackage(library.package);
    else unpackLibrary(library.file, library.package);
  } catch (error) {
    say(error.message);
  }
}

/** What is started from here finds them too. */
function useUnpackedLibraries() {
  const folder = join(local, 'lib');
  const known = (process.env.LD_LIBRARY_PATH ?? '').split(delimiter).filter((name) => name !== '');
  if (existsSync(folder) && !known.includes(folder))
    process.env.LD_LIBRARY_PATH = [...known, folder].join(delimiter);
}
