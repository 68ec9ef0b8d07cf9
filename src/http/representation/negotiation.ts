/** Content negotiation: Accept → representation. Cached per resource and header text. */
import type { Environment } from '../../base/environment.ts';
import type { MediaTypeOffer } from '../../codec/media-type.ts';
import { negotiate } from '../../codec/media-type.ts';
import { cborMediaType } from '../../codec/decode-body.ts';
import { metaGroup, protobufMediaType } from '../../meta/naming.ts';
import { badRequest, notAcceptable, notAcceptableAs } from '../../meta/status.ts';
import type { NumberSeries } from '../../observe/metric-series.ts';
import type { ServerMetrics } from '../../observe/server-metrics.ts';
import type { ServedResource } from '../../registry/types.ts';
import type { RequestContext } from '../request-context.ts';
import { wantsPretty } from '../pretty.ts';
import type { WireTypes } from '../wire-types.ts';
import { hasProtobuf } from '../wire-types.ts';
import { CborForm } from './cbor-form.ts';
import { JsonForm } from './json-form.ts';
import { ConvertedObjects, MetadataItems } from './json-items.ts';
import { WatchFrameCache } from './watch-frame-cache.ts';
import { EntryCache } from '../../registry/entry-cache.ts';
import { Projected } from './projected.ts';
import type { Projection } from './projection.ts';
import { partialMetadata, wholeObject } from './projection.ts';
import { ProtobufForm } from './protobuf-form.ts';
import { Linked, LinkedEntries } from './linked.ts';
import { compactJson, prettyJson, yamlText } from './serializer.ts';
import { StoredJson } from './stored-json.ts';
import type { IncludeObject } from './table.ts';
import { Table } from './table.ts';
import type { FormSpec, Representation } from './types.ts';

interface FormOffer extends MediaTypeOffer {
  /** Name of the form, for its specification. */
  readonly id: string;
}

interface Asked {
  readonly context: RequestContext;
  readonly resource: ServedResource;
  readonly shape: Shape;
}

/** A form of a resource that is to be built. */
interface Specified {
  readonly resource: ServedResource;
  readonly spec: FormSpec;
}

/** Per resource: by header text, and by form, so that equal forms share their caches. */
interface Forms {
  readonly byRequest: Map<string, Representation>;
  readonly byForm: Map<string, Representation>;
}

/** Cached header texts per resource; a client that varies them only misses the cache. */
const maxRemembered = 128;
/** Characters of what is remembered of a request; those of clients have a few hundred, and a line of a request has room for 60,000. */
const longestRemembered = 1_024;

/** The shape of a response: single objects (also in watches), or a list. */
export type Shape = 'object' | 'list';

export interface RepresentationsOptions extends Environment {
  readonly metrics: ServerMetrics;
  /** Maximum bytes of all cached representations; a quarter is for frames. */
  readonly cacheBytes?: number;
  /** Objects and lists have links to themselves; absent: they have none. */
  readonly hasLinks?: boolean;
}

/** Parts for the frames of watches. */
interface FrameParts {
  readonly frames: WatchFrameCache;
  readonly framesMade: NumberSeries;
}

const defaultCacheBytes = 96 * 1024 * 1024;

export class Representations {
  private readonly kept: EntryCache;
  private readonly frames: WatchFrameCache;
  private readonly metrics: ServerMetrics;
  private readonly hasLinks: boolean;
  /** By resource and subresource. */
  private readonly linked = new WeakMap<ServedResource, Map<string, LinkedEntries>>();
  private readonly now: () => Date;
  private readonly forms = new WeakMap<ServedResource, Forms>();

  constructor(options: RepresentationsOptions) {
    const { metrics, clock, random, cacheBytes = defaultCacheBytes } = options;
    this.hasLinks = options.hasLinks === true;
    this.metrics = metrics;
    this.now = () => new Date(clock.now());
    const size = metrics.representationBytes;
    const cells = {
      made: metrics.representationsMade.series(),
      evicted: metrics.representationsEvicted.series(),
      size: size.series({ kind: 'item' }),
    };
    this.kept = new EntryCache((cacheBytes / 4) * 3, cells, random);
    this.frames = new WatchFrameCache(cacheBytes / 4, size.series({ kind: 'frame' }));
  }

  /** Bytes in the cache; never more than its limit. */
  get cacheBytes(): number {
    return this.kept.size + this.frames.size;
  }

  /** Leaves nothing on entries; call it after the last request. */
  close(): void {
    this.kept.clear();
    this.frames.clear();
  }

  /**
   * The negotiated form of this request.
   * @throws StatusError 406; 400 for an unknown `includeObject`
   */
  of(context: RequestContext, resource: ServedResource, shape: Shape): Representation {
    const form = this.formOf(context, resource, shape);
    if (!this.hasLinks) return form;
    const { path, subresource } = context.info;
    return new Linked(form, this.entriesOf(resource, subresource), path);
  }

  private entriesOf(resource: ServedResource, subresource: string): LinkedEntries {
    const known = this.linked.get(resource) ?? new Map<string, LinkedEntries>();
    const entries = known.get(subresource) ?? new LinkedEntries({ resource, subresource });
    this.linked.set(resource, known.set(subresource, entries));
    return entries;
  }

  private formOf(context: RequestContext, resource: ServedResource, shape: Shape): Representation {
    const forms = this.formsOf(resource);
    const include = context.query.text === '' ? '' : context.query.get('includeObject');
    const key = `${context.header('accept')}\n${wantsPretty(context) ? 'pretty' : ''}\n${include}\n${shape}`;
    const known = forms.byRequest.get(key);
    if (known) return known;
    const made = this.negotiated({ context, resource, shape });
    if (key.length > longestRemembered) return made;
    if (forms.byRequest.size >= maxRemembered) forms.byRequest.clear();
    forms.byRequest.set(key, made);
    return made;
  }

  private negotiated({ context, resource, shape }: Asked): Representation {
    const { types } = context.phase;
    const offers = offersFor(resource, wantsPretty(context), types);
    const chosen = negotiate(context.header('accept'), offers);
    if (!chosen) throw notAcceptable(offers.filter(isGeneral).map((o) => o.essence));
    assertFits(chosen.params, resource, shape);
    const spec = {
      serializer: chosen.offer.id,
      as: chosen.params.get('as') ?? '',
      version: chosen.params.get('v') ?? '',
      includeObject: context.query.get('includeObject'),
    };
    return this.form(resource, spec, types);
  }

  /**
   * The form that was negotiated, here or in another thread.
   * @throws StatusError 400 for an unknown `includeObject`
   */
  form(resource: ServedResource, spec: FormSpec, types: WireTypes | undefined): Representation {
    const { byForm } = this.formsOf(resource);
    const projection = this.projectionOf(resource, spec);
    const form = `${spec.serializer} ${projection.id}`;
    const known = byForm.get(form);
    if (known) return known;
    const made = this.made(projection, { resource, spec, types });
    byForm.set(form, made);
    return made;
  }

  private made(
    projection: Projection,
    { types, ...specified }: Specified & { readonly types: WireTypes | undefined },
  ): Representation {
    const { serializer } = specified.spec;
    if (serializer === 'protobuf' && types) return this.protobuf(projection, { ...specified, types });
    if (serializer === 'cbor') return this.cbor(projection, specified);
    return this.text(projection, specified);
  }

  private formsOf(resource: ServedResource): Forms {
    let forms = this.forms.get(resource);
    if (!forms) this.forms.set(resource, (forms = { byRequest: new Map(), byForm: new Map() }));
    return forms;
  }

  private projectionOf(resource: ServedResource, { as, version, includeObject }: FormSpec): Projection {
    if (as === '') return wholeObject(resource);
    if (as !== 'Table') return partialMetadata(resource, version);
    const shown = includeObjectOf(includeObject);
    return new Table(resource, { version, includeObject: shown, now: this.now, kept: this.kept });
  }

  private text(projection: Projection, { resource, spec }: Specified): Representation {
    const serializer = serializers.find(({ id }) => id === spec.serializer) ?? compactJson;
    if (serializer === compactJson) return this.json(projection, { resource, spec });
    const parts = { serializer, spec, ...this.frameParts(resource) };
    if (!(projection instanceof Table)) return new Projected({ projection, ...parts });
    const next = new Projected({ projection: projection.withoutColumns, ...parts });
    return new Projected({ projection, next, ...parts });
  }

  private json(projection: Projection, { resource, spec }: Specified): Representation {
    const frameParts = this.frameParts(resource);
    if (projection instanceof Table) return jsonTable(projection, { ...frameParts, spec });
    if (projection.id !== 'whole') {
      return new JsonForm({
        projection,
        items: new MetadataItems(projection.itemType, this.kept),
        ...frameParts,
      });
    }
    if (resource.conversion.isInternal) return new StoredJson(resource, frameParts);
    const objects = new ConvertedObjects(resource, this.kept);
    return new JsonForm({ projection, items: objects.items, objects, spec, ...frameParts });
  }

  private protobuf(
    projection: Projection,
    { resource, ...parts }: Specified & { readonly types: WireTypes },
  ): Representation {
    return new ProtobufForm({ projection, ...parts, kept: this.kept, ...this.frameParts(resource) });
  }

  private cbor(projection: Projection, { resource, spec }: Specified): Representation {
    // Of custom resources, and of metadata, no field is known to hold bytes.
    const isTyped = projection.id === 'whole' && hasProtobuf(resource);
    return new CborForm({
      ...{ projection, spec, kept: this.kept, hasTypedItems: !isTyped },
      schema: isTyped ? resource.schema : undefined,
      ...this.frameParts(resource),
    });
  }

  private frameParts(resource: ServedResource): FrameParts {
    return { frames: this.frames, framesMade: this.framesMade(resource) };
  }

  private framesMade({ gvk: { group, version, kind } }: ServedResource): NumberSeries {
    return this.metrics.watchFramesEncoded.series({ group, version, kind });
  }
}

/** Both forms share the cached rows; frames are cached per form. */
function jsonTable(table: Table, frameParts: FrameParts & { readonly spec: FormSpec }): JsonForm {
  const parts = { items: table.jsonItems, frameVariant: table.timesIn, ...frameParts };
  const tail = table.withoutColumns;
  const next = new JsonForm({ projection: tail, objects: tail.jsonObjects(parts.items), ...parts });
  return new JsonForm({ projection: table, objects: table.jsonObjects(parts.items), next, ...parts });
}

const serializers = [compactJson, prettyJson, yamlText];

const transforms: ReadonlySet<string> = new Set([
  'Table',
  'PartialObjectMetadata',
  'PartialObjectMetadataList',
]);
const transformVersions: ReadonlySet<string> = new Set(['v1', 'v1beta1']);

function offersFor(resource: ServedResource, pretty: boolean, types: WireTypes | undefined): FormOffer[] {
  const group = metaGroup(resource.naming);
  const accepts = (params: ReadonlyMap<string, string>): boolean => {
    const as = params.get('as');
    if (as === undefined) return true;
    return transforms.has(as) && params.get('g') === group && transformVersions.has(params.get('v') ?? '');
  };
  // Resources without a Protobuf form still offer Protobuf metadata, which are of a built-in type.
  const isOffered = (as: string | undefined): boolean =>
    as === undefined ? hasProtobuf(resource) : as !== 'Table';
  const protobuf: FormOffer = {
    id: 'protobuf',
    essence: protobufMediaType(resource.naming),
    accepts: (params) => isOffered(params.get('as')) && accepts(params),
  };
  // Tables are for people: in the reference, too, there is none in CBOR.
  const cbor: FormOffer = {
    id: 'cbor',
    essence: cborMediaType,
    accepts: (params) => params.get('as') !== 'Table' && accepts(params),
  };
  return [
    { essence: 'application/json', id: (pretty ? prettyJson : compactJson).id, accepts },
    { essence: 'application/yaml', id: yamlText.id, accepts },
    ...(types ? [protobuf] : []),
    ...(types?.speaksCbor === true ? [cbor] : []),
  ];
}

/** Can be requested without parameters. */
function isGeneral({ accepts }: FormOffer): boolean {
  return accepts?.(new Map()) !== false;
}

/**
 * PartialObjectMetadata is for single objects, PartialObjectMetadataList for lists. As in kube-apiserver, a mismatch
 * does not fall back to another accepted form; nothing has been changed at this point.
 */
function assertFits(
  params: ReadonlyMap<string, string>,
  { listKind, gvk }: ServedResource,
  shape: Shape,
): void {
  const as = params.get('as') ?? '';
  if (as === 'PartialObjectMetadata' && shape === 'list') throw notAcceptableAs(as, `a list (${listKind})`);
  if (as === 'PartialObjectMetadataList' && shape === 'object') {
    throw notAcceptableAs(as, `not a list (${gvk.kind})`);
  }
}

function includeObjectOf(asked: string): IncludeObject {
  if (asked === '') return 'Metadata';
  if (asked === 'None' || asked === 'Metadata' || asked === 'Object') return asked;
  throw badRequest(
    `unrecognized includeObject value: ${JSON.stringify(asked)}; give None, Metadata or Object`,
  );
}
