/** Where a command writes; tests give their own. */
import { describeFault, type Fault } from '../server/faults.ts';

export interface CliIo {
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
}

export const processIo: CliIo = {
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
};

/** One line per fault; the exit code of a failed start. */
export function tellFaults(io: CliIo, faults: readonly Fault[]): number {
  for (const fault of faults) io.err(`orch-apiserver: ${describeFault(fault)}`);
  return 1;
}
