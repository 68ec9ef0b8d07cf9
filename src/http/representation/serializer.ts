/** JSON values as text in a media type; lists are opened, filled item by item, and closed. */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { encodeYaml, encodeYamlAnswer, encodeYamlItem } from '../../codec/encode-yaml.ts';
import { indentedJson } from '../../codec/indented-json.ts';
import { typeFirst } from '../../codec/yaml-order.ts';

export interface Serializer {
  /** Name of the form in cache keys. */
  readonly id: string;
  readonly mediaType: string;
  readonly value: (value: JsonValue) => string;
  /** Everything before the first item of `field`. */
  readonly listOpen: (head: JsonObject, field: string, isEmpty: boolean) => string;
  readonly listItem: (item: JsonObject, isFirst: boolean) => string;
  readonly listClose: (isEmpty: boolean) => string;
  readonly frame: (type: string, object: JsonValue) => string;
}

export const compactJson: Serializer = {
  id: 'json',
  mediaType: 'application/json',
  value: (value) => `${JSON.stringify(value)}\n`,
  listOpen: (head, field) => `${JSON.stringify(head).slice(0, -1)},"${field}":[`,
  listItem: (item, isFirst) => (isFirst ? JSON.stringify(item) : `,${JSON.stringify(item)}`),
  listClose: () => ']}\n',
  frame: (type, object) => `{"type":"${type}","object":${JSON.stringify(object)}}\n`,
};

/** Indented by two. JSON strings contain no line breaks, so lines can be indented as text. */
export const prettyJson: Serializer = {
  id: 'pretty',
  mediaType: 'application/json',
  value: (value) => `${indentedJson(value)}\n`,
  listOpen: (head, field) => `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "${field}": [`,
  listItem: (item, isFirst) => {
    const text = indentedJson(item).replaceAll('\n', '\n    ');
    return `${isFirst ? '' : ','}\n    ${text}`;
  },
  listClose: (isEmpty) => (isEmpty ? ']\n}\n' : '\n  ]\n}\n'),
  frame: compactJson.frame,
};

/** The items of a list are dumped one by one: a sequence may start in the column of its key. */
export const yamlText: Serializer = {
  id: 'yaml',
  mediaType: 'application/yaml',
  value: (value) => encodeYamlAnswer(typeFirst(value)),
  listOpen: (head, field, isEmpty) => `${encodeYaml(typeFirst(head))}${field}:${isEmpty ? ' []' : ''}\n`,
  listItem: (item) => encodeYamlItem(typeFirst(item)),
  listClose: () => '',
  frame: (type, object) => `---\n${encodeYamlAnswer({ type, object: typeFirst(object) })}`,
};
