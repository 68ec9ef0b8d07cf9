/**
 * The dynamic catalogue of custom resources. It follows the definitions in the view: a replica serves exactly the
 * definitions that it has observed. Each change makes a new catalogue; unchanged resources stay the same objects, so
 * that caches keyed by them stay valid.
 *
 *   definition written ─▶ etcd ─▶ follower ─▶ view of every replica ─▶ new catalogue ─▶ listeners
 */
import type { Environment } from '../../base/environment.ts';
import { createHash } from 'node:crypto';
import type { CustomResourceDefinition } from '../../api/apiextensions/custom-resource-definitions.ts';
import type { EmulatedRelease } from '../../api/types.ts';
import { coalesced } from '../../base/coalesced.ts';
import type { GroupVersionResource } from '../../meta/gvk.ts';
import { expandNames, type NamingProfile } from '../../meta/naming.ts';
import type { Logger } from '../../observe/log.ts';
import { translated } from '../../registry/storage-errors.ts';
import type { ResourceCatalogue, ServedResource } from '../../registry/types.ts';
import type { SchemaSet } from '../../schema/load-proto.ts';
import { followCollection } from '../../storage/follow-collection.ts';
import type { CollectionId, Entry, Lifetime, Storage } from '../../storage/types.ts';
import type { ConversionParts, CustomResource } from './custom-resource.ts';
import { createCustomResource } from './custom-resource.ts';
import { acceptedNames, definitionOf, isEstablished, isTerminating, specOf } from './definition.ts';
import { MergedCatalogue } from './merged-catalogue.ts';

export interface DynamicCatalogueParts extends Environment {
  readonly builtIn: ResourceCatalogue;
  readonly schemas: SchemaSet;
  /** The release that is emulated; absent: one without validation rules. */
  readonly release?: EmulatedRelease | undefined;
  readonly storage: Pick<Storage, 'view' | 'snapshot' | 'watch'>;
  readonly log: Logger;
  readonly conversions: ConversionParts;
}

/**
 * Called after every change of the definitions; `gone` holds group, version and plural of resources that are no
 * longer served or that changed.
 */
export type CatalogueListener = (gone: ReadonlySet<string>) => void;

interface Known {
  readonly entry: Entry;
  /** Schema and names: watches are ended when it changes. */
  readonly shape: string;
  /** Everything that affects how the resource is served. */
  readonly sign: string;
  /** undefined if the definition cannot be served. */
  readonly resource: CustomResource | undefined;
  readonly isServed: boolean;
}

/** The collection of definitions. */
export function definitionCollection(naming: NamingProfile): CollectionId {
  return `${expandNames('apiextensions.{api}', naming)}/customresourcedefinitions`;
}

export class DynamicCatalogue {
  /** The collection of definitions. */
  readonly collection: string;
  private readonly parts: DynamicCatalogueParts;
  private readonly stopping = new AbortController();
  private readonly listeners: CatalogueListener[] = [];
  /** Coalesces concurrent changes. */
  private readonly noteChange = coalesced(() => {
    if (!this.stopping.signal.aborted) this.notify();
  });
  private readonly known = new Map<string, Known>();
  /** What is known, by API group and name. */
  private readonly byGroup = new Map<string, Map<string, Known>>();
  private readonly merged: MergedCatalogue;
  private catalogue: ResourceCatalogue;
  private gone = new Set<string>();
  private isStale = true;

  constructor(parts: DynamicCatalogueParts) {
    this.parts = parts;
    this.catalogue = parts.builtIn;
    this.merged = new MergedCatalogue(parts.builtIn);
    this.collection = definitionCollection(parts.builtIn.naming);
    this.follow();
  }

  /** The current catalogue of this replica; the same object until a definition changes. */
  current(): ResourceCatalogue {
    if (this.isStale) this.renew();
    return this.catalogue;
  }

  /**
   * The catalogue after a consistent read: includes every change committed before this call.
   * @throws StatusError 503, 504 if etcd is unavailable
   */
  async fresh(lifetime: Lifetime): Promise<ResourceCatalogue> {
    const [group = '', resource = ''] = this.collection.split('/');
    await translated({ resource: { group, resource }, name: '' }, () =>
      this.parts.storage.snapshot(this.collection, { kind: 'mostRecent' }, lifetime),
    );
    this.isStale = true;
    return this.current();
  }

  /** A proxy that always delegates to the current catalogue. */
  live(): ResourceCatalogue {
    return {
      naming: this.parts.builtIn.naming,
      groups: () => this.current().groups(),
      resource: (group, version, plural) => this.current().resource(group, version, plural),
      kind: (group, version, kind) => this.current().kind(group, version, kind),
    };
  }

  /** The definitions in the view. */
  definitions(): readonly Entry[] {
    return this.parts.storage.view(this.collection).page('', '', Number.POSITIVE_INFINITY);
  }

  /** The resource of a definition by name, even if it is not served. */
  resourceOf(name: string): CustomResource | undefined {
    this.current();
    return this.known.get(name)?.resource;
  }

  onChange(listener: CatalogueListener): void {
    this.listeners.push(listener);
  }

  close(): void {
    this.stopping.abort();
  }

  /** A reloaded view may have other definitions. */
  private follow(): void {
    const changed = (): void => {
      this.isStale = true;
      this.noteChange();
    };
    const listener = { onState: changed, onEvents: changed, onBreak: changed };
    followCollection(this.parts, this.collection, listener, this.stopping.signal);
  }

  /** Runs detached: an error must not crash the process. */
  private notify(): void {
    this.current();
    const { gone } = this;
    this.gone = new Set();
    for (const listener of this.listeners) {
      try {
        listener(gone);
      } catch (error) {
        this.parts.log.error('a listener of catalogue changes failed', { err: error });
      }
    }
  }

  /** Reads the definitions that have changed. */
  private renew(): void {
    this.isStale = false;
    const entries = this.definitions();
    const touched = new Set<string>();
    for (const entry of entries) {
      const before = this.known.get(entry.key);
      if (before?.entry !== entry) this.replace(entry.key, this.knownOf(entry, before), touched);
    }
    if (this.known.size > entries.length) {
      const present = new Set(entries.map(({ key }) => key));
      for (const name of this.known.keys()) if (!present.has(name)) this.replace(name, undefined, touched);
    }
    if (touched.size === 0) return;
    this.catalogue = this.merged.changed(
      new Map([...touched].map((group) => [group, this.servedIn(group)] as const)),
    );
  }

  /** Notes what is known of a definition from now on, and the groups whose resources change by that. */
  private replace(name: string, next: Known | undefined, touched: Set<string>): void {
    const old = this.known.get(name);
    this.file(name, old, next);
    if (old && next?.sign === old.sign) return;
    for (const known of [old, next]) if (known) touched.add(groupOf(known));
    if (!old || (next?.isServed === true && next.shape === old.shape)) return;
    for (const { gvr } of servedOf(old)) this.gone.add(keyOf(gvr));
  }

  private file(name: string, old: Known | undefined, next: Known | undefined): void {
    if (old) {
      const group = groupOf(old);
      const own = this.byGroup.get(group);
      own?.delete(name);
      if (own?.size === 0) this.byGroup.delete(group);
    }
    if (!next) {
      this.known.delete(name);
      return;
    }
    this.known.set(name, next);
    const group = groupOf(next);
    const own = this.byGroup.get(group);
    if (own) own.set(name, next);
    else this.byGroup.set(group, new Map([[name, next]]));
  }

  /** In the order of their names, on which documents of all replicas agree. */
  private servedIn(group: string): ServedResource[] {
    const own = [...(this.byGroup.get(group) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
    return own.flatMap(([, known]) => servedOf(known));
  }

  /** A definition that cannot be served must not affect others. */
  private knownOf(entry: Entry, before: Known | undefined): Known {
    try {
      return this.readDefinition(entry, before);
    } catch (error) {
      this.parts.log.error('a custom resource cannot be served', { definition: entry.key, err: error });
      return { entry, shape: '', sign: '', resource: undefined, isServed: false };
    }
  }

  private readDefinition(entry: Entry, before: Known | undefined): Known {
    const definition = definitionOf(entry);
    const shape = shapeOf(definition);
    const isServed = isEstablished(definition);
    const sign = JSON.stringify([shape, isServed, isTerminating(definition)]);
    const { builtIn, schemas, release, conversions } = this.parts;
    const resource =
      before?.sign === sign
        ? before.resource
        : createCustomResource({
            ...{ definition, naming: builtIn.naming, schemas, release, conversions },
            known: before?.resource?.versions,
          });
    return { entry, shape, sign, resource, isServed };
  }
}

function groupOf({ resource }: Known): string {
  return resource?.stored.gvr.group ?? '';
}

function servedOf({ resource, isServed }: Known): readonly ServedResource[] {
  return isServed && resource ? resource.served : [];
}

/**
 * The parts of a definition on which its objects depend. The generation is not sufficient, as a deletion changes it.
 */
function shapeOf(definition: CustomResourceDefinition): string {
  const parts = [definition.metadata.uid, specOf(definition), acceptedNames(definition)];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}

/** Names a resource in `gone`. */
export function keyOf({ group, version, resource }: GroupVersionResource): string {
  return `${group}/${version}/${resource}`;
}
