/** Converts manifests between API versions without a server. */
import type { ApiContext } from '../../api/types.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { deepCopy, isObject, textOf } from '../../base/json.ts';
import { apiVersionOf } from '../../meta/gvk.ts';
import { expandNames } from '../../meta/naming.ts';
import { anonymousUser } from '../../meta/user.ts';
import { checkStructure } from '../../schema/structure.ts';
import { everyVersion, type CatalogueSources } from '../catalogue/every-version.ts';
import type { ServedResource } from '../types.ts';

export interface ConverterParts extends CatalogueSources {
  readonly isFeatureEnabled: (gate: string) => boolean;
}

export interface Conversion {
  readonly object: JsonObject;
  /** Number of objects in the requested version; several for a list. */
  readonly converted: number;
  /** Messages about objects and fields that were not converted. */
  readonly notes: readonly string[];
}

/** Converts objects of every kind and version in the catalogue, including versions that are not served. */
export class Converter {
  private readonly parts: ConverterParts;
  private readonly byKind = new Map<string, ServedResource>();
  private readonly byCollection = new Map<string, ServedResource>();
  private readonly byListKind = new Map<string, ServedResource>();

  constructor(parts: ConverterParts) {
    this.parts = parts;
    for (const resource of everyVersion(parts)) {
      const apiVersion = apiVersionOf(resource.gvk);
      this.byKind.set(`${apiVersion} ${resource.gvk.kind}`, resource);
      this.byListKind.set(`${apiVersion} ${resource.listKind}`, resource);
      this.byCollection.set(`${apiVersion} ${resource.storage.collection}`, resource);
    }
  }

  /** Every group version that has convertible kinds, sorted. */
  apiVersions(): string[] {
    return [...new Set([...this.byKind.values()].map(({ gvk }) => apiVersionOf(gvk)))].sort();
  }

  /**
   * The object in `apiVersion`, or ('') in the newest stable version of its kind. Lists stay lists. Objects of
   * unknown kinds, or of kinds that the version lacks, are unchanged.
   * @throws Error for an object that is invalid in its own version
   */
  convert(object: JsonObject, apiVersion: string): Conversion {
    const own = textOf(object['apiVersion']);
    const kind = textOf(object['kind']);
    if (own === 'v1' && kind === 'List') return this.list(object, apiVersion, {});
    const listed = this.byListKind.get(`${own} ${kind}`);
    if (listed) return this.typedList(object, apiVersion, listed);
    const source = this.byKind.get(`${own} ${kind}`);
    const target = source && this.targetOf(source, apiVersion);
    if (source && target) return this.one(object, source, target);
    const where = source ? apiVersion : 'the catalogue';
    return {
      object,
      converted: 0,
      notes: [`${nameOf(object)} does not exist in ${where} and is unchanged`],
    };
  }

  private list(object: JsonObject, apiVersion: string, itemType: JsonObject): Conversion {
    const { items } = object;
    const parts = (Array.isArray(items) ? items : []).map((item) => this.item(item, apiVersion, itemType));
    return {
      object: { ...object, items: parts.map((part) => part.object) },
      converted: parts.reduce((sum, part) => sum + part.converted, 0),
      notes: parts.flatMap((part) => part.notes),
    };
  }

  private item(item: JsonValue, apiVersion: string, itemType: JsonObject): Conversion {
    if (!isObject(item)) throw new Error('an item of a list is not an object');
    return this.convert({ ...itemType, ...item }, apiVersion);
  }

  /** `DeploymentList`: its items may lack kind and apiVersion. */
  private typedList(object: JsonObject, apiVersion: string, resource: ServedResource): Conversion {
    const { gvk } = resource;
    const result = this.list(object, apiVersion, { kind: gvk.kind, apiVersion: apiVersionOf(gvk) });
    const target = this.targetOf(resource, apiVersion);
    return target
      ? { ...result, object: { ...result.object, apiVersion: apiVersionOf(target.gvk) } }
      : result;
  }

  private targetOf(source: ServedResource, apiVersion: string): ServedResource | undefined {
    return apiVersion === '' ? this.newestOf(source) : this.version(source, apiVersion);
  }

  private version({ storage }: ServedResource, apiVersion: string): ServedResource | undefined {
    return this.byCollection.get(`${apiVersion} ${storage.collection}`);
  }

  /** The replacement of a deprecated version, otherwise the preferred version of the group that the release knows. */
  private newestOf(source: ServedResource): ServedResource | undefined {
    const { definition, gvk, naming } = source;
    const own = definition.versions.find(({ version }) => version === gvk.version);
    const [replacement = ''] = expandNames(own?.replacement ?? '', naming).split(' ');
    const { groups } = this.parts;
    const inGroup = groups.find(({ group }) => expandNames(group, naming) === gvk.group)?.versions ?? [];
    const preferred = [...inGroup].sort((a, b) => b.versionPriority - a.versionPriority);
    const others = preferred.map(({ version }) => apiVersionOf({ group: gvk.group, version }));
    for (const apiVersion of [replacement, ...others]) {
      const target = this.version(source, apiVersion);
      if (target) return target;
    }
    return undefined;
  }

  private one(sent: JsonObject, source: ServedResource, target: ServedResource): Conversion {
    const { value, unknown, errors } = checkStructure(source.schema, deepCopy(sent));
    if (errors.length > 0) throw new Error(`${nameOf(sent)}: ${errors.join('; ')}`);
    const { kind: _kind, apiVersion: _version, ...rest } = value;
    const object: JsonObject = { apiVersion: apiVersionOf(source.gvk), kind: source.gvk.kind, ...rest };
    object['metadata'] ??= {};
    // Missing fields get the defaults of the original version.
    source.applyDefaults(object, this.contextOf(source));
    const converted =
      target === source ? object : target.conversion.fromInternal(source.conversion.toInternal(object));
    const notes = unknown.map((path) => `${nameOf(sent)} has no field ${path}; it is dropped`);
    return { object: converted, converted: 1, notes };
  }

  private contextOf({ gvk }: ServedResource): ApiContext {
    const { naming, isFeatureEnabled } = this.parts;
    const now = (): Date => new Date();
    const own = { allowsPrivileged: true, now, subresource: '', user: anonymousUser };
    return { naming, isFeatureEnabled, version: gvk.version, ...own };
  }
}

/** `extensions/v1beta1 Deployment "web"`. */
function nameOf({ apiVersion, kind, metadata }: JsonObject): string {
  const name = isObject(metadata) ? textOf(metadata['name']) : '';
  return `${textOf(apiVersion)} ${textOf(kind) || 'object without kind'}${name === '' ? '' : ` ${JSON.stringify(name)}`}`;
}
