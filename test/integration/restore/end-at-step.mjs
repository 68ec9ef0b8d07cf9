/**
 * Loaded into `restore` or `backup` by NODE_OPTIONS: counts the steps that change files or start programs, and ends the
 * process before one of them, or lets the file system refuse it.
 *
 *   END_AT_STEP=12 kills it before its twelfth step; FAIL_AT_STEP=12 says ENOSPC at the twelfth that needs room;
 *   STEPS_FILE gets a line for each of these
 *   KEEP_NAMED=x says EIO to the removal of a path that ends with x
 */
import { appendFileSync, existsSync, promises, statSync } from 'node:fs';
import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';

const { END_AT_STEP: endAt, FAIL_AT_STEP: failAt, STEPS_FILE: stepsFile, KEEP_NAMED: kept } = process.env;
let steps = 0;
let roomy = 0;

const noRoom = () => Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });

/** Whether a full disk refuses it. */
function isRefused(name, path) {
  roomy += 1;
  if (stepsFile) appendFileSync(stepsFile, `${name} ${path}\n`);
  return String(roomy) === failAt;
}

/** @param needsRoom whether a full disk can refuse it */
function counted(holder, name, needsRoom, isStep = () => true) {
  const original = holder[name];
  holder[name] = (...args) => {
    if (!isStep(String(args[0]))) return original.call(holder, ...args);
    steps += 1;
    if (String(steps) === endAt) process.kill(process.pid, 'SIGKILL');
    if (needsRoom && isRefused(name, String(args[0]))) return Promise.reject(noRoom());
    return original.call(holder, ...args);
  };
}

/** A folder is opened to put its names on the disk. */
const isFolder = (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

for (const name of ['mkdir', 'mkdtemp', 'rename', 'writeFile']) counted(promises, name, true);
counted(promises, 'open', true, isFolder);
counted(promises, 'rm', false);
if (kept) {
  const { rm } = promises;
  const broken = () => Object.assign(new Error('EIO: i/o error, rm'), { code: 'EIO' });
  promises.rm = (path, options) =>
    String(path).endsWith(kept) && existsSync(path) ? Promise.reject(broken()) : rm(path, options);
}
for (const name of ['spawn', 'execFile']) counted(childProcess, name, false);
syncBuiltinESMExports();
