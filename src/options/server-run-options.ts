/** Flags of the processes: data folder, workers, start and stop. */
import type { FlagDefinition } from './flag-definition.ts';
import { FlagReader, type FlagErrors, type FlagValues } from './flag-reader.ts';

export const serverRunFlags = [
  {
    name: 'data-dir',
    value: 'FOLDER',
    default: '.orch',
    description: 'Folder of the PKI, the kubeconfig and the data of the etcd that the service starts itself.',
  },
  {
    name: 'livez-grace-period',
    value: 'DURATION',
    default: '0s',
    description:
      'The maximum time a start may take before /livez fails because of unfinished start-up hooks.',
  },
  {
    name: 'shutdown-delay-duration',
    value: 'DURATION',
    default: '0s',
    description:
      'The time between the failure of /readyz and the start of connection draining. Requests are served as usual meanwhile.',
  },
  {
    name: 'workers',
    value: 'NUMBER',
    default: '1',
    description:
      'The number of serving processes. Each holds a complete replica in memory; more than one per CPU brings no gain.',
  },
  {
    name: 'serving-threads',
    value: 'NUMBER',
    default: '1',
    description:
      'The number of threads of the serving process that answer requests. With more than one, another thread follows etcd for all of them, and large texts of objects lie in memory that they share. --workers cannot be beside it.',
  },
] as const satisfies readonly FlagDefinition[];

export interface ServerRunConfig {
  readonly dataFolder: string;
  readonly livezGraceMs: number;
  readonly shutdownDelayMs: number;
  /** Number of serving processes. */
  readonly workers: number;
  /** Number of threads that serve. */
  readonly servingThreads: number;
}

export function readServerRun(texts: FlagValues, errors: FlagErrors): ServerRunConfig {
  const flags = new FlagReader(serverRunFlags, texts, errors);
  return {
    dataFolder: flags.isGiven('data-dir') ? flags.text('data-dir') : '.orch',
    livezGraceMs: flags.duration('livez-grace-period'),
    shutdownDelayMs: flags.duration('shutdown-delay-duration'),
    workers: flags.integer('workers', 1, 256),
    servingThreads: flags.integer('serving-threads', 1, 256),
  };
}
