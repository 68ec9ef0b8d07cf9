/** Action subresources (`pods/binding`) and virtual resources: an operation with a body, answered by a value. */
import type { JsonObject } from '../../base/json.ts';
import { assertBodyType, readObject } from '../object-body.ts';
import type { OptionsKind, WriteOptions } from '../options/write-options.ts';
import { parseApplyOptions, parseWriteOptions } from '../options/write-options.ts';
import { negotiateValueForm } from '../representation/value-form.ts';
import type { Transform } from '../../registry/types.ts';
import { sendValue } from '../value.ts';
import { isApply, readConfiguration, readPatch } from './patch.ts';
import type { ResourceRequest, VerbDeps } from './request.ts';
import { writeScope } from './request.ts';
import { serveVirtualRead } from './virtual-read.ts';

const optionsKinds: Readonly<Record<string, OptionsKind>> = {
  create: 'CreateOptions',
  patch: 'PatchOptions',
};

const readVerbs: ReadonlySet<string> = new Set(['get', 'list']);

/** 201 for POST, as for every creation; 200 otherwise. */
export async function serveAct(request: ResourceRequest, deps: VerbDeps): Promise<void> {
  const { context, name } = request;
  const { verb, subresource } = context.info;
  if (readVerbs.has(verb) && subresource === '') return serveVirtualRead(request, deps);
  negotiateValueForm(context);
  if (isApplied(request)) return serveApplied(request, deps);
  const kind = optionsKinds[verb] ?? 'UpdateOptions';
  const options = parseWriteOptions(context, kind, deps.naming);
  const scope = writeScope(request, options);
  const body = await actionBody(request, deps, options);
  const answer = await deps.verbs.act(scope, name, verb, body);
  sendValue(context, verb === 'create' ? 201 : 200, answer);
}

/** Scales can be applied; the bodies of other actions are no objects. */
function isApplied(request: ResourceRequest): boolean {
  const { verb, subresource } = request.context.info;
  return (
    verb === 'patch' && isApply(request) && request.resource.subresource(subresource)?.scale !== undefined
  );
}

async function serveApplied(request: ResourceRequest, deps: VerbDeps): Promise<void> {
  const { context, name } = request;
  const { force, ...options } = parseApplyOptions(context, deps.naming);
  const scope = writeScope(request, options);
  const configuration = await readConfiguration(request, deps, options);
  sendValue(context, 200, await deps.verbs.applyScale(scope, name, configuration, { force }));
}

/** Nothing for reads, the transform of a patch, an object otherwise. */
async function actionBody(
  request: ResourceRequest,
  deps: VerbDeps,
  options: WriteOptions,
): Promise<JsonObject | Transform | undefined> {
  const { context, resource } = request;
  const { verb, subresource } = context.info;
  if (readVerbs.has(verb)) return undefined;
  if (verb === 'patch') {
    const schema = resource.subresourceSchema(subresource) ?? resource.schema;
    const isApplicable = resource.subresource(subresource)?.scale !== undefined;
    return readPatch(request, deps, { schema, options, isApplicable });
  }
  assertBodyType(context);
  return readObject(context, deps, options);
}
