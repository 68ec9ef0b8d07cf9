/** Flags that a control plane of tests is given. */
import { StartError } from '../../base/start-error.ts';
import { takenFlags, type FlagTexts } from '../../options/serve-flags.ts';

/** @throws StartError with all names that the service does not know */
export function checkFlagNames(flags: FlagTexts): void {
  const unknown = Object.keys(flags).filter((name) => !takenFlags.some((flag) => flag.name === name));
  if (unknown.length === 0) return;
  throw new StartError(
    unknown.map((name) => ({
      code: 'FLAG_UNKNOWN',
      cause: `there is no flag --${name}`,
      remedy: '`npx orch-apiserver --help` lists all',
    })),
  );
}
