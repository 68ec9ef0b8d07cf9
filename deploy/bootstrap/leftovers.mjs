/** Processes that a test stage started and did not stop; they are ended, and the stage fails for them. */
import { readdirSync, readFileSync } from 'node:fs';

/** Ends every process that carries the run's mark. @returns a line for each */
export function endLeftovers(run) {
  return processes()
    .filter((pid) => environmentOf(pid).includes(`ORCH_TEST_RUN=${run}\0`))
    .map((pid) => {
      const line = `${pid} ${commandOf(pid)}`;
      kill(pid);
      return line;
    });
}

function processes() {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  } catch {
    return [];
  }
}

function environmentOf(pid) {
  return read(`/proc/${pid}/environ`) + '\0';
}

function commandOf(pid) {
  return read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').slice(0, 120);
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
