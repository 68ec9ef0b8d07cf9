/** PATCH of one object or of an object subresource: JSON patch, merge patch, strategic merge patch, apply. */
import { readBody } from '../body.ts';
import { parseApplyOptions, parseWriteOptions } from '../options/write-options.ts';
import { dispatchEntryWrite, type SentWrite } from '../writes/dispatch-write.ts';
import { assertPatchType, isApplyType } from '../writes/patch-body.ts';
import { sendWritten } from './send-entry.ts';
import { speaksCbor, type ResourceRequest, type VerbDeps } from './verb-request.ts';

export async function servePatch(request: ResourceRequest, deps: VerbDeps): Promise<void> {
  const { context, resource } = request;
  const representation = deps.representations.of(context, resource, 'object');
  const isApply = isApplyType(context.header('content-type'), speaksCbor(deps));
  const sent = isApply
    ? ({ operation: 'apply', ...(await readApply(request, deps)) } as const)
    : ({ operation: 'patch', ...(await readPatch(request, deps, true)) } as const);
  const { entry, created } = await dispatchEntryWrite(request, deps, sent);
  await sendWritten(request, deps, { code: created ? 201 : 200, representation, entry });
}

type Sent = Omit<SentWrite, 'operation'>;

/** Options and body of a patch. @throws StatusError 400, 408, 413, 415, 422, 429 */
export async function readPatch(
  { context, resource }: ResourceRequest,
  deps: VerbDeps,
  isApplicable: boolean,
): Promise<Sent> {
  const schema = resource.subresourceSchema(context.info.subresource) ?? resource.schema;
  assertPatchType(context.header('content-type'), schema, { isApplicable, speaksCbor: speaksCbor(deps) });
  const options = parseWriteOptions(context, 'PatchOptions', deps);
  return { options, body: await readBody(context, deps.bodyLimits) };
}

/** Options and body of an apply. @throws StatusError 400, 408, 413, 422, 429 */
export async function readApply({ context }: ResourceRequest, deps: VerbDeps): Promise<Sent> {
  const { force, ...options } = parseApplyOptions(context, deps);
  const ignoresDuplicates = context.query.get('fieldValidation') === 'Ignore';
  return { options, force, ignoresDuplicates, body: await readBody(context, deps.bodyLimits) };
}
