/** Values of a configuration that apply replaces as one, with all that it does not name. */
import type { JsonValue } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';
import type { Schema } from '../../schema/types.ts';
import type { View } from './schema-view.ts';
import { viewOf } from './schema-view.ts';

/** The paths of the lists and objects that are atomic by the schema: `.spec.tolerations`. Below them is not looked. */
export function atomicPaths(configuration: JsonValue, schema: Schema): string[] {
  const paths: string[] = [];
  collect(configuration, viewOf(schema), '', paths);
  return paths;
}

function collect(value: JsonValue, view: View, path: string, paths: string[]): void {
  if (!Array.isArray(value) && !isObject(value)) return;
  if (view.isOne(value)) paths.push(path);
  else if (Array.isArray(value))
    for (const [index, item] of value.entries())
      collect(item, view.items, `${path}[${String(index)}]`, paths);
  else
    for (const [name, member] of Object.entries(value))
      if (member !== undefined) collect(member, view.member(name).view, `${path}.${name}`, paths);
}
