/** Admission flags → configuration. */
import {
  admissionPluginNames,
  choosePlugins,
  isAdmissionPluginName,
  type AdmissionPluginName,
} from '../admission/plugin-names.ts';
import type { AdmissionConfig } from '../server/admission/config.ts';
import type { FlagReader } from './flag-reader.ts';

const enable = 'enable-admission-plugins';
const file = 'admission-control-config-file';
const disable = 'disable-admission-plugins';

export function admissionConfig(flags: FlagReader): AdmissionConfig {
  const [enabled, disabled] = [names(flags, enable), names(flags, disable)];
  for (const name of enabled.filter((word) => disabled.includes(word)))
    flags.add(`flags --${enable} and --${disable} both name ${name}`, 'name it in one of them');
  const plugins = choosePlugins(enabled, disabled);
  const limited = 'EventRateLimit';
  if (plugins.has(limited) && !flags.isGiven(file))
    flags.add(
      `flag --${enable} names ${limited}, which has no limits`,
      `give them in a file and name it with --${file}`,
    );
  return { configFile: flags.text(file), plugins };
}

function names(flags: FlagReader, flag: typeof enable | typeof disable): AdmissionPluginName[] {
  const words = flags.list(flag);
  const remedy = `use names of ${admissionPluginNames.join(', ')}`;
  for (const word of words.filter((w) => !isAdmissionPluginName(w)))
    flags.add(`flag --${flag} names ${JSON.stringify(word)}`, remedy);
  return words.filter(isAdmissionPluginName);
}
