/** The process: prepares itself, then hands over to the command line. */
import { prepareProcess } from './base/prepare-process.ts';

prepareProcess();
const { runCli } = await import('./cli/program.ts');
process.exitCode = await runCli(process.argv.slice(2));
