/** PUT of one object or of an object subresource. */
import { assertBodyType, readObject } from '../object-body.ts';
import { parseWriteOptions } from '../options/write-options.ts';
import { sendBytes } from '../respond.ts';
import type { ResourceRequest, VerbDeps } from './request.ts';
import { writeScope } from './request.ts';

export async function serveReplace(request: ResourceRequest, deps: VerbDeps): Promise<void> {
  const { context, resource, name } = request;
  const representation = deps.representations.of(context, resource, 'object');
  assertBodyType(context);
  const options = parseWriteOptions(context, 'UpdateOptions', deps.naming);
  const scope = writeScope(request, options);
  const object = await readObject(context, deps, options);
  const { entry, created } = await deps.verbs.replace(scope, name, object);
  sendBytes(context, created ? 201 : 200, representation.contentType, representation.object(entry));
}
