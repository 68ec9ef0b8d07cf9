/** PUT of one object or of an object subresource. */
import { readBody } from '../body.ts';
import { assertBodyType } from '../object-body.ts';
import { parseWriteOptions } from '../options/write-options.ts';
import { dispatchEntryWrite } from '../writes/dispatch-write.ts';
import { sendWritten } from './send-entry.ts';
import type { ResourceRequest, VerbDeps } from './verb-request.ts';

export async function serveReplace(request: ResourceRequest, deps: VerbDeps): Promise<void> {
  const { context, resource } = request;
  const representation = deps.representations.of(context, resource, 'object');
  assertBodyType(context);
  const options = parseWriteOptions(context, 'UpdateOptions', deps);
  const body = await readBody(context, deps.bodyLimits);
  const { entry, created } = await dispatchEntryWrite(request, deps, { operation: 'replace', options, body });
  await sendWritten(request, deps, { code: created ? 201 : 200, representation, entry });
}
