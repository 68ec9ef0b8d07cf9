/** The form of profiles as pprof documents it, and a reader of what tests look at. */
import { gunzipSync } from 'node:zlib';
import protobuf from 'protobufjs';

const { root } = protobuf.parse(`
  syntax = "proto3";
  package perftools.profiles;
  message Profile {
    repeated ValueType sample_type = 1;
    repeated Sample sample = 2;
    repeated Mapping mapping = 3;
    repeated Location location = 4;
    repeated Function function = 5;
    repeated string string_table = 6;
    int64 time_nanos = 9;
    int64 duration_nanos = 10;
    ValueType period_type = 11;
    int64 period = 12;
    repeated int64 comment = 13;
    int64 default_sample_type = 14;
  }
  message ValueType { int64 type = 1; int64 unit = 2; }
  message Sample { repeated uint64 location_id = 1; repeated int64 value = 2; }
  message Mapping { uint64 id = 1; int64 filename = 5; bool has_functions = 7; }
  message Location { uint64 id = 1; uint64 mapping_id = 2; repeated Line line = 4; }
  message Line { uint64 function_id = 1; int64 line = 2; }
  message Function { uint64 id = 1; int64 name = 2; int64 system_name = 3; int64 filename = 4; int64 start_line = 5; }
`);
const type = root.lookupType('perftools.profiles.Profile');

interface RawProfile {
  readonly sampleType: readonly { type: number; unit: number }[];
  readonly sample: readonly { locationId: number[]; value: number[] }[];
  readonly mapping: readonly { hasFunctions: boolean }[];
  readonly location: readonly { id: number; line: { functionId: number; line: number }[] }[];
  readonly function: readonly { id: number; name: number; filename: number }[];
  readonly stringTable: readonly string[];
  readonly timeNanos: number;
  readonly durationNanos: number;
}

interface Place {
  readonly name: string;
  readonly file: string;
  readonly line: number;
}

export interface ReadProfile {
  /** `cpu/nanoseconds` */
  readonly types: readonly string[];
  readonly isSymbolized: boolean;
  readonly startedAt: number;
  readonly durationMs: number;
  /** The functions of each stack, the innermost first, with its values. */
  readonly samples: readonly { stack: readonly Place[]; values: readonly number[] }[];
}

export function readProfile(packed: Buffer): ReadProfile {
  const message = type.toObject(type.decode(gunzipSync(packed)), { longs: Number, defaults: true });
  const raw = message as unknown as RawProfile;
  const text = (i: number): string => raw.stringTable[i] ?? 'no such text';
  const functions = new Map(raw.function.map((item) => [item.id, item]));
  const locations = new Map(raw.location.map((item) => [item.id, item.line[0]]));
  const placeOf = (id: number): Place => {
    const { functionId = -1, line = -1 } = locations.get(id) ?? {};
    const { name = -1, filename = -1 } = functions.get(functionId) ?? {};
    return { name: text(name), file: text(filename), line };
  };
  return {
    types: raw.sampleType.map((item) => `${text(item.type)}/${text(item.unit)}`),
    isSymbolized: raw.mapping.every(({ hasFunctions }) => hasFunctions),
    startedAt: raw.timeNanos / 1e6,
    durationMs: raw.durationNanos / 1e6,
    samples: raw.sample.map(({ locationId, value }) => ({
      stack: locationId.map(placeOf),
      values: value,
    })),
  };
}

/** The sum of the last value of the stacks that a file is on. */
export function totalOf({ samples }: ReadProfile, file: RegExp): number {
  return samples
    .filter(({ stack }) => stack.some((place) => place.line > 0 && file.test(place.file)))
    .reduce((sum, { values }) => sum + (values.at(-1) ?? 0), 0);
}
