/** POST to a collection. */
import { readBody } from '../body.ts';
import { assertBodyType } from '../object-body.ts';
import { parseWriteOptions } from '../options/write-options.ts';
import { dispatchEntryWrite } from '../writes/dispatch-write.ts';
import { sendWritten } from './send-entry.ts';
import type { ResourceRequest, VerbDeps } from './verb-request.ts';

export async function serveCreate(request: ResourceRequest, deps: VerbDeps): Promise<void> {
  const { context, resource } = request;
  const representation = deps.representations.of(context, resource, 'object');
  assertBodyType(context);
  const options = parseWriteOptions(context, 'CreateOptions', deps);
  const body = await readBody(context, deps.bodyLimits);
  const { entry } = await dispatchEntryWrite(request, deps, { operation: 'create', options, body });
  await sendWritten(request, deps, { code: 201, representation, entry });
}
