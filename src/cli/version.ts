/** `version`: prints the version. */
import type { CliIo } from './io.ts';

export async function runVersion(io: CliIo): Promise<number> {
  const { serviceVersion } = await import('../server/service-version.ts');
  const { gitVersion, platform } = serviceVersion();
  io.out(`orch-apiserver ${gitVersion} (Node ${process.version}, ${platform})`);
  return 0;
}
