/** Builds the `ServedResource` of each version of a definition. */
import type { CustomResourceDefinition } from '../../api/apiextensions/custom-resource-definitions.ts';
import type { DefinitionFeatures } from '../../api/apiextensions/rule-release.ts';
import { selectableFieldReaders, selectsByFields } from '../../api/apiextensions/selectable-fields.ts';
import type {
  ColumnDefinition,
  ResourceDefinition,
  ResourceVersionDefinition,
  SubresourceDefinition,
} from '../../api/types.ts';
import { allVerbs } from '../../api/types.ts';
import { nameIsDns1123Subdomain } from '../../api/validation/name-rules.ts';
import { apiVersionOf } from '../../meta/gvk.ts';
import { StatusError } from '../../meta/status.ts';
import { maxAddedWeight } from '../../schema/structural/structural-defaults.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { ObjectConversion } from '../../registry/conversion/object-conversion.ts';
import type { ServedResource, StorageForm } from '../../registry/types.ts';
import type { EntryCache } from '../../registry/entry-cache.ts';
import type { SchemaSet } from '../../schema/load-proto.ts';
import type { CompiledSchemas } from './compiled-schemas.ts';
import { customColumns } from './custom-columns.ts';
import { CustomVersion, prepared } from './custom-version.ts';
import { acceptedNames, isTerminating, nameOf, specOf, versionsOf } from './definition.ts';
import { headOfWhole, type SchemaSource } from './definition-head.ts';
import { describeType } from './description.ts';
import { customScale } from './custom-scale.ts';
import { StoredForm } from './custom-stored-form.ts';
import { customStatus, customStrategy } from './strategy.ts';
import { byPreference, stabilityOf } from './version-order.ts';
import { WebhookConversion, type ConversionCalls } from './webhook-conversion.ts';

export interface CustomResourceParts extends DefinitionFeatures {
  readonly definition: CustomResourceDefinition;
  /** Where the schemas of its versions are read; absent: in the definition. */
  readonly sources?: SchemaSources | undefined;
  /** Keeps what is made of schemas while they are used. */
  readonly compiled?: CompiledSchemas | undefined;
  readonly naming: NamingProfile;
  readonly schemas: SchemaSet;
  readonly conversions: ConversionParts;
  /** Previously built versions: unchanged schemas are not parsed again. */
  readonly known?: ReadVersions | undefined;
}

/** Versions by a digest of their definition. */
export type ReadVersions = ReadonlyMap<string, CustomVersion>;

/** Where schemas are read, by the name of the version. */
export type SchemaSources = ReadonlyMap<string, SchemaSource>;

/** Services for conversion. */
export interface ConversionParts {
  /** Cache of converted objects of all resources. */
  readonly kept: EntryCache;
  readonly calls: ConversionCalls;
}

/** A resource in all its versions. */
export interface CustomResource {
  /** Served versions. */
  readonly served: readonly ServedResource[];
  /** The storage version, even if it is not served. */
  readonly stored: ServedResource;
  readonly versions: ReadVersions;
}

/** @throws Error if the definition has no storage version, which validation prevents */
export function createCustomResource(parts: CustomResourceParts): CustomResource {
  const family = new Family(parts);
  const resources = family.versions.map((version) => family.resource(version));
  const stored = resources.find(({ gvk }) => gvk.version === family.storage.gvk.version);
  if (!stored) throw new Error('a definition without a storage version');
  const isServed = new Set(family.servedVersions().map(({ name }) => name));
  const served = resources.filter(({ gvk }) => isServed.has(gvk.version));
  return { served, stored, versions: family.read };
}

/** The requested version is also the internal one, as only its own schema describes the object. */
const sameVersion: ObjectConversion = {
  isInternal: true,
  toInternal: (object) => object,
  fromInternal: (object) => object,
  internalFrom: (object) => object,
};

/** The parts that all versions share. */
class Family {
  readonly versions: readonly CustomVersion[];
  readonly read: ReadVersions;
  readonly storage: StorageForm;
  /** Without the sources, which have the text of the definition as it was then, and without what was read before. */
  private readonly parts: Omit<CustomResourceParts, 'sources' | 'known'>;
  private readonly stored: CustomVersion;
  private readonly webhook: WebhookConversion | undefined;
  /** Shared by all versions, as there may be thousands. */
  private readonly definitions: readonly ResourceVersionDefinition[];

  constructor({ sources: given, known: before, ...parts }: CustomResourceParts) {
    const { naming, schemas, release, isFeatureEnabled, compiled } = parts;
    const { definition, sources } = given
      ? { definition: parts.definition, sources: given }
      : headOfWhole(parts.definition);
    const { group = '', preserveUnknownFields } = specOf(definition);
    const metadata = schemas.get('meta/v1.ObjectMeta');
    const isFree = preserveUnknownFields === true;
    const common = {
      ...{ prefix: naming.extensionPrefix, metadata, isFree, schemas: compiled },
      ...{ release, isFeatureEnabled },
    };
    this.parts = { ...parts, definition };
    this.read = new Map(
      versionsOf(definition).map((version) => {
        const source = sources.get(version.name ?? '');
        const digest = `${source?.digest ?? ''} ${String(isFree)}`;
        const known = before?.get(digest);
        known?.readAgainFrom(sources);
        return [digest, known ?? new CustomVersion({ version, source, ...common })];
      }),
    );
    this.versions = [...this.read.values()];
    const stored = this.versions.find(({ version }) => version.storage === true);
    if (!stored) throw new Error('a definition without a storage version');
    this.stored = stored;
    const { plural = '', kind = '' } = specOf(definition).names ?? {};
    const replacements = replacementsAmong(this.versions);
    this.definitions = this.versions.map((version) =>
      versionDefinition(version, { group, kind, replacements }),
    );
    this.storage = {
      collection: `${group}/${plural}`,
      gvk: { group, version: stored.name, kind },
      get schema() {
        return stored.schema;
      },
    };
    const { conversion } = specOf(definition);
    if (conversion?.strategy === 'Webhook')
      this.webhook = new WebhookConversion(nameOf(definition), conversion, {
        naming,
        calls: parts.conversions.calls,
      });
  }

  servedVersions(): CustomVersion[] {
    return this.versions.filter(({ version }) => version.served === true);
  }

  resource(version: CustomVersion): ServedResource {
    const { naming, schemas } = this.parts;
    const { group, kind } = this.storage.gvk;
    const gvk = { group, version: version.name, kind };
    const definition = this.resourceDefinition(version);
    const subresources = new Map(definition.subresources.map((s) => [s.name, s]));
    const listKind = acceptedNames(this.parts.definition).listKind ?? `${kind}List`;
    const form = this.storedForm(version);
    const { collection, gvk: storedKind } = this.storage;
    const storage: StorageForm = {
      ...{ collection, gvk: storedKind },
      // Defaulting and validation work on objects of this version.
      get schema() {
        return version.schema;
      },
    };
    return {
      gvr: { group, version: version.name, resource: definition.plural },
      gvk,
      listKind,
      namespaced: definition.namespaced,
      definition,
      naming,
      get schema() {
        return version.schema;
      },
      metadata: version.metadata,
      storage,
      conversion: { ...sameVersion, ...form },
      subresource: (name) => subresources.get(name),
      subresourceSchema: (name) => (name === 'scale' ? schemas.get('autoscaling/v1.Scale') : undefined),
      prepare: () => prepared([version, this.stored]),
      structure: (body) => version.structure(body),
      description: describeType({ gvk, listKind, version, isFree: version.isFree }, naming),
      applyDefaults: (object, context) => {
        if (!version.applyDefaults(object, context)) throw tooManyDefaults();
      },
    };
  }

  /** Empty if objects are stored unchanged. */
  private storedForm(version: CustomVersion): Partial<ObjectConversion> {
    const { definition, conversions } = this.parts;
    // If the definition never changed, every stored object has its form.
    const isPlain = definition.metadata.generation === 1 && version === this.stored;
    if (isPlain && this.versions.length === 1) return {};
    const { versions, stored, webhook } = this;
    const { group } = this.storage.gvk;
    const form = new StoredForm({
      group,
      versions,
      stored,
      version,
      webhook,
      isPlain,
      kept: conversions.kept,
    });
    return { stored: form, internalFrom: (object, signal) => form.internalFrom(object, signal) };
  }

  private resourceDefinition(version: CustomVersion): ResourceDefinition {
    const { definition } = this.parts;
    const { scope } = specOf(definition);
    const { plural = '', kind = '' } = specOf(definition).names ?? {};
    const { singular = kind.toLowerCase(), shortNames = [], categories = [] } = acceptedNames(definition);
    const isGoing = isTerminating(definition);
    const { additionalPrinterColumns } = version.version;
    // Most are never shown as a Table.
    let columns: readonly ColumnDefinition[] | undefined;
    return {
      kind,
      plural,
      singular,
      shortNames,
      categories,
      namespaced: scope === 'Namespaced',
      verbs: isGoing ? allVerbs.filter((verb) => verb !== 'create') : allVerbs,
      versions: this.definitions,
      storageVersion: this.stored.name,
      validateName: nameIsDns1123Subdomain,
      strategy: customStrategy(version, isGoing),
      subresources: subresourcesOf(version),
      get columns() {
        return (columns ??= customColumns(additionalPrinterColumns));
      },
      selectableFields: selectsByFields(this.parts)
        ? selectableFieldReaders(version.version.selectableFields)
        : {},
    };
  }
}

interface OwnVersions {
  readonly group: string;
  readonly kind: string;
  readonly replacements: Replacements;
}

/** The preferred non-deprecated version with at least a given stability. */
type Replacements = (level: number) => string | undefined;

function replacementsAmong(versions: readonly CustomVersion[]): Replacements {
  const current = versions.filter(({ version }) => version.served === true && version.deprecated !== true);
  // The preferred version comes first, and no later one is more stable.
  const [preferred] = current.map(({ name }) => name).sort(byPreference);
  const best = preferred === undefined ? -1 : stabilityOf(preferred).level;
  return (level) => (best >= level ? preferred : undefined);
}

function versionDefinition({ name, version }: CustomVersion, own: OwnVersions): ResourceVersionDefinition {
  const { served = false, deprecated, deprecationWarning } = version;
  if (deprecated !== true) return { version: name, served };
  return { version: name, served, deprecationWarning: deprecationWarning ?? usualWarning(name, own) };
}

function usualWarning(name: string, { group, kind, replacements }: OwnVersions): string {
  const { level } = stabilityOf(name);
  const typeText = (version: string): string => `${apiVersionOf({ group, version })} ${kind}`;
  const best = replacements(level);
  return `${typeText(name)} is deprecated${best === undefined ? '' : `; use ${typeText(best)}`}`;
}

function tooManyDefaults(): StatusError {
  const message = `the request is too large: the defaults of its schema would add more than ${String(maxAddedWeight)} bytes`;
  return new StatusError(413, 'RequestEntityTooLarge', message);
}

function subresourcesOf(version: CustomVersion): SubresourceDefinition[] {
  const { scale } = version.version.subresources ?? {};
  return [
    ...(version.hasStatus ? [customStatus(version)] : []),
    ...(scale ? [customScale(version, scale)] : []),
  ];
}
