/** Flow schemas and priority levels as the configuration keeps them: read once from what is stored. */
import type {
  FlowSchema,
  FlowSchemaSpec,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
} from '../api/flowcontrol/v1beta1.types.ts';
import type { JsonObject } from '../base/json.ts';
import type { NamingProfile } from '../meta/naming.ts';
import type { LevelSettings } from './priority-level.ts';

export const flowSchemasPlural = 'flowschemas';
export const levelsPlural = 'prioritylevelconfigurations';

/** The type of which objects of one of the two kinds are stored. */
export function storedType(plural: string): string {
  return `flowcontrol/v1beta1.${plural === levelsPlural ? 'PriorityLevelConfiguration' : 'FlowSchema'}`;
}

/** The API group of both kinds. */
export function flowControlGroup(naming: NamingProfile): string {
  return `flowcontrol.apiserver.${naming.apiDomain}`;
}

export interface SchemaSource {
  readonly name: string;
  readonly uid: string;
  readonly spec: FlowSchemaSpec;
}

export interface LevelSource {
  readonly name: string;
  readonly uid: string;
  readonly spec: PriorityLevelConfigurationSpec;
}

/** @param object of the shape of its kind */
export function schemaOf(name: string, object: JsonObject): SchemaSource {
  const { metadata, spec } = object as FlowSchema;
  return { name, uid: metadata?.uid ?? '', spec: spec ?? {} };
}

/** @param object of the shape of its kind */
export function levelOf(name: string, object: JsonObject): LevelSource {
  const { metadata, spec } = object as PriorityLevelConfiguration;
  return { name, uid: metadata?.uid ?? '', spec: spec ?? {} };
}

/** Its part of what all levels share; an exempt level takes none unless it says so, from release 1.28 on. */
export function sharesOf({ spec }: LevelSource): number {
  const { limited, exempt } = spec;
  return (spec.type === 'Exempt' ? exempt?.nominalConcurrencyShares : limited?.assuredConcurrencyShares) ?? 0;
}

/**
 * The settings of a level among others: its part of the server's seats, rounded up, so that each level has at least
 * one.
 * @param total shares of all levels
 */
export function settingsOf(level: LevelSource, serverSeats: number, total: number): LevelSettings {
  if (level.spec.type === 'Exempt') return { seats: Infinity, queuing: undefined };
  const seats = Math.max(1, Math.ceil((serverSeats * sharesOf(level)) / Math.max(total, 1)));
  return { seats, queuing: shapeOf(level) };
}

function shapeOf({ spec }: LevelSource): LevelSettings['queuing'] {
  const queuing = spec.limited?.limitResponse?.queuing;
  if (spec.limited?.limitResponse?.type !== 'Queue' || queuing === undefined) return undefined;
  const { queues = 1, handSize = 1, queueLengthLimit = 1 } = queuing;
  return { queues, handSize: Math.min(handSize, queues), lengthLimit: queueLengthLimit };
}
