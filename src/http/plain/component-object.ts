/** What a component tells of itself, as text for people or as an object in the version that the Accept header names. */
import type { JsonObject } from '../../base/json.ts';
import { negotiate } from '../../codec/media-type.ts';
import { notAcceptable } from '../../meta/status.ts';
import { wantsPretty } from '../pretty.ts';
import { compactJson, prettyJson, yamlText } from '../representation/serializer.ts';
import type { RequestContext } from '../request-context.ts';
import { sendBody, textType } from '../respond.ts';

export interface ComponentObject {
  readonly kind: string;
  readonly component: string;
  readonly group: string;
  /** In which it is an object; none: it is text, whatever is accepted. */
  readonly versions: readonly string[];
  /** Those of them that clients are warned of. */
  readonly deprecated: readonly string[];
  readonly fields: () => JsonObject;
  readonly text: () => string;
}

const text = 'text/plain';
const forms = { 'application/json': compactJson, 'application/yaml': yamlText };

/** @throws StatusError 406 where the client accepts neither text nor a version that is served */
export function sendComponentObject(context: RequestContext, object: ComponentObject): void {
  const asked = object.versions.length === 0 ? undefined : acceptedForm(context, object);
  if (!asked) {
    sendBody(context, { code: 200, contentType: textType }, Buffer.from(object.text()));
    return;
  }
  const { version, form } = asked;
  const body = form.value({
    kind: object.kind,
    apiVersion: `${object.group}/${version}`,
    metadata: { name: object.component },
    ...object.fields(),
  });
  const extra = object.deprecated.includes(version) ? ['Warning', warningOf(object.kind)] : [];
  sendBody(context, { code: 200, contentType: form.mediaType, extra }, Buffer.from(body));
}

/** The form and version that the client prefers; undefined: text. @throws StatusError 406 */
function acceptedForm(context: RequestContext, { kind, group, versions }: ComponentObject) {
  const isObject = (params: ReadonlyMap<string, string>): boolean =>
    params.get('as') === kind && params.get('g') === group && versions.includes(params.get('v') ?? '');
  const isText = (params: ReadonlyMap<string, string>): boolean => !params.has('as');
  const objects = Object.entries(forms).map(([essence, form]) => ({ essence, form, accepts: isObject }));
  const offers = [{ essence: text, form: undefined, accepts: isText }, ...objects];
  const chosen = negotiate(context.header('accept'), offers);
  if (!chosen) throw notAcceptable(offers.map(({ essence }) => essence));
  const { form } = chosen.offer;
  const version = chosen.params.get('v') ?? '';
  return form && { version, form: form === compactJson && wantsPretty(context) ? prettyJson : form };
}

function warningOf(kind: string): string {
  return `299 - "This version of the ${kind.toLowerCase()} endpoint is deprecated. Please use a newer version."`;
}
