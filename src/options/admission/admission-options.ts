/** Admission flags: which plugins are enabled, and the file that configures them. */
import {
  admissionPluginNames,
  choosePlugins,
  pluginNamesOf,
  type AdmissionPluginName,
} from '../../admission/plugin-names.ts';
import { createFeatureGates } from '../../observe/feature-gates.ts';
import { featuresOf } from '../../observe/release-gates.ts';
import type { Release } from '../../observe/release.ts';
import type { AuthorizationMode } from '../authorization-options.ts';
import type { FeatureConfig } from '../feature-options.ts';
import type { FlagDefinition } from '../flag-definition.ts';
import { FlagReader, type FlagErrors, type FlagValues } from '../flag-reader.ts';

export const admissionFlags = [
  {
    name: 'admission-control-config-file',
    value: 'FILE',
    default: '',
    description:
      'File with admission control configuration (AdmissionConfiguration, YAML). Required by EventRateLimit and ImagePolicyWebhook.',
  },
  {
    name: 'default-not-ready-toleration-seconds',
    value: 'SECONDS',
    default: '300',
    description:
      'How long pods stay on a node that is not ready, unless they tolerate that otherwise (admission plugin DefaultTolerationSeconds).',
  },
  {
    name: 'default-unreachable-toleration-seconds',
    value: 'SECONDS',
    default: '300',
    description:
      'How long pods stay on a node that cannot be reached, unless they tolerate that otherwise (admission plugin DefaultTolerationSeconds).',
  },
  {
    name: 'disable-admission-plugins',
    value: 'NAMES',
    default: '',
    description:
      'Admission plugins that should be disabled although they are enabled by default. Comma-separated.',
    repeatable: true,
  },
  {
    name: 'enable-admission-plugins',
    value: 'NAMES',
    default: '',
    description:
      'Admission plugins that should be enabled in addition to the default ones. Comma-separated; the order does not matter.',
    repeatable: true,
  },
] as const satisfies readonly FlagDefinition[];

export interface AdmissionConfig {
  /** '' if no plugin is configured. */
  readonly configFile: string;
  readonly plugins: ReadonlySet<AdmissionPluginName>;
  /** Those where nodes are authorized as such: without NodeRestriction, they would write what is not theirs. */
  readonly pluginsWithNodes: ReadonlySet<AdmissionPluginName>;
  /** Of DefaultTolerationSeconds, in seconds. */
  readonly tolerations: { readonly notReady: number; readonly unreachable: number };
}

const mostSeconds = 1_000_000_000;

/** Plugins that cannot be enabled without a configuration. */
export const requiredConfigurations = ['EventRateLimit', 'ImagePolicyWebhook'] as const;

/** Plugins that cannot be enabled without the gate of their name. */
const gatedPlugins = ['SecurityContextDeny'] as const;

const enable = 'enable-admission-plugins';
const file = 'admission-control-config-file';
const disable = 'disable-admission-plugins';

/**
 * @param modes of authorization: without NodeRestriction, the mode Node would let nodes write what is not theirs
 */
export function readAdmission(
  texts: FlagValues,
  errors: FlagErrors,
  {
    modes,
    featureGates,
    emulatedRelease,
  }: FeatureConfig & { readonly modes: readonly AuthorizationMode[]; readonly emulatedRelease: Release },
): AdmissionConfig {
  const flags = new FlagReader(admissionFlags, texts, errors);
  const { minor } = emulatedRelease;
  // What no release has can be disabled nowhere, what another release has is not there anyway.
  const [enabled, disabled] = [
    names(flags, enable, pluginNamesOf(minor)),
    names(flags, disable, admissionPluginNames),
  ];
  for (const name of enabled.filter((word) => disabled.includes(word)))
    flags.add(`flags --${enable} and --${disable} both name ${name}`, 'enable or disable it, not both');
  const pluginsWithNodes = choosePlugins([...enabled, 'NodeRestriction'], disabled, minor);
  const plugins = modes.includes('Node') ? pluginsWithNodes : choosePlugins(enabled, disabled, minor);
  for (const name of requiredConfigurations.filter((one) => plugins.has(one) && !flags.isGiven(file)))
    flags.add(
      `flag --${enable} names ${name}, which has no configuration`,
      `configure it in the file of --${file}`,
    );
  const gates = createFeatureGates(featureGates, featuresOf(emulatedRelease));
  for (const name of gatedPlugins.filter((one) => enabled.includes(one) && !gates.isEnabled(one)))
    flags.conflict(`flag --${enable} names ${name}`, `enable the feature gate ${name}, too`);
  const tolerations = {
    notReady: flags.integer('default-not-ready-toleration-seconds', 0, mostSeconds),
    unreachable: flags.integer('default-unreachable-toleration-seconds', 0, mostSeconds),
  };
  return { configFile: flags.text(file), plugins, pluginsWithNodes, tolerations };
}

function names(
  flags: FlagReader<typeof enable | typeof disable>,
  flag: typeof enable | typeof disable,
  known: readonly AdmissionPluginName[],
): AdmissionPluginName[] {
  const isKnown = (word: string): word is AdmissionPluginName => known.some((name) => name === word);
  const words = flags.list(flag);
  const remedy = `use one of ${known.join(', ')}`;
  for (const word of words.filter((w) => !isKnown(w)))
    flags.add(`flag --${flag} names ${JSON.stringify(word)}`, remedy);
  return words.filter(isKnown);
}
