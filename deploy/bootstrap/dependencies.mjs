/** node_modules as package-lock.json says, with the pinned Node in it. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { inRoot, isExecutable, pinnedNode } from './paths.mjs';
import { step } from './run.mjs';

const stamp = inRoot('node_modules', '.orch-setup');
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

/** Installs when node_modules is missing or belongs to another lock file. @throws Error with the remedy */
export function ensureDependencies() {
  const wanted = createHash('sha256')
    .update(readFileSync(inRoot('package-lock.json')))
    .digest('hex');
  const present = existsSync(stamp) ? readFileSync(stamp, 'utf8') : '';
  if (present === wanted && isExecutable(pinnedNode())) return;
  step('dependencies installed', npm, ['ci', '--no-audit', '--no-fund']);
  // The package `node` brings its binary by an install script, which some npm settings withhold.
  if (!isExecutable(pinnedNode())) step('Node installed', npm, ['rebuild', 'node', '--ignore-scripts=false']);
  if (!isExecutable(pinnedNode())) {
    throw new Error(
      `${pinnedNode()} is missing: allow install scripts of the package "node" (npm config ignore-scripts) and run this again`,
    );
  }
  writeFileSync(stamp, wanted);
}
