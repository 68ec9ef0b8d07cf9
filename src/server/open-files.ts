/** How many files this process and those that it starts may open. */
import { readFileSync } from 'node:fs';
import { StartError } from '../base/start-error.ts';

/** Of etcd (`embed/etcd.go`, `configureClientListeners`); a worker has about 30 before it takes a connection. */
const leastFiles = 150;

/**
 * Refuses a start that would fail later, in words that do not name the limit.
 * @throws StartError `LIMIT_TOO_LOW`
 */
export function refuseFewFiles(): void {
  const limit = openFilesLimit();
  if (limit >= leastFiles) return;
  throw StartError.of(
    'LIMIT_TOO_LOW',
    `only ${limit} files may be open at once, and a start needs ${leastFiles}`,
    'raise the limit (ulimit -n) to 1024 or more',
  );
}

/** Infinity where there is none, or the system does not tell it as a file. Node raises its limit to the hard one. */
function openFilesLimit(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    return Number(/^Max open files +(\d+) /m.exec(limits)?.[1] ?? Infinity);
  } catch {
    return Infinity;
  }
}
