#!/usr/bin/env node
/** The process: prepares itself, then hands over to the command line. */
import './base/older-node.ts';
import { exactNumbersFlag } from './base/exact-numbers.ts';
import { prepareProcess } from './base/prepare-process.ts';

if (exactNumbersFlag === undefined) {
  prepareProcess();
  const { runCli } = await import('./cli/program.ts');
  process.exitCode = await runCli(process.argv.slice(2));
} else {
  const { runAgain } = await import('./base/run-again.ts');
  process.exitCode = await runAgain([exactNumbersFlag]);
}
