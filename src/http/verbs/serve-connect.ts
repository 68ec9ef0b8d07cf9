/** Connections (`pods/log`, `pods/exec`, `services/proxy`): options are in the query; the body is not interpreted. */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { quoted } from '../../base/short-text.ts';
import { badRequest } from '../../meta/status.ts';
import { checkStructure } from '../../schema/structure.ts';
import type { Schema, StructSchema } from '../../schema/types.ts';
import { sendText } from '../respond.ts';
import type { Query } from '../query.ts';
import { readScope, type ResourceRequest, type VerbDeps } from './verb-request.ts';

/** @throws StatusError 400 for invalid options, and the error of the connection */
export async function serveConnect(request: ResourceRequest, deps: VerbDeps): Promise<void> {
  const { context, resource, name } = request;
  const { subresource, verb, parts } = context.info;
  const schema = resource.subresourceSchema(subresource);
  if (!schema) throw new Error(`${resource.gvr.resource}/${subresource} has no options`);
  const options = readOptions(schema, context.query);
  if (parts.length > 3) options['path'] = `/${parts.slice(3).join('/')}`;
  const answer = await deps.verbs.act(readScope(request), name, verb, options);
  sendText(context, 200, typeof answer === 'string' ? answer : '');
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
