/**
 * Runs a program of a set-up step, and ends it when the process that waits for it is gone: that one waits without a look
 * at signals, so it dies of them at once, and the step would go on for up to minutes.
 *
 *   node step-guard.mjs PID-OF-WHO-WAITS PROGRAM [ARGUMENT ...]
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { setInterval } from 'node:timers';

const lookMs = 200;
/** As shells say it of a program that cannot be run. */
const notFound = 127;

const [waiting, program = '', ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: 'inherit' });
child.on('error', (error) => {
  console.error(error.message);
  process.exit(notFound);
});
child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
setInterval(() => {
  if (process.ppid !== Number(waiting)) child.kill('SIGTERM');
}, lookMs);
