/** Processes that a test suite started and did not stop; they are ended, and the suite fails for them. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Ends every process that carries the run's mark in its environment.
 * @param graceMs what a stopped process may take to be gone, on a busy machine too
 * @returns a line for each
 */
export async function endLeftovers(mark, graceMs = 10_000) {
  const deadline = Date.now() + graceMs;
  while (marked(mark).length > 0 && Date.now() < deadline) await sleep(100);
  return marked(mark).map((pid) => {
    const line = `${pid} ${commandOf(pid)}`;
    kill(pid);
    return line;
  });
}

function marked(mark) {
  return processes().filter((pid) => `\0${environmentOf(pid)}`.includes(`\0ORCH_TEST_RUN=${mark}\0`));
}

/** Elsewhere than on Linux there is no /proc, and nothing is found. */
function processes() {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

function environmentOf(pid) {
  return read(`/proc/${pid}/environ`);
}

function commandOf(pid) {
  return read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').slice(0, 120).trim();
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function kill(pid) {
  try {
    process.kill(Number(pid), 'SIGKILL');
  } catch {
    // It ended by itself between the listing and now.
  }
}
