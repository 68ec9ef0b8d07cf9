/** Accept → representation. Negotiated once per resource and header text, then a map look-up. */
import type { MediaTypeOffer } from '../../codec/media-type.ts';
import { negotiate } from '../../codec/media-type.ts';
import { metaGroup, protobufMediaType } from '../../meta/naming.ts';
import { badRequest, notAcceptable } from '../../meta/status.ts';
import type { NumberCell } from '../../observe/cells.ts';
import type { ServerMetrics } from '../../observe/server-metrics.ts';
import type { ServedResource } from '../../registry/types.ts';
import type { RequestContext } from '../context.ts';
import { wantsPretty } from '../pretty.ts';
import type { WireTypes } from '../wire-types.ts';
import { hasProtobuf } from '../wire-types.ts';
import { MemoBudget } from './memo-budget.ts';
import { Projected } from './projected.ts';
import type { Projection } from './projection.ts';
import { partialMetadata, wholeObject } from './projection.ts';
import { ProtobufForm } from './protobuf-form.ts';
import type { Serializer } from './serializer.ts';
import { compactJson, prettyJson, yamlText } from './serializer.ts';
import { StoredJson } from './stored-json.ts';
import type { IncludeObject } from './table.ts';
import { tableOf } from './table.ts';
import type { Representation } from './types.ts';

interface FormOffer extends MediaTypeOffer {
  /** Absent: Protobuf, which is no text. */
  readonly serializer?: Serializer;
}

/** Per resource: by the text of the request, and by form, so that equal forms share what is remembered. */
interface Forms {
  readonly byRequest: Map<string, Representation>;
  readonly byForm: Map<string, Representation>;
}

/** Header texts remembered per resource; a client that varies them only loses the shortcut. */
const maxRemembered = 128;

export interface RepresentationsOptions {
  readonly metrics: ServerMetrics;
  /** Bytes that remembered representations may take together. */
  readonly memoBytes?: number;
  readonly now?: () => Date;
}

export class Representations {
  readonly budget: MemoBudget;
  private readonly metrics: ServerMetrics;
  private readonly now: () => Date;
  private readonly forms = new WeakMap<ServedResource, Forms>();

  constructor(options: RepresentationsOptions) {
    this.metrics = options.metrics;
    this.now = options.now ?? ((): Date => new Date());
    this.budget = new MemoBudget(options.memoBytes ?? 64 * 1024 * 1024);
  }

  /** The form that this request asks for. @throws StatusError 406; 400 for an unknown `includeObject` */
  of(context: RequestContext, resource: ServedResource): Representation {
    let forms = this.forms.get(resource);
    if (!forms) this.forms.set(resource, (forms = { byRequest: new Map(), byForm: new Map() }));
    const include = context.query.text === '' ? '' : context.query.get('includeObject');
    const key = `${context.header('accept')}\n${wantsPretty(context) ? 'pretty' : ''}\n${include}`;
    const known = forms.byRequest.get(key);
    if (known) return known;
    const made = this.negotiated(context, resource, forms);
    if (forms.byRequest.size >= maxRemembered) forms.byRequest.clear();
    forms.byRequest.set(key, made);
    return made;
  }

  private negotiated(context: RequestContext, resource: ServedResource, forms: Forms): Representation {
    const { types } = context.phase;
    const offers = offersFor(resource, wantsPretty(context), types !== undefined);
    const chosen = negotiate(context.header('accept'), offers);
    if (!chosen) throw notAcceptable(offers.map((o) => o.essence));
    const { serializer } = chosen.offer;
    const projection = this.projectionOf(resource, chosen.params, context);
    const form = `${serializer?.id ?? 'protobuf'} ${projection.id}`;
    const known = forms.byForm.get(form);
    if (known) return known;
    const made =
      serializer || !types
        ? this.text(resource, projection, serializer ?? compactJson)
        : this.protobuf(resource, projection, types);
    forms.byForm.set(form, made);
    return made;
  }

  private projectionOf(
    resource: ServedResource,
    params: ReadonlyMap<string, string>,
    context: RequestContext,
  ): Projection {
    const as = params.get('as') ?? '';
    const version = params.get('v') ?? '';
    if (as === '') return wholeObject(resource);
    if (as !== 'Table') return partialMetadata(resource, version);
    return tableOf(resource, { version, includeObject: includeObjectOf(context), now: this.now });
  }

  private text(resource: ServedResource, projection: Projection, serializer: Serializer): Representation {
    const framesMade = this.framesMade(resource);
    if (resource.isStorageVersion && projection.id === 'whole' && serializer === compactJson) {
      return new StoredJson(resource, this.budget, framesMade);
    }
    return new Projected({ projection, serializer, budget: this.budget, framesMade });
  }

  private protobuf(resource: ServedResource, projection: Projection, types: WireTypes): Representation {
    const framesMade = this.framesMade(resource);
    return new ProtobufForm({ projection, types, budget: this.budget, framesMade });
  }

  private framesMade({ gvk: { group, version, kind } }: ServedResource): NumberCell {
    return this.metrics.watchFramesEncoded.cell({ group, version, kind });
  }
}

const transforms: ReadonlySet<string> = new Set([
  'Table',
  'PartialObjectMetadata',
  'PartialObjectMetadataList',
]);
const transformVersions: ReadonlySet<string> = new Set(['v1', 'v1beta1']);

function offersFor(resource: ServedResource, pretty: boolean, speaksProtobuf: boolean): FormOffer[] {
  const group = metaGroup(resource.naming);
  const accepts = (params: ReadonlyMap<string, string>): boolean => {
    const as = params.get('as');
    if (as === undefined) return true;
    return transforms.has(as) && params.get('g') === group && transformVersions.has(params.get('v') ?? '');
  };
  const protobuf: FormOffer = {
    essence: protobufMediaType(resource.naming),
    accepts: (params) => params.get('as') !== 'Table' && accepts(params),
  };
  return [
    { essence: 'application/json', serializer: pretty ? prettyJson : compactJson, accepts },
    { essence: 'application/yaml', serializer: yamlText, accepts },
    ...(speaksProtobuf && hasProtobuf(resource) ? [protobuf] : []),
  ];
}

function includeObjectOf(context: RequestContext): IncludeObject {
  const asked = context.query.get('includeObject');
  if (asked === '') return 'Metadata';
  if (asked === 'None' || asked === 'Metadata' || asked === 'Object') return asked;
  throw badRequest(
    `unrecognized includeObject value: ${JSON.stringify(asked)}; give None, Metadata or Object`,
  );
}
