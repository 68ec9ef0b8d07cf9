/** An applied configuration, read once for all attempts of a request; its fields are computed on demand. */
import type { JsonObject } from '../../base/json.ts';
import type { StructSchema } from '../../schema/types.ts';
import { fieldsOf } from './fields-of.ts';
import { stripServerFieldsOfPart } from './strip-server-fields.ts';

export class Configuration {
  readonly object: JsonObject;
  private readonly schema: StructSchema;
  private readonly owned: JsonObject;
  private known: JsonObject | undefined;

  /** @param object has the form of the schema */
  constructor(object: JsonObject, schema: StructSchema) {
    this.object = object;
    this.schema = schema;
    this.owned = stripServerFieldsOfPart(object);
  }

  /**
   * What its manager will own, as `fieldsV1`.
   * @throws PatchError `unprocessable` when a list names an item twice, or an item has no key
   */
  get fields(): JsonObject {
    return (this.known ??= fieldsOf(this.owned, this.schema));
  }
}
