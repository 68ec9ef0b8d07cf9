/** `version`: what this is. */
import { serviceVersion } from '../server/version.ts';
import type { CliIo } from './io.ts';

export function runVersion(io: CliIo): number {
  const { gitVersion, nodeVersion, platform } = serviceVersion();
  io.out(`orch-apiserver ${gitVersion} (Node ${nodeVersion}, ${platform})`);
  return 0;
}
