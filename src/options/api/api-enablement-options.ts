/** API enablement flags → configuration. */
import type { ControllerName } from '../../controllers/controller-names.ts';
import { currentRelease, releaseText } from '../../observe/release.ts';
import { FlagReader, type FlagErrors, type FlagValues } from '../flag-reader.ts';
import {
  apiEnablementFlags,
  type ApiEnablementConfig,
  type ApiEnablementFlags,
} from './api-enablement-flags.ts';

/**
 * Without these flags, all versions that controllers need are served (checked by a test) and the catalogue is not
 * loaded: the supervisor process does not need it.
 */
export async function readApiEnablement(
  texts: FlagValues,
  errors: FlagErrors,
  controllers: ReadonlySet<ControllerName>,
): Promise<ApiEnablementConfig> {
  const flags = new FlagReader(apiEnablementFlags, texts, errors);
  const naming = flags.choice('naming', ['orch', 'kubernetes']);
  if (isUsual(flags)) return { naming, emulatedRelease: currentRelease, runtimeConfig: {} };
  const { readServedVersions, checkNeededVersions } = await import('./served-versions.ts');
  const config = { naming, ...readServedVersions(flags, naming) };
  checkNeededVersions(flags, { ...config, controllers });
  return config;
}

function isUsual(flags: ApiEnablementFlags): boolean {
  const isCurrent = flags.text('emulated-release') === releaseText(currentRelease);
  return flags.text('runtime-config') === '' && isCurrent;
}
