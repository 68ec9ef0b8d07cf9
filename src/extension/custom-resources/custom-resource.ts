/** A custom resource as it is served: one `ServedResource` per version of its definition. */
import type { CustomResourceDefinition } from '../../api/apiextensions/custom-resource-definitions.ts';
import type {
  ResourceDefinition,
  ResourceVersionDefinition,
  SubresourceDefinition,
} from '../../api/types.ts';
import { allVerbs } from '../../api/types.ts';
import { nameIsDns1123Subdomain } from '../../api/validation/names.ts';
import type { JsonObject } from '../../base/json.ts';
import { apiVersionOf } from '../../meta/gvk.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { ServedResource, StorageForm } from '../../registry/types.ts';
import type { SchemaSet } from '../../schema/load-proto.ts';
import { customColumns } from './columns.ts';
import { CustomVersion, haveSameShape } from './custom-version.ts';
import { acceptedNames, isTerminating, specOf, versionsOf } from './definition.ts';
import { describeType } from './description.ts';
import { customScale } from './scale.ts';
import { customStatus, customStrategy } from './strategy.ts';
import { byPreference, stabilityOf } from './version-order.ts';

export interface CustomResourceParts {
  readonly definition: CustomResourceDefinition;
  readonly naming: NamingProfile;
  readonly schemas: SchemaSet;
}

/** A resource in all its versions. */
export interface CustomResource {
  /** Versions that clients may use. */
  readonly served: readonly ServedResource[];
  /** The stored one, whether it is served or not. */
  readonly stored: ServedResource;
}

/** @throws Error when the definition has no storage version, which its rules do not allow */
export function createCustomResource(parts: CustomResourceParts): CustomResource {
  const family = new Family(parts);
  const resources = family.versions.map((version) => family.resource(version));
  const stored = resources.find(({ gvk }) => gvk.version === family.storage.gvk.version);
  if (!stored) throw new Error('a definition without a storage version');
  const isServed = new Set(family.servedVersions().map(({ name }) => name));
  return { served: resources.filter(({ gvk }) => isServed.has(gvk.version)), stored };
}

/** What the versions have in common. */
class Family {
  readonly versions: readonly CustomVersion[];
  readonly storage: StorageForm;
  private readonly parts: CustomResourceParts;
  private readonly stored: CustomVersion;
  /** Objects stand in storage just as they are shown. */
  private readonly isShownAsStored: boolean;

  constructor(parts: CustomResourceParts) {
    const { definition, naming, schemas } = parts;
    const { group = '', preserveUnknownFields } = specOf(definition);
    const versions = versionsOf(definition);
    const metadata = schemas.get('meta/v1.ObjectMeta');
    const isFree = preserveUnknownFields === true;
    const common = { prefix: naming.extensionPrefix, metadata, isFree };
    this.parts = parts;
    this.versions = versions.map((version) => new CustomVersion({ version, ...common }));
    const stored = this.versions.find(({ version }) => version.storage === true);
    if (!stored) throw new Error('a definition without a storage version');
    this.stored = stored;
    const { plural = '', kind = '' } = specOf(definition).names ?? {};
    this.storage = {
      collection: `${group}/${plural}`,
      gvk: { group, version: stored.name, kind },
      schema: stored.schema,
    };
    // A definition that never changed has given its shape to every object that is stored.
    this.isShownAsStored =
      definition.metadata.generation === 1 && versions.every((v) => haveSameShape(v, stored.version));
  }

  /** No webhook is asked to convert: without one, only the stored version says what its objects are. */
  servedVersions(): CustomVersion[] {
    const needsWebhook = specOf(this.parts.definition).conversion?.strategy === 'Webhook';
    return this.versions
      .filter(({ version }) => version.served === true)
      .filter((version) => !needsWebhook || version === this.stored);
  }

  resource(version: CustomVersion): ServedResource {
    const { naming, schemas } = this.parts;
    const { group, kind } = this.storage.gvk;
    const gvk = { group, version: version.name, kind };
    const definition = this.resourceDefinition(version);
    const subresources = new Map(definition.subresources.map((s) => [s.name, s]));
    const listKind = acceptedNames(this.parts.definition).listKind ?? `${kind}List`;
    return {
      gvr: { group, version: version.name, resource: definition.plural },
      gvk,
      listKind,
      namespaced: definition.namespaced,
      definition,
      naming,
      schema: version.schema,
      storage: this.storage,
      isStorageVersion: version === this.stored && this.isShownAsStored,
      subresource: (name) => subresources.get(name),
      subresourceSchema: (name) => (name === 'scale' ? schemas.get('autoscaling/v1.Scale') : undefined),
      structure: (body) => version.structure(body),
      description: describeType(
        { gvk, listKind, version, isFree: version.schema.granularUnknown === true },
        naming,
      ),
      fromStorage: (object) => this.fromStorage(version, object),
      toStorage: (object) => withApiVersion(object, apiVersionOf(this.storage.gvk)),
      applyDefaults: (object) => {
        version.applyDefaults(object);
      },
    };
  }

  /** Versions differ in nothing but what each shows. Objects of before a change get the defaults of today. */
  private fromStorage(version: CustomVersion, object: JsonObject): JsonObject {
    this.stored.applyDefaults(object);
    return withApiVersion(
      version.shown(object),
      apiVersionOf({ ...this.storage.gvk, version: version.name }),
    );
  }

  private resourceDefinition(version: CustomVersion): ResourceDefinition {
    const { definition } = this.parts;
    const { scope } = specOf(definition);
    const { plural = '', kind = '' } = specOf(definition).names ?? {};
    const { singular = kind.toLowerCase(), shortNames = [], categories = [] } = acceptedNames(definition);
    const isGoing = isTerminating(definition);
    return {
      kind,
      plural,
      singular,
      shortNames,
      categories,
      namespaced: scope === 'Namespaced',
      verbs: isGoing ? allVerbs.filter((verb) => verb !== 'create') : allVerbs,
      versions: this.versions.map((other) => this.versionDefinition(other)),
      storageVersion: this.stored.name,
      validateName: nameIsDns1123Subdomain,
      strategy: customStrategy(version, isGoing),
      subresources: subresourcesOf(version),
      columns: customColumns(version.version.additionalPrinterColumns),
      selectableFields: {},
    };
  }

  private versionDefinition({ name, version }: CustomVersion): ResourceVersionDefinition {
    const { served = false, deprecated, deprecationWarning } = version;
    const warning = deprecationWarning ?? this.usualWarning(name);
    return { version: name, served, ...(deprecated === true && { deprecationWarning: warning }) };
  }

  /** Names the newest version that is as stable at least. */
  private usualWarning(name: string): string {
    const { group, kind } = this.storage.gvk;
    const told = (version: string): string => `${apiVersionOf({ group, version })} ${kind}`;
    const { level } = stabilityOf(name);
    const [best] = this.versions
      .filter(({ version }) => version.served === true && version.deprecated !== true)
      .map((version) => version.name)
      .filter((other) => stabilityOf(other).level >= level)
      .sort(byPreference);
    return `${told(name)} is deprecated${best === undefined ? '' : `; use ${told(best)}`}`;
  }
}

function subresourcesOf(version: CustomVersion): SubresourceDefinition[] {
  const { scale } = version.version.subresources ?? {};
  return [
    ...(version.hasStatus ? [customStatus(version)] : []),
    ...(scale ? [customScale(version, scale)] : []),
  ];
}

function withApiVersion(object: JsonObject, apiVersion: string): JsonObject {
  object['apiVersion'] = apiVersion;
  return object;
}
