/** Controller flags of `serve`. */
import {
  chooseControllers,
  controllerNames,
  type ControllerName,
} from '../../controllers/controller-names.ts';
import type { FlagDefinition } from '../flag-definition.ts';
import { FlagReader, type FlagErrors, type FlagValues } from '../flag-reader.ts';

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
] as const satisfies readonly FlagDefinition[];

export interface ControllerConfig {
  /** Controllers that this process runs while it is the leader. */
  readonly controllers: ReadonlySet<ControllerName>;
  readonly collectsGarbage: boolean;
}

export function readControllers(texts: FlagValues, errors: FlagErrors): ControllerConfig {
  const flags = new FlagReader(controllerFlags, texts, errors);
  return { controllers: readNames(flags), collectsGarbage: flags.boolean('enable-garbage-collector') };
}

/** The names that `--controllers` chooses. */
export function readNames(flags: FlagReader<'controllers'>): ReadonlySet<ControllerName> {
  const { names, unknown } = chooseControllers(flags.list('controllers'));
  const remedy = `use *, or names of ${controllerNames.join(', ')}`;
  for (const word of unknown) flags.add(`flag --controllers names ${JSON.stringify(word)}`, remedy);
  return names;
}
