/** Action subresources (`pods/binding`) and virtual resources: an operation with a body that returns a value. */
import type { JsonValue } from '../../base/json.ts';
import type { BodyLimits } from '../body.ts';
import { readBody, servedLimits } from '../body.ts';
import { assertBodyType } from '../object-body.ts';
import type { OptionsKind } from '../options/write-options.ts';
import { parseWriteOptions } from '../options/write-options.ts';
import { negotiateValueForm } from '../representation/value-form.ts';
import { sendLargeValue } from '../send-value.ts';
import { dispatchWrite, type WriteServices, type SentWrite } from '../writes/dispatch-write.ts';
import { isApplyType } from '../writes/patch-body.ts';
import { readApply, readPatch } from './serve-patch.ts';
import { speaksCbor, type ResourceRequest, type VerbDeps } from './verb-request.ts';
import { writeScope } from './verb-request.ts';
import { serveVirtualRead } from './serve-virtual-read.ts';

const readVerbs: ReadonlySet<string> = new Set(['get', 'list']);

/** Responds with 201 to POST, otherwise with 200. */
export async function serveAction(request: ResourceRequest, deps: VerbDeps): Promise<void> {
  const { context } = request;
  const { verb, subresource } = context.info;
  if (readVerbs.has(verb) && subresource === '') return serveVirtualRead(request, deps);
  negotiateValueForm(context);
  await sendLargeValue(context, verb === 'create' ? 201 : 200, await answerOf(request, deps));
}

async function answerOf(request: ResourceRequest, deps: VerbDeps): Promise<JsonValue> {
  const { context, name } = request;
  const { verb } = context.info;
  if (readVerbs.has(verb)) {
    const options = parseWriteOptions(context, 'UpdateOptions', deps);
    return deps.verbs.act(writeScope(request, options), name, verb, undefined);
  }
  const answer = await dispatchWrite(request, servicesOf(request, deps), await sentAction(request, deps));
  if (answer.kind !== 'value') throw new Error(`an action answered with a ${answer.kind}`);
  return answer.value;
}

async function sentAction(request: ResourceRequest, deps: VerbDeps): Promise<SentWrite> {
  const { context, resource } = request;
  const { verb, subresource } = context.info;
  if (verb === 'patch') {
    // Scales support apply; the bodies of other actions are not objects.
    const isScale = resource.subresource(subresource)?.scale !== undefined;
    if (isScale && isApplyType(context.header('content-type'), speaksCbor(deps)))
      return { operation: 'applyScale', ...(await readApply(request, deps)) };
    return { operation: 'act', ...(await readPatch(request, deps, isScale)) };
  }
  const kind: OptionsKind = verb === 'create' ? 'CreateOptions' : 'UpdateOptions';
  const options = parseWriteOptions(context, kind, deps);
  assertBodyType(context);
  return { operation: 'act', options, body: await readBody(context, limitsOf(request, deps)) };
}

/** Reviews and tokens need the authenticators, which exist only in the serving thread. */
function isReview({ resource, context }: ResourceRequest): boolean {
  return resource.definition.virtual === true || context.info.subresource === 'token';
}

/** TokenRequests for large accounts also run in the serving thread; Bindings, which are virtual as well, move for large pods. */
function servicesOf(request: ResourceRequest, { verbs, types, largeWrites }: VerbDeps): WriteServices {
  const stays = isReview(request) && request.resource.gvk.kind !== 'Binding';
  return { verbs, types, largeWrites: stays ? undefined : largeWrites };
}

/** Any user may send reviews, so their body limit is small. */
function limitsOf(request: ResourceRequest, { bodyLimits }: VerbDeps): BodyLimits {
  if (!isReview(request)) return bodyLimits;
  return servedLimits(request.context, bodyLimits);
}
