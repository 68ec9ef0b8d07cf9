/** Forms of responses that are not stored objects: Status, discovery, actions. */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';
import type { MediaTypeOffer } from '../../codec/media-type.ts';
import { negotiate } from '../../codec/media-type.ts';
import { cborInSteps, encodeCborDocument } from '../../codec/cbor/encode-cbor.ts';
import { cborMediaType } from '../../codec/decode-body.ts';
import { jsonInSteps } from '../../codec/json-in-steps.ts';
import { encodeProtobuf, protobufInSteps } from '../../codec/protobuf/codec.ts';
import { yamlInSteps } from '../../codec/encode-yaml.ts';
import { typeFirst } from '../../codec/yaml-order.ts';
import { protobufMediaType } from '../../meta/naming.ts';
import { notAcceptable } from '../../meta/status.ts';
import type { StructSchema } from '../../schema/types.ts';
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
  /** The same in parts, made in steps: for values that may be large. */
  readonly inSteps: (value: JsonValue) => Generator<void, Buffer[], void>;
}

interface ValueOffer extends MediaTypeOffer {
  readonly form: ValueForm;
}

const compact = textForm(compactJson, (value) => jsonParts(value, 0));
const pretty = textForm(prettyJson, (value) => jsonParts(value, 2));
const textOffers: readonly ValueOffer[] = [
  { essence: 'application/json', form: compact, accepts: isWhole },
  { essence: 'application/yaml', form: textForm(yamlText, yamlParts), accepts: isWhole },
];
const cborForm: ValueForm = {
  id: 'cbor',
  mediaType: cborMediaType,
  bytes: (value) => encodeCborDocument(value),
  *inSteps(value) {
    return [yield* cborInSteps(value)];
  },
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

/** The form of a media type, not indented. @throws Error for one that is not offered */
export function valueFormOf(context: RequestContext, essence: string): ValueForm {
  const offer = offersOf(context).find((offered) => offered.essence === essence);
  if (!offer) throw new Error(`there is no form ${essence}`);
  return offer.form;
}

function acceptedForm(context: RequestContext): ValueForm | undefined {
  const form = negotiate(context.header('accept'), offersOf(context))?.offer.form;
  return form === compact ? jsonForm(context) : form;
}

/** JSON, indented where that is asked for. */
export function jsonForm(context: RequestContext): ValueForm {
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

function textForm({ id, mediaType, value }: Serializer, inSteps: ValueForm['inSteps']): ValueForm {
  return { id, mediaType, bytes: (content) => Buffer.from(value(content)), inSteps };
}

function* jsonParts(value: JsonValue, indent: number): Generator<void, Buffer[], void> {
  const parts: Buffer[] = [];
  for (const piece of jsonInSteps(value, indent)) {
    parts.push(Buffer.from(piece));
    yield;
  }
  return [...parts, Buffer.from('\n')];
}

function* yamlParts(value: JsonValue): Generator<void, Buffer[], void> {
  const pieces = yield* yamlInSteps(typeFirst(value));
  return pieces.map((piece) => Buffer.from(piece));
}

function protobufForm(types: WireTypes): ValueForm {
  return {
    id: 'protobuf',
    mediaType: protobufMediaType(types.naming),
    bytes: (value) => encodeProtobuf(...typed(types, value)),
    *inSteps(value) {
      return [yield* protobufInSteps(...typed(types, value))];
    },
  };
}

function typed(types: WireTypes, value: JsonValue): [schema: StructSchema, object: JsonObject] {
  const object = isObject(value) ? value : {};
  const { apiVersion, kind } = object;
  const isNamed = typeof kind === 'string' && (apiVersion === undefined || typeof apiVersion === 'string');
  const schema = isNamed ? types.find(apiVersion ?? '', kind) : undefined;
  if (!schema) throw new Error(`${JSON.stringify(kind)} has no Protobuf form`);
  return [schema, object];
}
