/**
 * The types of what clients read in OpenAPI documents. A client whose language has static types refuses a whole document
 * for one member of a wrong type, so that such a document of another server must not be merged.
 */
import { isObject, type JsonObject, type JsonValue } from '../../../base/json.ts';
import { quoted, pathBelow } from '../../../base/short-text.ts';

type Rule = (value: JsonValue, at: string) => void;

/** @throws Error for a definition that is no schema */
export function assertSchemas(definitions: JsonObject, at: string): void {
  mapOf(schema)(definitions, at);
}

/** @throws Error for a path item with members of wrong types */
export function assertPaths(paths: JsonObject): void {
  mapOf(pathItem)(paths, 'paths');
}

function fail(at: string, expected: string, value: JsonValue): never {
  throw new Error(`${at} is no ${expected}: ${quoted(value)}`);
}

const text: Rule = (value, at) => {
  if (typeof value !== 'string') fail(at, 'text', value);
};
const flag: Rule = (value, at) => {
  if (typeof value !== 'boolean') fail(at, 'boolean', value);
};
/** Integers beyond 2^53 are kept as their text, in an object. */
const number: Rule = (value, at) => {
  if (typeof value !== 'number' && !isObject(value)) fail(at, 'number', value);
};
const any: Rule = () => undefined;

function listOf(rule: Rule): Rule {
  return (value, at) => {
    if (!Array.isArray(value)) fail(at, 'list', value);
    value.forEach((item, index) => rule(item, `${at}[${String(index)}]`));
  };
}

function mapOf(rule: Rule): Rule {
  return (value, at) => {
    if (!isObject(value)) fail(at, 'object', value);
    for (const [name, member] of Object.entries(value))
      if (member !== undefined) rule(member, pathBelow(at, name));
  };
}

/** Members without a rule may be anything. */
function objectOf(rules: () => ReadonlyMap<string, Rule>): Rule {
  return (value, at) => {
    if (!isObject(value)) fail(at, 'object', value);
    const known = rules();
    for (const [name, member] of Object.entries(value))
      if (member !== undefined) (known.get(name) ?? any)(member, pathBelow(at, name));
  };
}

const textOrTexts: Rule = (value, at) => (Array.isArray(value) ? listOf(text) : text)(value, at);
const schemaOrSchemas: Rule = (value, at) => (Array.isArray(value) ? listOf(schema) : schema)(value, at);
const schemaOrFlag: Rule = (value, at) => (typeof value === 'boolean' ? flag : schema)(value, at);

const texts = listOf(text);
const numbers = ['maximum', 'minimum', 'maxLength', 'minLength', 'maxItems', 'minItems', 'multipleOf'];

const schemaRules = lazily(() => [
  ...['$ref', 'description', 'title', 'format', 'pattern'].map((name): [string, Rule] => [name, text]),
  ...numbers.map((name): [string, Rule] => [name, number]),
  ['type', textOrTexts],
  ['required', texts],
  ['enum', listOf(any)],
  ['properties', mapOf(schema)],
  ['patternProperties', mapOf(schema)],
  ['additionalProperties', schemaOrFlag],
  ['items', schemaOrSchemas],
  ...['allOf', 'anyOf', 'oneOf'].map((name): [string, Rule] => [name, listOf(schema)]),
  ['not', schema],
  ['uniqueItems', flag],
  ['nullable', flag],
]);
function schema(value: JsonValue, at: string): void {
  objectOf(schemaRules)(value, at);
}

const parameter = objectOf(
  lazily(() => [
    ...['$ref', 'name', 'in', 'description', 'type', 'format'].map((name): [string, Rule] => [name, text]),
    ['required', flag],
    ['schema', schema],
  ]),
);

const response = objectOf(
  lazily(() => [
    ['description', text],
    ['schema', schema],
    ['content', mapOf(objectOf(lazily(() => [['schema', schema]])))],
  ]),
);

const operation = objectOf(
  lazily(() => [
    ...['operationId', 'description', 'summary'].map((name): [string, Rule] => [name, text]),
    ...['tags', 'consumes', 'produces', 'schemes'].map((name): [string, Rule] => [name, texts]),
    ['parameters', listOf(parameter)],
    ['responses', mapOf(response)],
    [
      'requestBody',
      objectOf(lazily(() => [['content', mapOf(objectOf(lazily(() => [['schema', schema]])))]])),
    ],
    ['deprecated', flag],
  ]),
);

const pathItem = objectOf(
  lazily(() => [
    ...['get', 'put', 'post', 'delete', 'patch', 'head', 'options'].map((name): [string, Rule] => [
      name,
      operation,
    ]),
    ['parameters', listOf(parameter)],
  ]),
);

/** Rules refer to each other. */
function lazily(make: () => readonly (readonly [string, Rule])[]): () => ReadonlyMap<string, Rule> {
  let rules: ReadonlyMap<string, Rule> | undefined;
  return () => (rules ??= new Map(make()));
}
