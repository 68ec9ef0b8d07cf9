/** Forms of responses that are not stored objects: Status, discovery, actions. */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';
import type { MediaTypeOffer } from '../../codec/media-type.ts';
import { negotiate } from '../../codec/media-type.ts';
import { encodeCborDocument } from '../../codec/cbor/encode-cbor.ts';
import { cborMediaType } from '../../codec/decode-body.ts';
import { encodeProtobuf } from '../../codec/protobuf/codec.ts';
import { protobufMediaType } from '../../meta/naming.ts';
import { notAcceptable } from '../../meta/status.ts';
import type { RequestContext } from '../request-context.ts';
import { wantsPretty } from '../pretty.ts';
import type { WireTypes } from '../wire-types.ts';
import type { Serializer } from './serializer.ts';
import { compactJson, prettyJson, yamlText } from './serializer.ts';

export interface ValueForm {
  /** Name of the form in cache keys. */
  readonly id: string;
  readonly mediaType: string;
  readonly bytes: (value: JsonValue) => Buffer;
}

interface ValueOffer extends MediaTypeOffer {
  readonly form: ValueForm;
}

const compact = textForm(compactJson);
const pretty = textForm(prettyJson);
const textOffers: readonly ValueOffer[] = [
  { essence: 'application/json', form: compact, accepts: isWhole },
  { essence: 'application/yaml', form: textForm(yamlText), accepts: isWhole },
];
const cborForm: ValueForm = {
  id: 'cbor',
  mediaType: cborMediaType,
  bytes: (value) => encodeCborDocument(value),
};
const allOffers = new WeakMap<WireTypes, readonly ValueOffer[]>();

/**
 * The negotiated form of the request.
 * @throws StatusError 406
 */
export function negotiateValueForm(context: RequestContext): ValueForm {
  const form = acceptedForm(context);
  if (!form) throw notAcceptable(offersOf(context).map((o) => o.essence));
  return form;
}

/** Like `negotiateValueForm`, but JSON if nothing is acceptable: the outcome must be reported in some form. */
export function outcomeForm(context: RequestContext): ValueForm {
  return acceptedForm(context) ?? jsonForm(context);
}

function acceptedForm(context: RequestContext): ValueForm | undefined {
  const form = negotiate(context.header('accept'), offersOf(context))?.offer.form;
  return form === compact ? jsonForm(context) : form;
}

function jsonForm(context: RequestContext): ValueForm {
  return wantsPretty(context) ? pretty : compact;
}

function offersOf({ phase: { types } }: RequestContext): readonly ValueOffer[] {
  if (!types) return textOffers;
  let offers = allOffers.get(types);
  if (!offers) {
    const form = protobufForm(types);
    const forms = [form, ...(types.speaksCbor ? [cborForm] : [])];
    offers = [...textOffers, ...forms.map(offerOf)];
    allOffers.set(types, offers);
  }
  return offers;
}

function offerOf(form: ValueForm): ValueOffer {
  return { essence: form.mediaType, form, accepts: isWhole };
}

function isWhole(params: ReadonlyMap<string, string>): boolean {
  return !params.has('as');
}

function textForm({ id, mediaType, value }: Serializer): ValueForm {
  return { id, mediaType, bytes: (content) => Buffer.from(value(content)) };
}

function protobufForm(types: WireTypes): ValueForm {
  return {
    id: 'protobuf',
    mediaType: protobufMediaType(types.naming),
    bytes: (value) => encodeValue(types, isObject(value) ? value : {}),
  };
}

function encodeValue(types: WireTypes, object: JsonObject): Buffer {
  const { apiVersion, kind } = object;
  const isNamed = typeof kind === 'string' && (apiVersion === undefined || typeof apiVersion === 'string');
  const schema = isNamed ? types.find(apiVersion ?? '', kind) : undefined;
  if (!schema) throw new Error(`${JSON.stringify(kind)} has no Protobuf form`);
  return encodeProtobuf(schema, object);
}
