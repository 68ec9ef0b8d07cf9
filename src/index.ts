/** The library face: a replica inside another program. */
export { configFromFlags } from './cli/config-from-flags.ts';
export type { FlagTexts } from './cli/flag-reader.ts';
export { completeConfig, type CompletedConfig } from './server/complete.ts';
export type { ServerConfig } from './server/config.ts';
export { faultCodes, StartError, type Fault, type FaultCode } from './server/faults.ts';
export { runServer, type RunOptions } from './server/run.ts';
