/** The message of a profile in the format of pprof (`perftools.profiles.Profile`), which `go tool pprof` reads. */
import protobuf from 'protobufjs';

const int64 = (id: number) => ({ type: 'int64', id });
const uint64 = (id: number) => ({ type: 'uint64', id });
const bool = (id: number) => ({ type: 'bool', id });
const repeated = (type: string, id: number) => ({ rule: 'repeated', type, id });

/** Only the fields that are written. Texts are indices into the table of strings. */
const root = protobuf.Root.fromJSON({
  nested: {
    ValueType: { fields: { type: int64(1), unit: int64(2) } },
    Sample: { fields: { locationId: repeated('uint64', 1), value: repeated('int64', 2) } },
    Mapping: { fields: { id: uint64(1), filename: int64(5), hasFunctions: bool(7) } },
    Line: { fields: { functionId: uint64(1), line: int64(2) } },
    Location: { fields: { id: uint64(1), mappingId: uint64(2), line: repeated('Line', 4) } },
    Function: {
      fields: {
        id: uint64(1),
        name: int64(2),
        systemName: int64(3),
        filename: int64(4),
        startLine: int64(5),
      },
    },
    Profile: {
      fields: {
        sampleType: repeated('ValueType', 1),
        sample: repeated('Sample', 2),
        mapping: repeated('Mapping', 3),
        location: repeated('Location', 4),
        function: repeated('Function', 5),
        stringTable: repeated('string', 6),
        timeNanos: int64(9),
        durationNanos: int64(10),
        periodType: { type: 'ValueType', id: 11 },
        period: int64(12),
        comment: repeated('int64', 13),
        defaultSampleType: int64(14),
      },
    },
  },
});
const profileType = root.lookupType('Profile');

export interface PprofSample {
  /** Locations, the innermost first. */
  readonly locationId: readonly number[];
  /** A value for each type of the profile. */
  readonly value: readonly number[];
}

interface ValueType {
  readonly type: number;
  readonly unit: number;
}

export interface PprofProfile {
  readonly sampleType: readonly ValueType[];
  readonly sample: readonly PprofSample[];
  readonly mapping: readonly { id: number; filename: number; hasFunctions: boolean }[];
  readonly location: readonly { id: number; mappingId: number; line: readonly object[] }[];
  readonly function: readonly object[];
  readonly stringTable: readonly string[];
  readonly timeNanos: number;
  readonly durationNanos: number;
  readonly periodType: ValueType;
  readonly period: number;
  readonly comment: readonly number[];
  readonly defaultSampleType: number;
}

export function encodeProfile(profile: PprofProfile): Buffer {
  // In Node.js protobufjs writes into Buffers.
  return profileType.encode(profile).finish() as Buffer;
}
