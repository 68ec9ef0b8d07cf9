/** Indentation that does not outgrow what is indented. */
import fc from 'fast-check';
import { atOnce } from '../../../src/base/sliced-work.ts';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { yamlInSteps } from '../../../src/codec/encode-yaml.ts';
import { indentedJson } from '../../../src/codec/indented-json.ts';
import { decodeYaml } from '../../../src/codec/yaml.ts';
import { prettyJson, yamlText } from '../../../src/http/representation/serializer.ts';

test('as usual', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(indentedJson(value as JsonValue)).toBe(JSON.stringify(value, undefined, 2));
    }),
  );
});

describe('members below hundreds of levels', () => {
  const key = `${'k'.repeat(300)}"{`;
  const members = Array.from({ length: 2_000 }, (_, i) => `"${i}":[1,"a\\"{,"],`).join('');
  const text = `${'{"a":'.repeat(800)}{${members}${JSON.stringify(key)}:{}}${'}'.repeat(800)}`;
  const value = JSON.parse(text) as JsonObject;
  const most = 2 * 1024 * 1024;

  test.each([
    ['pretty JSON', () => prettyJson.value(value), (made: string) => JSON.parse(made) as JsonValue],
    [
      'pretty JSON in a list',
      () => prettyJson.listItem(value, true),
      (made: string) => JSON.parse(made) as JsonValue,
    ],
    ['YAML', () => yamlText.value(value), (made: string) => decodeYaml(Buffer.from(made))],
    [
      'YAML in steps',
      () => atOnce(yamlInSteps(value)).join(''),
      (made: string) => decodeYaml(Buffer.from(made)),
    ],
  ])('%s', (_name, make, read) => {
    const made = make();
    expect(made.length).toBeLessThan(most);
    expect(read(made)).toEqual(value);
  });

  test('YAML in a list', () => {
    const made = yamlText.listItem(value, true);
    expect(made.length).toBeLessThan(most);
    expect(decodeYaml(Buffer.from(`items:\n${made}${made}`))).toEqual({ items: [value, value] });
  });
});
