/** node_modules as package-lock.json says, with the pinned Node in it. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { inRoot, isExecutable, pinnedNode } from './paths.mjs';
import { ensureNodeRuns } from './pinned-node.mjs';
import { step, tryStep } from './run.mjs';

const stamp = inRoot('node_modules', '.orch-setup');
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

/** Installs when node_modules is missing or belongs to another lock file. @throws Error with the remedy */
export function ensureDependencies() {
  const wanted = createHash('sha256')
    .update(readFileSync(inRoot('package-lock.json')))
    .digest('hex');
  const present = existsSync(stamp) ? readFileSync(stamp, 'utf8') : '';
  if (present === wanted && isExecutable(pinnedNode())) {
    ensureNodeRuns();
    return;
  }
  step('dependencies installed', npm, ['ci', '--include=dev', '--no-audit', '--no-fund']);
  ensureNode();
  ensureNodeRuns();
  writeFileSync(stamp, wanted);
}

/** The package `node` brings its binary by an install script, which some npm settings withhold. */
function ensureNode() {
  if (isExecutable(pinnedNode())) return;
  const cwd = inRoot('node_modules', 'node');
  const env = { ...process.env, npm_config_ignore_scripts: 'false' };
  tryStep('pinned Node installed', process.execPath, ['installArchSpecificPackage.js'], { cwd, env });
  if (isExecutable(pinnedNode())) return;
  throw new Error(
    `no Node at ${pinnedNode()}: the package "node" has no binary for ${process.platform}-${process.arch}, ` +
      'or npm cannot fetch it; check `npm ping`, remove node_modules and run this again',
  );
}
