/** Whether the npm that runs this script is still there: killed, it tells nobody, and its script gets another parent. */
import { readFileSync } from 'node:fs';

/** Others that inherit these variables may leave us running on purpose. */
const isRunByNpm =
  process.env.npm_lifecycle_event === 'start' && process.env.npm_package_name === 'orch-apiserver';
const parent = process.ppid;
/**
 * npm may have gone before this process could look: npm and its script are in one process group, and whoever takes over
 * orphans, such as init, is in another one.
 */
const wasOrphan = isRunByNpm && isOfAnotherGroup(parent);

/** Whether npm was there, and no longer is. */
export function hasNpmGone() {
  return isRunByNpm && (wasOrphan || process.ppid !== parent);
}

function isOfAnotherGroup(pid) {
  const [theirs, ours] = [groupOf(pid), groupOf(process.pid)];
  return theirs !== undefined && theirs !== ours;
}

/** undefined where the system does not tell. The name of a program stands in brackets and may hold anything. */
function groupOf(pid) {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return line.slice(line.lastIndexOf(')') + 2).split(' ')[2];
  } catch {
    return undefined;
  }
}
