/** Which bodies are decoded for the audit log: none that holds the thread. */
import { isJson, isSoonDecoded } from '../../../src/http/filters/soon-decoded.ts';

const json = 'application/json';
const soon = (text: string, type = json): boolean => isSoonDecoded(Buffer.from(text), type);

test('small bodies of any type, and long texts', () => {
  expect(soon('{"a":[' + '1,'.repeat(20_000) + '1]}')).toBe(true);
  expect(soon('- a\n'.repeat(10_000), 'application/yaml')).toBe(true);
  expect(soon(JSON.stringify({ a: 'x'.repeat(500_000) }))).toBe(true);
  expect(soon(JSON.stringify({ a: 'x'.repeat(500_000) }), 'application/json; charset=utf-8')).toBe(true);
});

test('not many members, nor what is large in a form that is slow to decode', () => {
  expect(soon(JSON.stringify({ a: Array.from({ length: 100_000 }, () => 1) }))).toBe(false);
  expect(soon(('['.repeat(500) + ']'.repeat(500)).repeat(100))).toBe(false);
  expect(soon('- a\n'.repeat(20_000), 'application/yaml')).toBe(false);
  expect(soon('x'.repeat(100_000), 'application/vnd.kubernetes.protobuf')).toBe(false);
});

test('types of JSON', () => {
  for (const type of ['', json, 'application/merge-patch+json', 'Application/JSON;q=1'])
    expect(isJson(type)).toBe(true);
  for (const type of ['application/yaml', 'application/apply-patch+yaml', 'text/plain', ';'])
    expect(isJson(type)).toBe(false);
});
