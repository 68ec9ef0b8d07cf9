/** Controller flags of `serve`. */
import {
  chooseControllers,
  controllerNames,
  type ControllerName,
} from '../../controllers/controller-names.ts';
import type { FlagDefinition } from '../flag-definition.ts';
import { FlagReader, type FlagErrors, type FlagValues } from '../flag-reader.ts';

export const unusedTokensFlag = {
  name: 'legacy-service-account-token-clean-up-period',
  value: 'DURATION',
  default: '8760h',
  description:
    'How long the token of a Secret may be unused before it counts no more, and how long its Secret is then kept (from release 1.29 on).',
} as const satisfies FlagDefinition;

export const controllerFlags = [
  {
    name: 'controllers',
    value: 'NAMES',
    default: '*',
    description:
      'A list of controllers to run beside the API. * enables all, NAME enables the controller of that name, -NAME disables it.',
    repeatable: true,
  },
  {
    name: 'enable-garbage-collector',
    value: '',
    default: 'true',
    description:
      'Enables garbage collection of dependents after a deletion. The garbage collector must then run in some process.',
  },
  unusedTokensFlag,
] as const satisfies readonly FlagDefinition[];

export interface ControllerConfig {
  /** Controllers that this process runs while it is the leader. */
  readonly controllers: ReadonlySet<ControllerName>;
  readonly collectsGarbage: boolean;
  /** How long tokens of Secrets may be unused. */
  readonly unusedTokensMs: number;
}

export function readControllers(texts: FlagValues, errors: FlagErrors): ControllerConfig {
  const flags = new FlagReader(controllerFlags, texts, errors);
  return {
    controllers: readNames(flags),
    collectsGarbage: flags.boolean('enable-garbage-collector'),
    unusedTokensMs: readUnusedTokens(flags),
  };
}

/** A period of nothing would end every token at once. */
export function readUnusedTokens(flags: FlagReader<(typeof unusedTokensFlag)['name']>): number {
  const { name } = unusedTokensFlag;
  const ms = flags.duration(name);
  if (ms === 0) flags.invalid(name, 'give a time over 0');
  return ms;
}

/** The names that `--controllers` chooses. */
export function readNames(flags: FlagReader<'controllers'>): ReadonlySet<ControllerName> {
  const { names, unknown } = chooseControllers(flags.list('controllers'));
  const remedy = `use *, or names of ${controllerNames.join(', ')}`;
  for (const word of unknown) flags.add(`flag --controllers names ${JSON.stringify(word)}`, remedy);
  return names;
}
