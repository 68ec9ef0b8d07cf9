/** Running programs: quietly for set-up steps, in the foreground for what the user asked for. */
import { spawn, spawnSync } from 'node:child_process';
import { dirname, delimiter, join } from 'node:path';
import { local, pinnedNode, root } from './paths.mjs';

/** One line per set-up step. */
export function say(text) {
  console.error(`orch-apiserver: ${text}`);
}

/** Runs a set-up step; its output is shown only when it fails. @throws Error that names the step */
export function step(title, program, args, options = {}) {
  const started = Date.now();
  const result = spawnSync(program, args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28, ...options });
  if (result.status === 0) {
    say(`${title} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
    return;
  }
  console.error(`${result.stdout ?? ''}${result.stderr ?? ''}`);
  throw new Error(
    `${title} failed: ${result.error?.message ?? `${program} ended with code ${result.status}`}`,
  );
}

/** Environment in which the pinned Node and `.orch/bin` come first. */
export function environment(extra = {}) {
  const path = [dirname(pinnedNode()), join(local, 'bin'), process.env.PATH ?? ''].join(delimiter);
  return { ...process.env, PATH: path, ...extra };
}

/**
 * Runs a program with this terminal and resolves with its exit code. Ctrl-C reaches the child through the
 * terminal; SIGTERM is handed on; either way the child's own clean end is waited for.
 */
export function foreground(program, args, extra = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: root, stdio: 'inherit', env: environment(extra) });
    const ignore = () => undefined;
    const forward = () => child.kill('SIGTERM');
    process.on('SIGINT', ignore);
    process.on('SIGTERM', forward);
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      process.off('SIGINT', ignore);
      process.off('SIGTERM', forward);
      resolve(signal === null ? code : 128);
    });
  });
}
