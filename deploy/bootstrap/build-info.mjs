/** What `/version` says of a build: the commit of its sources and when it was made. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes `build.json` if it would say something else.
 * @param isNew the build was just made
 */
export function recordBuild(folder, { file, isNew, environment = process.env }) {
  const known = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  const source = sourceState(folder, environment);
  const isSame = known?.gitCommit === source.gitCommit && known?.gitTreeState === source.gitTreeState;
  if (isSame && !isNew) return;
  const buildDate = isNew || !known ? new Date().toISOString().replace(/\.\d+Z$/, 'Z') : known.buildDate;
  // A process that starts meanwhile reads the old text or the new one.
  writeFileSync(`${file}.new`, `${JSON.stringify({ ...source, buildDate })}\n`);
  renameSync(`${file}.new`, file);
}

/** Of the clone; where there is none (an image), as GIT_COMMIT and GIT_TREE_STATE say; empty if nothing does. */
function sourceState(folder, environment) {
  const { GIT_COMMIT: gitCommit = '', GIT_TREE_STATE: gitTreeState = '' } = environment;
  if (gitCommit !== '' || !existsSync(join(folder, '.git'))) return { gitCommit, gitTreeState };
  try {
    const commit = git(folder, 'rev-parse', 'HEAD');
    return {
      gitCommit: commit,
      gitTreeState: git(folder, 'status', '--porcelain') === '' ? 'clean' : 'dirty',
    };
  } catch {
    return { gitCommit, gitTreeState };
  }
}

function git(folder, ...words) {
  const stdio = ['ignore', 'pipe', 'ignore'];
  return execFileSync('git', words, { cwd: folder, encoding: 'utf8', stdio, timeout: 10_000 }).trim();
}
