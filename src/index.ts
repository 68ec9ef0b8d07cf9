/** The library face: a replica inside another program. */
import './base/older-node.ts';
export { configFromFlags } from './options/config-from-flags.ts';
export type { FlagTexts } from './options/serve-flags.ts';
export { completeConfig, type CompletedConfig } from './options/complete-config.ts';
export type { ServerConfig } from './options/server-config.ts';
export {
  startErrorCodes,
  StartError,
  type StartErrorDetail,
  type StartErrorCode,
} from './base/start-error.ts';
export { runServer, type RunOptions } from './server/run.ts';
export type { ExtendExpress } from './http/express-shell.ts';
