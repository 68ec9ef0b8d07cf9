/**
 * Accept → representation. Negotiated once per resource and header text, then a map look-up; a new form (Protobuf)
 * is one more offer here.
 */
import type { MediaTypeOffer } from '../../codec/media-type.ts';
import { negotiate } from '../../codec/media-type.ts';
import { metaGroup } from '../../meta/naming.ts';
import { badRequest, notAcceptable } from '../../meta/status.ts';
import type { ServerMetrics } from '../../observe/server-metrics.ts';
import type { ServedResource } from '../../registry/types.ts';
import type { RequestContext } from '../context.ts';
import { wantsPretty } from '../pretty.ts';
import { MemoBudget } from './memo-budget.ts';
import { Projected } from './projected.ts';
import type { Projection } from './projection.ts';
import { partialMetadata, wholeObject } from './projection.ts';
import type { Serializer } from './serializer.ts';
import { compactJson, prettyJson, yamlText } from './serializer.ts';
import { StoredJson } from './stored-json.ts';
import type { IncludeObject } from './table.ts';
import { tableOf } from './table.ts';
import type { Representation } from './types.ts';

interface FormOffer extends MediaTypeOffer {
  readonly serializer: Serializer;
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
    const offers = offersFor(resource, wantsPretty(context));
    const chosen = negotiate(context.header('accept'), offers);
    if (!chosen) throw notAcceptable(offers.map((o) => o.essence));
    const { serializer } = chosen.offer;
    const projection = this.projectionOf(resource, chosen.params, context);
    const form = `${serializer.id} ${projection.id}`;
    const known = forms.byForm.get(form);
    if (known) return known;
    const made = this.make(resource, projection, serializer);
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

  private make(resource: ServedResource, projection: Projection, serializer: Serializer): Representation {
    const { group, version, kind } = resource.gvk;
    const framesMade = this.metrics.watchFramesEncoded.cell({ group, version, kind });
    if (resource.isStorageVersion && projection.id === 'whole' && serializer === compactJson) {
      return new StoredJson(resource, this.budget, framesMade);
    }
    return new Projected({ projection, serializer, budget: this.budget, framesMade });
  }
}

const transforms: ReadonlySet<string> = new Set([
  'Table',
  'PartialObjectMetadata',
  'PartialObjectMetadataList',
]);
const transformVersions: ReadonlySet<string> = new Set(['v1', 'v1beta1']);

function offersFor(resource: ServedResource, pretty: boolean): FormOffer[] {
  const group = metaGroup(resource.naming);
  const accepts = (params: ReadonlyMap<string, string>): boolean => {
    const as = params.get('as');
    if (as === undefined) return true;
    return transforms.has(as) && params.get('g') === group && transformVersions.has(params.get('v') ?? '');
  };
  return [
    { essence: 'application/json', serializer: pretty ? prettyJson : compactJson, accepts },
    { essence: 'application/yaml', serializer: yamlText, accepts },
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

const valueOffers: readonly FormOffer[] = [
  { essence: 'application/json', serializer: compactJson, accepts: (params) => !params.has('as') },
  { essence: 'application/yaml', serializer: yamlText, accepts: (params) => !params.has('as') },
];

/** The serializer for an answer that is no stored object (Status, discovery, actions). @throws StatusError 406 */
export function negotiateSerializer(context: RequestContext): Serializer {
  const serializer = acceptedSerializer(context);
  if (!serializer) throw notAcceptable(valueOffers.map((o) => o.essence));
  return serializer;
}

/** The same; undefined when nothing fits. */
export function acceptedSerializer(context: RequestContext): Serializer | undefined {
  const serializer = negotiate(context.header('accept'), valueOffers)?.offer.serializer;
  return serializer === compactJson && wantsPretty(context) ? prettyJson : serializer;
}
