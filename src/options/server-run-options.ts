/** The processes of the service, where they keep their data, and how they start and stop. */
import type { FlagDefinition } from './flag-definition.ts';
import { FlagReader, type FlagErrors, type FlagValues } from './flag-reader.ts';

export const serverRunFlags = [
  {
    name: 'data-dir',
    value: 'FOLDER',
    default: '.orch',
    description: "the PKI, the kubeconfig and the data of the service's own etcd",
  },
  {
    name: 'livez-grace-period',
    value: 'DURATION',
    default: '0s',
    description: 'how long livez forgives a start that is not finished',
  },
  {
    name: 'shutdown-delay-duration',
    value: 'DURATION',
    default: '0s',
    description: 'how long to go on serving after readyz fails',
  },
  {
    name: 'workers',
    value: 'NUMBER',
    default: '1',
    description: 'processes that serve, each a whole replica in memory; one for each processor at most',
  },
] as const satisfies readonly FlagDefinition[];

export interface ServerRunConfig {
  readonly dataFolder: string;
  readonly livezGraceMs: number;
  readonly shutdownDelayMs: number;
  /** Processes that serve; 1: this one alone. */
  readonly workers: number;
}

export function readServerRun(texts: FlagValues, errors: FlagErrors): ServerRunConfig {
  const flags = new FlagReader(serverRunFlags, texts, errors);
  return {
    dataFolder: flags.isGiven('data-dir') ? flags.text('data-dir') : '.orch',
    livezGraceMs: flags.duration('livez-grace-period'),
    shutdownDelayMs: flags.duration('shutdown-delay-duration'),
    workers: flags.integer('workers', 1, 256),
  };
}
