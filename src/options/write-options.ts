/** Flags of writes: what pods may ask for, and how much is deleted at once. */
import type { FlagDefinition } from './flag-definition.ts';
import { FlagReader, type FlagErrors, type FlagValues } from './flag-reader.ts';

export const writeFlags = [
  {
    name: 'allow-privileged',
    value: '',
    default: 'true',
    description: 'Allows privileged containers. If false, pods and templates that have one are refused.',
  },
  {
    name: 'delete-collection-workers',
    value: 'NUMBER',
    default: '16',
    description: 'The number of objects of a collection that are deleted at a time.',
  },
] as const satisfies readonly FlagDefinition[];

export interface WriteConfig {
  readonly allowsPrivileged: boolean;
  /** Objects of a collection that are deleted at a time. */
  readonly deleteCollectionWorkers: number;
}

/** etcd takes few more writes at a time from one process. */
const mostWorkers = 256;

export function readWrites(texts: FlagValues, errors: FlagErrors): WriteConfig {
  const flags = new FlagReader(writeFlags, texts, errors);
  return {
    allowsPrivileged: flags.boolean('allow-privileged'),
    deleteCollectionWorkers: flags.integer('delete-collection-workers', 1, mostWorkers),
  };
}
