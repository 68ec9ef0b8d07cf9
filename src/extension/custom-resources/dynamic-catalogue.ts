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
import type { DefinitionFeatures } from '../../api/apiextensions/rule-release.ts';
import { coalesced } from '../../base/coalesced.ts';
import { Slice } from '../../base/cooperate.ts';
import type { GroupVersionResource } from '../../meta/gvk.ts';
import { expandNames, type NamingProfile } from '../../meta/naming.ts';
import type { Logger } from '../../observe/log.ts';
import { translated } from '../../registry/storage-errors.ts';
import type { ResourceCatalogue, ServedResource } from '../../registry/types.ts';
import type { SchemaSet } from '../../schema/load-proto.ts';
import { followCollection } from '../../storage/follow-collection.ts';
import { sizeOf } from '../../storage/size.ts';
import type { CollectionId, Entry, Lifetime, Storage } from '../../storage/types.ts';
import { CompiledSchemas } from './compiled-schemas.ts';
import type { ConversionParts, CustomResource, SchemaSources } from './custom-resource.ts';
import { createCustomResource } from './custom-resource.ts';
import { acceptedNames, groupOf, isEstablished, isTerminating, specOf } from './definition.ts';
import { headOf, isRead, readHead, readNow } from './definition-head.ts';
import { MergedCatalogue } from './merged-catalogue.ts';

export interface DynamicCatalogueParts extends Environment, DefinitionFeatures {
  readonly builtIn: ResourceCatalogue;
  readonly schemas: SchemaSet;
  readonly storage: Pick<Storage, 'view' | 'snapshot' | 'watch'>;
  readonly log: Logger;
  readonly conversions: ConversionParts;
}

/**
 * Called after every change of the definitions; `gone` holds group, version and plural of resources that are no
 * longer served or that changed, `groups` the API groups whose definitions changed.
 */
export type CatalogueListener = (gone: ReadonlySet<string>, groups: ReadonlySet<string>) => void;

interface Known {
  readonly entry: Entry;
  /** The API group; '' if the definition cannot be read. */
  readonly group: string;
  /** Schema and names: watches are ended when it changes. */
  readonly shape: string;
  /** Everything that affects how the resource is served. */
  readonly sign: string;
  /** undefined if the definition cannot be served. */
  readonly resource: CustomResource | undefined;
  readonly isServed: boolean;
}

/** Text of new definitions that is read in one step: some milliseconds. */
const bytesAtOnce = 256 * 1024;
/** New definitions that are read in slices before they are served. */
const definitionsOfRound = 100;

/** The collection of definitions. */
export function definitionCollection(naming: NamingProfile): CollectionId {
  return `${expandNames('apiextensions.{api}', naming)}/customresourcedefinitions`;
}

export class DynamicCatalogue {
  /** The collection of definitions. */
  readonly collection: string;
  private readonly parts: DynamicCatalogueParts;
  private readonly whenLoaded = Promise.withResolvers<undefined>();
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
  private readonly compiled = new CompiledSchemas();
  private gone = new Set<string>();
  private changedGroups = new Set<string>();
  /** Of the view that was looked through last: there may be thousands of definitions, and most changes are of others. */
  private contents: object | undefined;
  /** Definitions of it that are not known yet, because they are large or many. */
  private unread: readonly Entry[] = [];
  /** What is made of those that were read in slices, until it is noted. */
  private readonly made = new WeakMap<Entry, Known>();
  /** Large definitions are being read. */
  private reading: Promise<void> | undefined;
  private isStale = true;

  constructor(parts: DynamicCatalogueParts) {
    this.parts = parts;
    this.catalogue = parts.builtIn;
    this.merged = new MergedCatalogue(parts.builtIn);
    this.collection = definitionCollection(parts.builtIn.naming);
    this.follow();
  }

  /** Resolves when all definitions of the first state were read. */
  get loaded(): Promise<undefined> {
    return this.whenLoaded.promise;
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
    // What is small is read by this, as it is without a wait.
    this.current();
    await this.readLeft();
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

  /** A definition by its name, as it is in the view, but for changes that are not read yet. */
  definition(name: string): Entry | undefined {
    this.current();
    return this.known.get(name)?.entry;
  }

  /** All definitions of an API group. */
  definitionsIn(group: string): readonly Entry[] {
    this.current();
    return Array.from(this.byGroup.get(group)?.values() ?? [], ({ entry }) => entry);
  }

  /** Reads what is left in slices. Resolves when all that is in the view was read. */
  private async readLeft(): Promise<void> {
    this.current();
    while (this.unread.length > 0 && !this.stopping.signal.aborted) {
      await (this.reading ??= this.readSome());
      this.current();
    }
  }

  private async readSome(): Promise<void> {
    const slice = new Slice();
    for (const entry of this.unread.slice(0, definitionsOfRound)) {
      await readHead(entry, () => slice.breathe());
      await slice.breathe();
      // A hundred with a hundred versions each take a tenth of a second.
      this.made.set(entry, this.knownOf(entry, this.known.get(entry.key)));
      await slice.breathe();
    }
    this.reading = undefined;
    this.isStale = true;
    this.noteChange();
    await slice.breathe();
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
    const onState = (): void => {
      changed();
      void this.readLeft().then(() => this.whenLoaded.resolve(undefined));
    };
    const listener = { onState, onEvents: changed, onBreak: changed };
    followCollection(this.parts, this.collection, listener, this.stopping.signal);
  }

  /** Runs detached: an error must not crash the process. */
  private notify(): void {
    this.current();
    if (this.unread.length > 0) void this.readLeft();
    const { gone, changedGroups } = this;
    this.gone = new Set();
    this.changedGroups = new Set();
    for (const listener of this.listeners) {
      try {
        listener(gone, changedGroups);
      } catch (error) {
        this.parts.log.error('a listener of catalogue changes failed', { err: error });
      }
    }
  }

  /** Reads the definitions that have changed. */
  private renew(): void {
    this.isStale = false;
    const touched = new Set<string>();
    this.lookThrough(touched);
    if (this.unread.length > 0) this.readAtOnce();
    const left: Entry[] = [];
    for (const entry of this.unread) {
      if (!isRead(entry)) left.push(entry);
      else this.replace(entry.key, this.takenOf(entry), touched);
    }
    this.unread = left;
    if (touched.size === 0) return;
    this.catalogue = this.merged.changed(
      new Map([...touched].map((group) => [group, this.servedIn(group)] as const)),
    );
  }

  /** Finds what is new in the view, and forgets what is gone; does nothing if the view is as it was. */
  private lookThrough(touched: Set<string>): void {
    const view = this.parts.storage.view(this.collection);
    if (view.contents === this.contents) return;
    this.contents = view.contents;
    const unread: Entry[] = [];
    const present = new Set<string>();
    for (const entry of view.entries('', '')) {
      const known = this.known.get(entry.key);
      if (known) present.add(entry.key);
      if (known?.entry !== entry) unread.push(entry);
    }
    this.unread = unread;
    if (this.known.size === present.size) return;
    for (const name of this.known.keys()) if (!present.has(name)) this.replace(name, undefined, touched);
  }

  /** A few small definitions are in effect without a wait. */
  private readAtOnce(): void {
    let left = bytesAtOnce;
    for (const entry of this.unread) {
      if (isRead(entry)) continue;
      left -= sizeOf(entry);
      if (left < 0) return;
      readNow(entry);
    }
  }

  /** Notes what is known of a definition from now on, and the groups whose resources change by that. */
  private replace(name: string, next: Known | undefined, touched: Set<string>): void {
    const old = this.known.get(name);
    this.file(name, old, next);
    this.forgetSchemas(old, next);
    const groups = [old, next].flatMap((known) => known?.group ?? []);
    for (const group of groups) this.changedGroups.add(group);
    if (old && next?.sign === old.sign) return;
    for (const group of groups) touched.add(group);
    if (!old || (next?.isServed === true && next.shape === old.shape)) return;
    for (const { gvr } of servedOf(old)) this.gone.add(keyOf(gvr));
  }

  /** What is kept of a version that is no longer there would keep the text of its whole definition. */
  private forgetSchemas(old: Known | undefined, next: Known | undefined): void {
    const left = new Set(next?.resource?.versions.values());
    for (const version of old?.resource?.versions.values() ?? [])
      if (!left.has(version)) this.compiled.forget(version);
  }

  private file(name: string, old: Known | undefined, next: Known | undefined): void {
    if (old) {
      const own = this.byGroup.get(old.group);
      own?.delete(name);
      if (own?.size === 0) this.byGroup.delete(old.group);
    }
    if (!next) {
      this.known.delete(name);
      return;
    }
    this.known.set(name, next);
    const own = this.byGroup.get(next.group);
    if (own) own.set(name, next);
    else this.byGroup.set(next.group, new Map([[name, next]]));
  }

  /** In the order of their names, on which documents of all replicas agree. */
  private servedIn(group: string): ServedResource[] {
    const own = [...(this.byGroup.get(group) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
    return own.flatMap(([, known]) => servedOf(known));
  }

  private takenOf(entry: Entry): Known {
    const made = this.made.get(entry);
    this.made.delete(entry);
    return made ?? this.knownOf(entry, this.known.get(entry.key));
  }

  /** A definition that cannot be served must not affect others. */
  private knownOf(entry: Entry, before: Known | undefined): Known {
    try {
      return this.readDefinition(entry, before);
    } catch (error) {
      this.parts.log.error('a custom resource cannot be served', { definition: entry.key, err: error });
      return { entry, group: '', shape: '', sign: '', resource: undefined, isServed: false };
    }
  }

  private readDefinition(entry: Entry, before: Known | undefined): Known {
    const { definition, sources } = headOf(entry);
    const shape = shapeOf(definition, sources);
    const isServed = isEstablished(definition);
    const sign = JSON.stringify([shape, isServed, isTerminating(definition)]);
    const known = before?.resource?.versions;
    if (before?.sign === sign) {
      for (const version of known?.values() ?? []) version.readAgainFrom(sources);
      return { ...before, entry };
    }
    const { builtIn, schemas, release, isFeatureEnabled, conversions } = this.parts;
    const resource = createCustomResource({
      ...{ definition, sources, naming: builtIn.naming, schemas, release, conversions },
      ...{ compiled: this.compiled, known, isFeatureEnabled },
    });
    return { entry, group: groupOf(definition), shape, sign, resource, isServed };
  }
}

function servedOf({ resource, isServed }: Known): readonly ServedResource[] {
  return isServed && resource ? resource.served : [];
}

/**
 * The parts of a definition on which its objects depend. The generation is not sufficient, as a deletion changes it.
 */
function shapeOf(definition: CustomResourceDefinition, sources: SchemaSources): string {
  const digests = [...sources.values()].map(({ digest }) => digest);
  const parts = [definition.metadata.uid, specOf(definition), digests, acceptedNames(definition)];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}

/** Names a resource in `gone`. */
export function keyOf({ group, version, resource }: GroupVersionResource): string {
  return `${group}/${version}/${resource}`;
}
