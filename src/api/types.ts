/**
 * What the catalogue says of a resource. A group's folder holds `<version>.proto` (fields, defaults, lists, docs)
 * and one `<resource>.ts` per resource that exports a `ResourceDefinition`. Names carry naming placeholders
 * (`storage.{api}`), expanded when the catalogue is built for a profile.
 */
import type { JsonObject, JsonValue } from '../base/json.ts';
import type { FieldError } from '../meta/field-error.ts';
import type { FieldPath } from '../meta/field-path.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { NamingProfile } from '../meta/naming.ts';
import type { ApiObject } from '../meta/object.ts';
import type { UserInfo } from '../meta/user.ts';
import type { TimeSince } from './columns/human-duration.ts';
import type { IpFamily } from '../base/ip-address.ts';
import type { ServiceRanges } from './core/service/value-range.ts';

/** A group of resources and its versions, the preferred version first. */
export interface GroupDefinition {
  /** '' for core, `apps`, `storage.{api}`. */
  readonly group: string;
  /** Folder under `src/api`, also the first word of schema names: `core`, `apps`, `storage`. */
  readonly folder: string;
  readonly groupPriorityMinimum: number;
  readonly versions: readonly GroupVersionDefinition[];
  readonly resources: readonly ResourceDefinition[];
}

export interface GroupVersionDefinition {
  readonly version: string;
  readonly versionPriority: number;
  readonly enabledByDefault: boolean;
  /** False: only stored and convertible (stopped by release 1.16). */
  readonly served: boolean;
}

export type StandardVerb =
  'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

export const allVerbs: readonly StandardVerb[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];

/** `major.minor`. */
export interface EmulatedRelease {
  readonly major: number;
  readonly minor: number;
}

/** What hooks may know of the circumstances. */
export interface ApiContext {
  readonly naming: NamingProfile;
  readonly isFeatureEnabled: (gate: string) => boolean;
  /** Containers may be privileged (`--allow-privileged`). */
  readonly allowsPrivileged: boolean;
  /** Now, as metadata timestamps are written. */
  readonly now: () => Date;
  /** '' or the subresource being written. */
  readonly subresource: string;
  /** The version that the request speaks: some rules apply to one version only. */
  readonly version: string;
  /** The user of the request. */
  readonly user: UserInfo;
  /** The release that is emulated; absent where nothing depends on it. */
  readonly release?: EmulatedRelease;
  /**
   * Called before validation that takes long, or in the middle of it: where the write may move to a write thread, that
   * begins by the error that this throws.
   * @throws GrownWrite
   */
  readonly noteLongWork?: () => void;
  /** The write is carried out in a write thread, where its validation may take longer. */
  readonly isAside?: boolean;
  /** Warns the client of what is wrong and is let pass. Absent: it is not asked for. */
  readonly warn?: (text: string) => void;
}

/** What is known of an object when long rules judge it. */
export interface Judged<T extends ApiObject> {
  /** The object as it was; absent: it is created. */
  readonly before?: T | undefined;
  readonly context: ApiContext;
  /** Errors that were found before. */
  readonly others: readonly FieldError[];
}

/** A resource: identity, representation in each version, life cycle and validation. `T` is the storage version's type. */
export interface ResourceDefinition<T extends ApiObject = ApiObject> {
  readonly kind: string;
  readonly plural: string;
  /** What one object is called. Absent: the kind in small letters. */
  readonly singular?: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  /** First releases of verbs that 1.21 does not have. */
  readonly laterVerbs?: Readonly<Record<string, string>>;
  /** Versions of the group that have this resource. */
  readonly versions: readonly ResourceVersionDefinition[];
  /** The version that is stored; validation and hooks below see objects of this version. */
  readonly storageVersion: string;
  /** The group whose objects of the same plural and kind these are (Ingress was in two groups). Absent: its own. */
  readonly storedIn?: StorageGroup;
  /**
   * Name of its objects' collection, where the plural is that of a later kind of another shape: neither reads the objects of the
   * other, and both stay as they are. Absent: the plural.
   */
  readonly storedAs?: string;
  /** Checks `metadata.name` (and generateName as prefix); gives the messages of what is wrong. */
  readonly validateName: NameRule;
  readonly strategy: Strategy<T>;
  readonly subresources: readonly SubresourceDefinition<T>[];
  readonly columns: readonly ColumnDefinition[];
  /** Field selector keys beyond metadata.name and metadata.namespace, and how their values are read. */
  readonly selectableFields: Readonly<Record<string, (object: T) => string>>;
  /** First releases of keys that 1.21 does not have. */
  readonly laterSelectors?: Readonly<Record<string, string>>;
  /** Marks of a table row that clients may act upon (a finished pod). Absent: none. */
  readonly rowConditions?: (object: T) => readonly RowCondition[];
  /** Where an object stands in the table of a list: the smaller, the higher. Absent: in the order of names. */
  readonly rowRank?: (object: T) => number;
  /** Objects are deleted some time after their last write (`--event-ttl`). */
  readonly expires?: true;
  /** Operations rather than stored objects (reviews, bindings). */
  readonly virtual?: boolean;
}

/** A group that stores objects which another group serves too. */
export interface StorageGroup {
  /** As `GroupDefinition.group`. */
  readonly group: string;
  readonly folder: string;
}

export interface ResourceVersionDefinition {
  readonly version: string;
  /** False: only convertible in this version, though the group version serves other resources. Absent: served. */
  readonly served?: boolean;
  /** Names of the subresources that this version has. Absent: all. */
  readonly subresources?: readonly string[];
  /** First release that has this version of the kind. Absent: 1.21 has it. */
  readonly introducedIn?: string;
  /** The kind has this version only with this gate. */
  readonly featureGate?: string;
  /**
   * Whether it is served unless `--runtime-config` says otherwise. Absent: as the group version, but beta versions that
   * came with release 1.24 or later are off (KEP-3136).
   */
  readonly enabledByDefault?: boolean;
  readonly deprecatedIn?: string;
  readonly removedIn?: string;
  /** The deprecation warning of the version, where no release deprecates it (custom resources). */
  readonly deprecationWarning?: string;
  /** `group/version Kind` of the replacement, with placeholders. */
  readonly replacement?: string;
  /** What becomes of dependents where a deletion in this version does not say. Absent: as in the strategy. */
  readonly defaultPropagation?: Strategy<ApiObject>['defaultPropagation'];
  /** Defaults that depend on other fields, after the static ones of the schema. Mutates. Absent: none. */
  readonly applyDefaults?: (object: ApiObject, context: ApiContext) => void;
  /** Rules of this version only, on the object itself in this version; subresources have their own. */
  readonly validate?: (object: ApiObject, context: ApiContext) => FieldError[];
  /** Conversions from and to the storage version; absent: same shape. They may mutate their argument and return it. */
  readonly toStorage?: (object: JsonObject, naming: NamingProfile) => JsonObject;
  readonly fromStorage?: (object: JsonObject, naming: NamingProfile) => JsonObject;
  /**
   * `fromStorage` makes fields of annotations, which users may write: values that do not match the schema are
   * omitted.
   */
  readonly readsAnnotations?: true;
}

/** Returns messages of what is wrong with a name; `isPrefix`: it is a generateName. */
export type NameRule = (
  name: string,
  isPrefix: boolean,
  context?: Pick<ApiContext, 'isFeatureEnabled'>,
) => string[];

/** Create, update and delete policy (facts `strategies.tsv`, `immutable.tsv`). Hooks mutate their first argument. */
export interface Strategy<T extends ApiObject> {
  /** PUT of a missing object creates it. */
  readonly createOnUpdate: boolean;
  /** PUT without resourceVersion is accepted. */
  readonly unconditionalUpdate: boolean;
  /** True when the change counts for `metadata.generation`. Absent: the kind has no generation. */
  readonly bumpsGeneration?: (next: T, current: T) => boolean;
  /** The minor release from which its objects have a generation. Absent: always, where it has one. */
  readonly generationSince?: number;
  readonly prepareForCreate?: (object: T, context: ApiContext) => void;
  /** Every rule of a create but those of metadata, which are the same for all kinds (`validation/metadata.ts`). */
  readonly validate?: (object: T, context: ApiContext) => FieldError[];
  readonly prepareForUpdate?: (next: T, current: T, context: ApiContext) => void;
  /**
   * Every rule of an update but those of metadata; it holds the rules of `validate` too, so that callers run one of
   * both.
   */
  readonly validateUpdate?: (next: T, current: T, context: ApiContext) => FieldError[];
  /** Errors by what may take long (expressions): looked for after all others, in slices where it must. Absent: none. */
  readonly judge?: (object: T, judged: Judged<T>) => MaybePromise<readonly FieldError[]>;
  /** What a client is told about an object that is written as it is; `before`: as it was, of updates. Absent: nothing. */
  readonly warnings?: (object: T, context: ApiContext, before?: T) => readonly string[];
  /** What a deletion adds before anything is removed: finalizers of the kind, what its status says. Mutates. */
  readonly prepareForDelete?: (object: T, context: ApiContext) => void;
  /** Finalizers may be any qualified name. Absent: one without a domain must be a standard finalizer. */
  readonly allowsBareFinalizers?: true;
  /** What DELETE answers when the object is gone. */
  readonly deleteReturns: 'status' | 'object';
  readonly defaultPropagation: 'Background' | 'Orphan';
  /**
   * Kinds with graceful deletion give the grace period in seconds to use (0: remove at once) for what was asked.
   * Absent: removed at once unless finalizers remain.
   */
  readonly gracePeriod?: (object: T, asked: number | undefined) => number;
  /** Values from configured ranges that at most one object holds at a time. Absent: the kind has none. */
  readonly allocation?: Allocation<T>;
}

/** Two pools of values: cluster addresses of services, and ports that all nodes serve. */
export type ValuePool = 'addresses' | 'nodePorts';

/** How a kind uses the pools. */
export interface Allocation<T extends ApiObject> {
  /** Completes fields that depend on the ranges, after validation and before values are chosen. Mutates. */
  readonly complete: (next: T, ranges: ServiceRanges, context: ApiContext) => FieldError[];
  /** The values that an object has, each once. */
  readonly held: (object: T) => readonly HeldValue[];
  /** The values that a completed object still needs. */
  readonly missing: (
    next: T,
    ranges: ServiceRanges,
    about: { readonly isNew: boolean; readonly context: ApiContext },
  ) => readonly MissingValue[];
}

export interface HeldValue {
  readonly pool: ValuePool;
  /** In one text for each value. */
  readonly value: string;
  readonly path: FieldPath;
  /** The value of the field at the path, for messages. */
  readonly sent: JsonValue;
  /** It may be outside of the ranges: it is kept from others, and was not chosen. */
  readonly isReserved?: true;
}

export interface MissingValue {
  readonly pool: ValuePool;
  /** Of an address. */
  readonly family?: IpFamily;
  /** For messages: `a nodePort`. */
  readonly what: string;
  /** Sets the field. Mutates the object that it was asked for. */
  readonly fill: (value: string) => void;
}

/** A sub path of one object. */
export interface SubresourceDefinition<T extends ApiObject = ApiObject> {
  readonly name: string;
  /** Kind of body and answer with its group version (placeholders allowed); absent: the resource's own. */
  readonly kind?: { readonly group: string; readonly version: string; readonly kind: string };
  /** Versions that the kind of bodies has or had, the newest first; absent: the one above. Their fields are the same. */
  readonly kindVersions?: readonly SubresourceKindVersion[];
  readonly verbs: readonly string[];
  /**
   * `object`: reads and writes the parent through prepare/validate below. `action`: handled by `handler` name in
   * registry/actions. `connect`: handled so, too, but it has options in the query and no body of this API.
   */
  readonly type: 'object' | 'action' | 'connect';
  /** It is there only with this gate. */
  readonly featureGate?: string;
  /** First release that has it. Absent: 1.21 has it. */
  readonly introducedIn?: string;
  /** First release that does not have it any more; another one may have its name from then on. */
  readonly removedIn?: string;
  /** Kind of the options of a connection. */
  readonly options?: { readonly group: string; readonly version: string; readonly kind: string };
  /** Paths go on behind the name of the subresource. */
  readonly hasPath?: boolean;
  /** Registry handler of an action, e.g. `binding`, `scale`, `eviction`. */
  readonly handler?: string;
  /** What the handler `scale` reads and writes. */
  readonly scale?: ScaleDefinition<T>;
  /** Makes the next object from what was sent and the current one (a status write keeps spec and metadata). Mutates next. */
  readonly prepareForUpdate?: (next: T, current: T, context: ApiContext) => void;
  /** Every rule of this write but those of metadata. */
  readonly validateUpdate?: (next: T, current: T, context: ApiContext) => FieldError[];
  /** As of a strategy. */
  readonly judge?: (object: T, judged: Judged<T>) => MaybePromise<readonly FieldError[]>;
}

/** A version of a subresource's kind; releases before and after do not know it. */
export interface SubresourceKindVersion {
  readonly version: string;
  readonly introducedIn?: string;
}

/** How the number of replicas of a kind is seen and set; objects are of the storage version. */
export interface ScaleDefinition<T extends ApiObject = ApiObject> {
  /** How many are wanted. */
  readonly wanted: (object: T) => number;
  readonly setWanted: (object: T, replicas: number) => void;
  /** How many there are. */
  readonly observed: (object: T) => number;
  /** Selector of the replicas as text, as list and watch take it. */
  readonly selector: (object: T) => string;
}

/** A condition of a row in the Table representation. */
export interface RowCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

/** A printer column of the Table representation (facts `columns.tsv`). */
export interface ColumnDefinition {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format: string;
  readonly priority: number;
  readonly description: string;
  /** First release that shows it. Absent: 1.21 does. */
  readonly since?: string;
  /** First release that does not show it any more. */
  readonly until?: string;
  /** The cell's value; `naming` for well-known labels and annotations. Depends on nothing else: rows are kept. */
  readonly cell: (object: ApiObject, naming: NamingProfile) => CellValue;
}

/** A value, or a time that is converted to an age when the cell is sent. */
export type CellValue = JsonValue | TimeSince;
