/**
 * Ends processes that have worked on one test file for too long: Jest's own limits need a thread that is free, and a
 * loop without end holds the suite up until nobody knows where.
 */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { clearInterval, setInterval } from 'node:timers';
import { promisify } from 'node:util';
import { inRoot, pinnedNode } from './paths.mjs';

/** No file takes half of it on a slow machine. */
const fileLimitMs = 10 * 60_000;
const stackLimitMs = 60_000;

/**
 * @param folder a file for each process that works on a test file: its name is the process's number, its content the path
 * @param hung called with a line for each file that hung: its path, and where the process was
 * @returns the function that ends the watch, and resolves once nothing of it is at work
 */
export function endHangingFiles(folder, hung, { limitMs = fileLimitMs, everyMs = 5_000 } = {}) {
  let look = Promise.resolve();
  const timer = setInterval(() => {
    look = look.then(() => lookOnce(folder, limitMs, hung));
  }, everyMs);
  return async () => {
    clearInterval(timer);
    await look;
  };
}

async function lookOnce(folder, limitMs, hung) {
  for (const name of readdirSync(folder)) {
    const note = noteOf(join(folder, name));
    if (note === undefined || note.ageMs < limitMs) continue;
    const stack = await stackOf(name);
    rmSync(join(folder, name), { force: true });
    if (endProcess(Number(name))) hung(`${note.path}, for ${Math.round(note.ageMs / 1_000)} s: ${stack}`);
  }
}

/** Undefined where the process has just ended its file. */
function noteOf(file) {
  try {
    return { path: readFileSync(file, 'utf8'), ageMs: Date.now() - statSync(file).mtimeMs };
  } catch {
    return undefined;
  }
}

function endProcess(pid) {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}

async function stackOf(pid) {
  try {
    const program = [inRoot('deploy/bootstrap/stack-of.mjs'), pid];
    const { stdout } = await promisify(execFile)(pinnedNode(), program, { timeout: stackLimitMs });
    return stdout.trim();
  } catch (error) {
    return `no stack: ${error.message.split('\n', 1)[0]}`;
  }
}
