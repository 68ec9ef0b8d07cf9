/**
 * Connections (`pods/log`, `pods/exec`, `services/proxy`): options are in the query; the body is not interpreted.
 *
 *   options ─▶ admission, target (registry) ─▶ passed on: log as text, streams as another protocol, everything else as it is
 */
import { posix } from 'node:path';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { quoted } from '../../base/short-text.ts';
import { badRequest, serviceUnavailable } from '../../meta/status.ts';
import { checkStructure } from '../../schema/structure.ts';
import type { Schema, StructSchema } from '../../schema/types.ts';
import { labelsOf } from '../filters/request-metrics.ts';
import { passedRequest, type Destination } from '../pass-on.ts';
import type { Query } from '../query.ts';
import type { RequestContext } from '../request-context.ts';
import { textType, writeHead } from '../respond.ts';
import { dropRest, hasBody } from '../unread-body.ts';
import type { WriteScope } from '../writes/perform-write.ts';
import { readScope, type ResourceRequest, type VerbDeps } from './verb-request.ts';

/** @throws StatusError 400 for invalid options, 403 for a stream that may not be made, and the error of the connection */
export async function serveConnect(request: ResourceRequest, deps: VerbDeps): Promise<void> {
  const { context, resource, name } = request;
  const { subresource, verb } = context.info;
  if (context.query.has('dryRun')) throw badRequest('dryRun is not supported');
  const schema = resource.subresourceSchema(subresource);
  if (!schema) throw new Error(`${resource.gvr.resource}/${subresource} has no options`);
  const options = readOptions(schema, context.query);
  const isProxy = resource.subresource(subresource)?.hasPath === true;
  const path = isProxy ? subPath(context) : '';
  if (isProxy) options['path'] = path;
  count(context, deps);
  const scope = readScope(request);
  const purpose = isProxy ? 'proxy' : subresource === 'log' ? 'log' : 'stream';
  if (purpose === 'stream') await assertMayStream(scope, verb, deps);
  const target = await deps.verbs.connect(scope, name, verb, options);
  if (target.kind === 'nothing') {
    sendNothing(context);
    return;
  }
  if (purpose === 'stream' && !context.upgrade) throw badRequest('Upgrade request required');
  if (isProxy && path === '' && !context.upgrade) {
    sendWithSlash(context);
    return;
  }
  await pass(context, { target, purpose, path: cleaned(path), mount: mountOf(context, path), name }, deps);
}

/** Commands of a pod are no read, by whichever protocol they come. @throws StatusError 403 */
async function assertMayStream(scope: WriteScope, verb: string, deps: VerbDeps): Promise<void> {
  if (deps.streamsNeedCreate === true && verb !== 'create') await scope.assertMayCreate();
}

async function pass(context: RequestContext, destination: Destination, { passOn }: VerbDeps): Promise<void> {
  if (!passOn) throw serviceUnavailable('this server makes no connections to nodes, pods and services', 0);
  await passOn(passedRequest(context), destination);
  // A response may come before the whole body.
  if (hasBody(context.req) && !context.upgrade) dropRest(context.req);
}

/** Behind the name of the subresource, with its last slash; '' if there is none. */
function subPath({ info: { parts, path } }: RequestContext): string {
  const below = parts.slice(3).map((part) => `/${part}`);
  return `${below.join('')}${path.endsWith('/') ? '/' : ''}`;
}

/** Without `..`, which the target could resolve elsewhere. */
function cleaned(path: string): string {
  return posix.normalize(path === '' ? '/' : path);
}

function mountOf({ info }: RequestContext, path: string): string {
  return info.path.slice(0, info.path.length - path.length);
}

/** Relative links of a page count from the last slash. */
function sendWithSlash(context: RequestContext): void {
  const query = context.query.text === '' ? '' : `?${context.query.text}`;
  const location = `${context.rawPath.replace(/^\/+/, '/')}/${query}`;
  writeHead(context, { code: 301, contentType: textType, length: 0, extra: ['Location', location] }).end();
}

function sendNothing(context: RequestContext): void {
  writeHead(context, { code: 204, contentType: textType, length: undefined }).end();
}

function count(context: RequestContext, deps: VerbDeps): void {
  const longRunning = deps.metrics.longRunning.series(labelsOf(context));
  longRunning.add();
  context.onClose(() => {
    longRunning.add(-1);
  });
}

function readOptions(schema: StructSchema, query: Query): JsonObject {
  const sent: JsonObject = {};
  for (const [name, field] of schema.fields) {
    if (query.has(name)) sent[name] = valueOf(field.schema, name, query.all(name));
  }
  const { value, errors } = checkStructure(schema, sent);
  if (errors.length > 0) throw badRequest(`unable to read the options: ${errors.join('; ')}`);
  return value;
}

function valueOf(schema: Schema, name: string, texts: readonly string[]): JsonValue {
  const [first = ''] = texts;
  if (schema.type === 'list') return texts.map((text) => valueOf(schema.items, name, [text]));
  if (schema.type === 'boolean') return first !== '0' && first.toLowerCase() !== 'false';
  if (schema.type !== 'integer') return first;
  if (!/^[+-]?[0-9]{1,15}$/.test(first)) throw badRequest(`${name}: ${quoted(first)} is no integer`);
  return Number(first);
}
