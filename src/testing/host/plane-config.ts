/** The configuration of a control plane, from its flags. */
import { StartError } from '../../base/start-error.ts';
import { completeConfig, type CompletedConfig } from '../../options/complete-config.ts';
import { configFromFlags } from '../../options/config-from-flags.ts';
import type { FlagTexts } from '../../options/serve-flags.ts';
import { checkFlagNames } from './flag-names.ts';

/** @throws StartError with all faults at once */
export async function configOf(flags: FlagTexts, prefix: string | undefined): Promise<CompletedConfig> {
  checkFlagNames(flags);
  const { config, errors } = await configFromFlags({
    ...flags,
    ...(prefix !== undefined && { 'etcd-prefix': prefix }),
  });
  const { completed, errors: fileErrors } = await completeConfig(config);
  const all = [...errors, ...fileErrors];
  if (all.length > 0) throw new StartError(all);
  return completed;
}
