/** One object and its managers in memory: applies and other writes, as the registry makes them. */
import type { JsonObject } from '../../../src/base/json.ts';
import { deepCopy, isObject } from '../../../src/base/json.ts';
import { applyConfiguration } from '../../../src/patch/apply/apply-configuration.ts';
import { Configuration } from '../../../src/patch/apply/applied-configuration.ts';
import { ApplyConflictError } from '../../../src/patch/apply/conflict.ts';
import { runConverting, type Convert, type Converting } from '../../../src/patch/apply/converting.ts';
import type { ManagedFields } from '../../../src/patch/apply/managed-fields.ts';
import { encodeManagedFields, storedManagedFields } from '../../../src/patch/apply/managed-fields.ts';
import { fillZeroValues } from '../../../src/schema/zero-values.ts';
import { trackUpdate } from '../../../src/patch/apply/track-update.ts';
import type { Versions as OwnedVersions } from '../../../src/patch/apply/versions.ts';
import type { StructSchema } from '../../../src/schema/types.ts';
import { field, listOf, mapOf, scalar, struct } from '../schema.ts';

const port = struct('Port', [
  field('port', scalar('integer')),
  field('protocol', scalar('string'), { defaultValue: 'TCP' }),
  field('name', scalar('string')),
]);
const probe = struct('Probe', [field('path', scalar('string')), field('period', scalar('integer'))]);
const container = struct('Container', [
  field('name', scalar('string')),
  field('image', scalar('string')),
  field('ports', listOf(port, { listType: 'map', listMapKeys: ['port', 'protocol'] })),
  field('probe', probe, { pointer: true }),
  field('args', listOf(scalar('string'))),
]);

/** A type with every kind of list, map and struct. */
export const thing: StructSchema = struct('Thing', [
  field(
    'metadata',
    struct('Meta', [
      field('name', scalar('string')),
      field('labels', mapOf(scalar('string'))),
      field('finalizers', listOf(scalar('string'), { listType: 'set' })),
    ]),
    { pointer: true },
  ),
  field('replicas', scalar('integer'), { pointer: true }),
  field('text', scalar('string')),
  field('containers', listOf(container, { listType: 'map', listMapKeys: ['name'] })),
  field('atomicMap', mapOf(scalar('string'), { mapType: 'atomic' })),
  field('atomicStruct', struct('A', [field('a', scalar('string'))], { mapType: 'atomic' }), {
    pointer: true,
  }),
  field('rows', listOf(container)),
  field('free', { type: 'any', doc: '', name: '' }, { pointer: true }),
]);

export function oneVersion(schema: StructSchema = thing, apiVersion = 'v1'): Versions {
  return { apiVersion, schema, schemaOf: () => undefined };
}

interface Options {
  readonly force?: boolean;
  readonly versions?: Versions;
  readonly subresource?: string;
}

/** Versions with a conversion that answers at once; absent: there is one version. */
export interface Versions extends OwnedVersions {
  readonly convert?: Convert;
}

function run<T>(computation: Converting<T>, { convert = noConversion }: Versions): T {
  const result = runConverting(computation, convert);
  if (result instanceof Promise) throw new Error('the conversion did not answer at once');
  return result;
}

const noConversion: Convert = ({ to }) => {
  throw new Error(`nothing converts to ${to}`);
};

export class World {
  object: JsonObject | undefined = undefined;
  managed: ManagedFields = [];
  private seconds = 0;
  private readonly versions: Versions;
  private readonly isFilled: boolean;

  /** @param isFilled applies are told that the object before has its zero values, as after each of these writes */
  constructor(versions: Versions = oneVersion(), isFilled = false) {
    this.versions = versions;
    this.isFilled = isFilled;
  }

  apply(manager: string, config: JsonObject, options: Options = {}): this {
    const versions = options.versions ?? this.versions;
    const computation = applyConfiguration(
      {
        live: this.object ? deepCopy(this.object) : {},
        isFilled: this.isFilled,
        configuration: new Configuration(config, versions.schema),
        managed: this.stored(),
        isNew: this.object === undefined,
        empty: {},
        manager,
        subresource: options.subresource ?? '',
        force: options.force ?? false,
        time: this.now(),
      },
      versions,
    );
    const applied = run(computation, versions);
    this.object = deepCopy(applied.object);
    this.managed = applied.managed;
    return this;
  }

  update(manager: string, sent: JsonObject, options: Options = {}): this {
    const next = deepCopy(sent);
    fillZeroValues(this.versions.schema, next);
    const versions = options.versions ?? this.versions;
    const computation = trackUpdate(
      {
        live: this.object ?? {},
        next,
        managed: this.stored(),
        manager,
        subresource: options.subresource ?? '',
        time: this.now(),
      },
      versions,
    );
    this.managed = run(computation, versions);
    this.object = next;
    return this;
  }

  /** The `field message` pairs of the conflict that an apply meets. */
  conflicts(manager: string, config: JsonObject): string[] {
    try {
      this.apply(manager, config);
    } catch (error) {
      if (!(error instanceof ApplyConflictError)) throw error;
      return error.conflicts.map(({ field: at, message }) => `${at} ${message}`);
    }
    return [];
  }

  /** The fieldsV1 of a manager; undefined when it owns nothing. */
  fields(manager: string, operation = 'Apply'): JsonObject | undefined {
    const found = this.managed.find((e) => e.parts.manager === manager && e.parts.operation === operation);
    const fields = found?.toJson()['fieldsV1'];
    return isObject(fields) ? fields : undefined;
  }

  get managers(): string[] {
    return this.managed.map(({ parts }) => `${parts.manager} ${parts.operation}`);
  }

  time(manager: string): string | undefined {
    return this.managed.find((e) => e.parts.manager === manager)?.parts.time;
  }

  /** Through JSON text, as between two writes. */
  private stored(): ManagedFields {
    const text = JSON.stringify({ metadata: { managedFields: encodeManagedFields(this.managed) ?? [] } });
    return storedManagedFields(JSON.parse(text) as JsonObject);
  }

  private now(): string {
    return new Date(1_700_000_000_000 + 1000 * this.seconds++).toISOString().slice(0, 19) + 'Z';
  }
}
