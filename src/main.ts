/** The process: keeps compiled code between starts, then hands over to the command line. */
import { enableCompileCache } from 'node:module';

enableCompileCache();
const { runCli } = await import('./cli/program.ts');
process.exitCode = await runCli(process.argv.slice(2));
