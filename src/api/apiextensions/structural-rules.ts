/**
 * Structural schemas: the shape of every value is said once, outside of `allOf`, `anyOf`, `oneOf` and `not`, so that
 * objects can be pruned, defaulted and merged by it.
 */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { deepEqual, isObject } from '../../base/json.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { errorsOf, forbidden, invalid, required } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import type { Placed } from './schema-walk.ts';
import { junctorsOf, childSchemas, propertiesOf, schemasIn } from './schema-walk.ts';

/** What a schema stands for in the one around it; messages name it. */
type Role =
  'at the root' | 'for specified object fields' | 'for specified array items' | 'for additional properties';

const envelopeTypes: Readonly<Record<string, string>> = {
  apiVersion: 'string',
  kind: 'string',
  metadata: 'object',
};
const metadataFields: ReadonlySet<string> = new Set(['name', 'generateName']);
const intOrString: JsonValue = [{ type: 'integer' }, { type: 'string' }];
/** What shapes a value rather than judging it. */
const shaping = ['description', 'default', 'nullable', 'title', 'additionalProperties'];

/** Errors that keep a schema from being structural. */
export function structuralErrors(root: Placed, prefix: string): FieldError[] {
  return [...new StructuralCheck(prefix).node(root, 'at the root')];
}

class StructuralCheck {
  private readonly prefix: string;

  private readonly either = new Map<JsonObject, boolean>();

  constructor(prefix: string) {
    this.prefix = prefix;
  }

  node(placed: Placed, role: Role): FieldError[] {
    const { schema, path } = placed;
    return [
      ...this.type(placed, role),
      ...(schema['type'] === 'array' && !isObject(schema['items'])
        ? [required(path.child('items'), 'must be specified')]
        : []),
      ...(role === 'at the root' && schema['nullable'] === true
        ? [forbidden(path.child('nullable'), 'nullable cannot be true at the root')]
        : []),
      ...(role === 'at the root' || this.isEmbedded(schema) ? envelopeErrors(placed) : []),
      ...this.embedded(placed),
      ...errorsOf(junctorsOf(placed), (judge) => this.judge(judge, schema, placed)),
      ...errorsOf(childSchemas(placed), (part) => this.node(part, roleOf(part, placed))),
    ];
  }

  private isEmbedded(schema: JsonObject): boolean {
    return schema[`${this.prefix}embedded-resource`] === true;
  }

  private type({ schema, path }: Placed, role: Role): FieldError[] {
    const at = path.child('type');
    const type = typeof schema['type'] === 'string' ? schema['type'] : '';
    const isIntOrString = schema[`${this.prefix}int-or-string`] === true;
    if (role === 'at the root' && type !== '' && type !== 'object')
      return [invalid(at, type, 'must be object at the root')];
    const isFree = isIntOrString || schema[`${this.prefix}preserve-unknown-fields`] === true;
    return type === '' && (role === 'at the root' || !isFree)
      ? [required(at, `must not be empty ${role}`)]
      : [];
  }

  private embedded({ schema, path }: Placed): FieldError[] {
    if (!this.isEmbedded(schema)) return [];
    const type = typeof schema['type'] === 'string' ? schema['type'] : '';
    const isDescribed =
      schema[`${this.prefix}preserve-unknown-fields`] === true ||
      (isObject(schema['properties']) && Object.keys(schema['properties']).length > 0);
    return [
      ...(type === 'object'
        ? []
        : [invalid(path.child('type'), type, `must be object if ${this.prefix}embedded-resource is true`)]),
      ...(isDescribed
        ? []
        : [
            required(
              path.child('properties'),
              `must not be empty if ${this.prefix}embedded-resource is true without ${this.prefix}preserve-unknown-fields`,
            ),
          ]),
    ];
  }

  /** A schema that judges may not shape, and may only speak of what `skeleton` describes. */
  private judge(placed: Placed, skeleton: JsonObject, around: Placed): FieldError[] {
    const { schema, path, isAllOf = false } = placed;
    const extensions = Object.keys(schema).filter((name) => name.startsWith(this.prefix));
    const shapes = [
      ...shaping,
      ...extensions.filter((name) => !isAllOf || name !== `${this.prefix}validations`),
    ];
    const shapeErrors = errorsOf(shapes, (name) =>
      isSaid(schema[name]) ? [forbidden(path.child(name), 'must be empty to be structural')] : [],
    );
    const type =
      isSaid(schema['type']) && !this.isTypeOfIntOrString(around)
        ? [forbidden(path.child('type'), 'must be empty to be structural')]
        : [];
    return [
      ...shapeErrors,
      ...type,
      ...errorsOf(junctorsOf(placed), (judge) => this.judge(judge, skeleton, { ...around, schema })),
      ...this.judgedParts(placed, skeleton, around),
    ];
  }

  private judgedParts({ schema, path }: Placed, skeleton: JsonObject, around: Placed): FieldError[] {
    const members = errorsOf(propertiesOf({ schema, path }), ([name, part]) => {
      const described = propertyOf(skeleton, name);
      const at = around.path.child('properties').key(name);
      return described
        ? this.judge(part, described, { schema: described, path: at })
        : [required(at, `because it is defined in ${part.path.toString()}`)];
    });
    const { items } = schema;
    if (!isObject(items)) return members;
    const place = around.path.child('items');
    const itemErrors = isObject(skeleton['items'])
      ? this.judge({ schema: items, path: path.child('items') }, skeleton['items'], {
          schema: skeleton['items'],
          path: place,
        })
      : [required(place, `because it is defined in ${path.child('items').toString()}`)];
    return [...members, ...itemErrors];
  }

  /** `anyOf: [{type: integer}, {type: string}]` of a value that may be either. */
  private isTypeOfIntOrString({ schema }: Placed): boolean {
    // Cached: `allOf` may have thousands of parts.
    let known = this.either.get(schema);
    if (known === undefined) this.either.set(schema, (known = this.declaresIntOrString(schema)));
    return known;
  }

  private declaresIntOrString(schema: JsonObject): boolean {
    const isEither = schema[`${this.prefix}int-or-string`] === true;
    const alternatives = [schema, ...schemasIn(schema['allOf'])].map((part) => part['anyOf']);
    return (
      (isEither || schema['type'] === undefined) && alternatives.some((list) => deepEqual(list, intOrString))
    );
  }
}

function roleOf(part: Placed, parent: Placed): Role {
  if (part.schema === parent.schema['items']) return 'for specified array items';
  if (part.schema === parent.schema['additionalProperties']) return 'for additional properties';
  return 'for specified object fields';
}

function isSaid(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null && value !== '' && value !== false;
}

/** Identity and metadata of whole objects are the API's; a schema may only restrict names. */
function envelopeErrors(placed: Placed): FieldError[] {
  return errorsOf(propertiesOf(placed), ([name, { schema, path }]) => {
    const type = Object.hasOwn(envelopeTypes, name) ? envelopeTypes[name] : undefined;
    if (type === undefined) return [];
    const wrongType =
      schema['type'] === type ? [] : [invalid(path.child('type'), schema['type'] ?? '', `must be ${type}`)];
    return name === 'metadata' ? [...wrongType, ...metadataErrors(schema, path)] : wrongType;
  });
}

function metadataErrors(schema: JsonObject, path: FieldPath): FieldError[] {
  const properties = isObject(schema['properties']) ? Object.keys(schema['properties']) : [];
  const isMore =
    properties.some((name) => !metadataFields.has(name)) ||
    Object.keys(schema).some((name) => !['type', 'properties', 'description'].includes(name));
  return isMore
    ? [
        forbidden(
          path,
          'must not specify anything other than name and generateName, but metadata is implicitly specified',
        ),
      ]
    : [];
}

function propertyOf(schema: JsonObject, name: string): JsonObject | undefined {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const property = Object.hasOwn(properties, name) ? properties[name] : schema['additionalProperties'];
  return isObject(property) ? property : undefined;
}
