/** The flags of `serve` that choose admission plugins. */
import type { FlagDefinition } from './flag-definition.ts';

export const admissionFlags = [
  {
    name: 'admission-control-config-file',
    value: 'FILE',
    default: '',
    description: 'AdmissionConfiguration (YAML) with what plugins are told; EventRateLimit needs its limits',
  },
  {
    name: 'disable-admission-plugins',
    value: 'NAMES',
    default: '',
    description: 'admission plugins that are on by default and shall not be',
    repeatable: true,
  },
  {
    name: 'enable-admission-plugins',
    value: 'NAMES',
    default: '',
    description: 'admission plugins to ask beside those that are on by default; their order is fixed',
    repeatable: true,
  },
] as const satisfies readonly FlagDefinition[];
