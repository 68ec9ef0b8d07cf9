/**
 * The dynamic catalogue of custom resources. It follows the definitions in the view: a replica serves exactly the
 * definitions that it has observed. Each change makes a new catalogue; unchanged resources stay the same objects, so
 * that caches keyed by them stay valid.
 *
 *   definition written ─▶ etcd ─▶ follower ─▶ view of every replica ─▶ new catalogue ─▶ listeners
 */
import { createHash } from 'node:crypto';
import type { CustomResourceDefinition } from '../../api/apiextensions/custom-resource-definitions.ts';
import { coalesced } from '../../base/coalesced.ts';
import type { GroupVersionResource } from '../../meta/gvk.ts';
import { expandNames } from '../../meta/naming.ts';
import type { Logger } from '../../observe/log.ts';
import { translated } from '../../registry/storage-errors.ts';
import type { ResourceCatalogue, ServedResource } from '../../registry/types.ts';
import type { SchemaSet } from '../../schema/load-proto.ts';
import { followCollection } from '../../storage/follow-collection.ts';
import type { Entry, Lifetime, Storage } from '../../storage/types.ts';
import type { ConversionParts, CustomResource } from './custom-resource.ts';
import { createCustomResource } from './custom-resource.ts';
import { acceptedNames, definitionOf, isEstablished, isTerminating, specOf } from './definition.ts';
import { mergeCatalogue } from './merged-catalogue.ts';

export interface DynamicCatalogueParts {
  readonly builtIn: ResourceCatalogue;
  readonly schemas: SchemaSet;
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
  private known = new Map<string, Known>();
  private catalogue: ResourceCatalogue;
  private gone = new Set<string>();
  private isStale = true;

  constructor(parts: DynamicCatalogueParts) {
    this.parts = parts;
    this.catalogue = parts.builtIn;
    const group = expandNames('apiextensions.{api}', parts.builtIn.naming);
    this.collection = `${group}/customresourcedefinitions`;
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
  definitions(): Entry[] {
    return [...this.parts.storage.view(this.collection).entries('', '')];
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
    followCollection(this.parts.storage, this.collection, listener, this.stopping.signal);
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

  private renew(): void {
    this.isStale = false;
    const before = this.known;
    this.known = new Map(this.definitions().map((entry) => [entry.key, this.knownOf(entry)]));
    const isSame =
      before.size === this.known.size &&
      [...this.known].every(([name, { sign }]) => before.get(name)?.sign === sign);
    if (isSame) return;
    for (const [name, old] of before) {
      const next = this.known.get(name);
      if (next?.isServed === true && next.shape === old.shape) continue;
      for (const { gvr } of servedOf(old)) this.gone.add(keyOf(gvr));
    }
    this.catalogue = mergeCatalogue(this.parts.builtIn, [...this.known.values()].flatMap(servedOf));
  }

  /** A definition that cannot be served must not affect others. */
  private knownOf(entry: Entry): Known {
    const before = this.known.get(entry.key);
    if (before?.entry === entry) return before;
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
    const { builtIn, schemas, conversions } = this.parts;
    const resource =
      before?.sign === sign
        ? before.resource
        : createCustomResource({
            ...{ definition, naming: builtIn.naming, schemas, conversions },
            known: before?.resource?.versions,
          });
    return { entry, shape, sign, resource, isServed };
  }
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
