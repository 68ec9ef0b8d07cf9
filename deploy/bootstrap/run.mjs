/** Running programs: quietly for set-up steps, in the foreground for what the user asked for. */
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { clearInterval, setInterval } from 'node:timers';
import { hasNpmGone } from './npm-parent.mjs';
import { inRoot, local, pinnedNode, root } from './paths.mjs';

/** One line per set-up step. */
export function say(text) {
  console.error(`orch-apiserver: ${text}`);
}

/** Runs a set-up step; its output is shown only when it fails. @throws Error that names the step */
export function step(title, program, args, options = {}) {
  const { error, output } = timed(title, program, args, options);
  if (error === undefined) return;
  console.error(output.trimEnd());
  throw new Error(`not ${title}: ${error}, see above`);
}

/** Runs a set-up step for which there is another way when it fails. @returns whether it went well */
export function tryStep(title, program, args, options = {}) {
  return timed(title, program, args, options).error === undefined;
}

function timed(title, program, args, options) {
  const started = Date.now();
  const { status, error, output } = capture(program, args, options);
  if (status !== 0) return { error: error?.message ?? `${program} ended with code ${status}`, output };
  say(`${title} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
  return { output };
}

/**
 * Output goes through a file, not a pipe: a package's install script may start a service, which would keep a pipe
 * open and hold us up for as long as it runs.
 */
function capture(program, args, options) {
  const folder = mkdtempSync(join(tmpdir(), 'orch-step-'));
  const file = join(folder, 'output');
  const out = openSync(file, 'w');
  try {
    const guarded = [inRoot('deploy/bootstrap/step-guard.mjs'), String(process.pid), program, ...args];
    const { status, error } = spawnSync(process.execPath, guarded, {
      cwd: root,
      ...options,
      stdio: ['ignore', out, out],
    });
    return { status, error, output: readFileSync(file, 'utf8') };
  } finally {
    closeSync(out);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Environment in which the pinned Node comes first, and `.orch/bin` last: a program of the machine's wins. */
export function environment(extra = {}) {
  const path = [dirname(pinnedNode()), process.env.PATH ?? '', join(local, 'bin')].join(delimiter);
  return { ...process.env, PATH: path, ...extra };
}

/**
 * Runs a program with this terminal and resolves with its exit code (128 + n when signal n ended it), after its
 * own clean end however often Ctrl-C is pressed. With `limitMs` it is killed when it takes longer. With `channel` it
 * has Node's channel to us, whose end says that we are gone, for signals that nobody can hand on. With `output`, a file
 * descriptor, it writes there instead of to the terminal.
 */
export function foreground(program, args, { env = {}, limitMs, channel = false, output = 'inherit' } = {}) {
  if (hasNpmGone()) return Promise.resolve(128 + constants.signals.SIGTERM);
  return new Promise((resolve, reject) => {
    const stdio = ['inherit', output, output, ...(channel ? ['ipc'] : [])];
    const child = spawn(program, args, { cwd: root, stdio, env: environment(env) });
    const release = passSignalsTo(child);
    const limit = limitMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), limitMs);
    const settle = (end) => (value) => {
      release();
      clearTimeout(limit);
      end(value);
    };
    child.on('error', settle(reject));
    child.on('exit', (code, signal) => settle(resolve)(code ?? 128 + constants.signals[signal]));
  });
}

/** Signals that somebody sent to us alone are handed on. @returns the function that ends it */
function passSignalsTo(child) {
  const handlers = {
    // A terminal sends Ctrl-C to the child as well, which must not get it twice.
    SIGINT: () => process.stdin.isTTY || child.kill('SIGINT'),
    SIGTERM: () => child.kill('SIGTERM'),
    SIGHUP: () => child.kill('SIGHUP'),
  };
  for (const [signal, handler] of Object.entries(handlers)) process.on(signal, handler);
  const npm = endWithNpm(child);
  return () => {
    clearInterval(npm);
    for (const [signal, handler] of Object.entries(handlers)) process.off(signal, handler);
  };
}

function endWithNpm(child) {
  const look = setInterval(() => {
    if (!hasNpmGone()) return;
    clearInterval(look);
    child.kill('SIGTERM');
  }, 1_000);
  return look;
}
