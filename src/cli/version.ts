/** `version`: prints the version. */
import { printResult, type CliIo } from './io.ts';

export async function runVersion(io: CliIo): Promise<number> {
  const { serviceVersion } = await import('../server/service-version.ts');
  const { gitVersion, platform } = serviceVersion();
  return printResult(io, `orch-apiserver ${gitVersion} (Node ${process.version}, ${platform})`);
}
