/** Bodies made to hurt: what a careless server crashes, hangs or poisons itself with. */

export interface HostileBody {
  readonly name: string;
  readonly body: string | Buffer;
  /** Default JSON. */
  readonly contentType?: string;
  /** The statuses that are right; default 400. */
  readonly want?: readonly number[];
}

const yaml = 'application/yaml';
const megabyte = 1024 * 1024;
/** The limit of a body, counted while it is read. */
export const bodyLimit = 3 * megabyte;

/** Creations of config maps, unless the name says otherwise. */
export const hostileBodies: readonly HostileBody[] = [
  { name: 'nothing', body: '' },
  { name: 'white space', body: ' \n\t' },
  { name: 'half an object', body: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{' },
  { name: 'two objects', body: '{"metadata":{"name":"a"}}{"metadata":{"name":"b"}}' },
  { name: 'null', body: 'null' },
  { name: 'a list', body: '[]' },
  { name: 'a number', body: '12' },
  { name: 'a string', body: '"text"' },
  { name: 'metadata that is a list', body: configMap('"metadata":[]') },
  { name: 'data that is text', body: configMap('"metadata":{"name":"x"},"data":"text"') },
  {
    name: 'arrays 10,001 deep',
    body: configMap(`"metadata":{"name":"x"},"data":${nested('[', ']', 10_001)}`),
  },
  { name: 'objects 10,001 deep', body: configMap(`"x":${nested('{"a":', '}', 10_001, '1')}`) },
  { name: 'arrays 500,000 deep', body: nested('[', ']', 500_000) },
  { name: 'arrays that never close', body: '['.repeat(megabyte) },
  { name: 'objects that never close', body: '{"a":'.repeat(megabyte / 5) },
  { name: 'flow sequences of YAML 200,000 deep', body: nested('[', ']', 200_000), contentType: yaml },
  { name: 'indented YAML 2,000 deep', body: stairs(2000), contentType: yaml },
  { name: 'an alias bomb', body: aliasBomb(), contentType: yaml },
  { name: 'an alias of itself', body: 'metadata: &a\n  name: x\n  self: *a\n', contentType: yaml },
  { name: 'a YAML tag for code', body: 'metadata: !!js/function "function () {}"\n', contentType: yaml },
  { name: 'duplicate keys in YAML', body: 'metadata: {name: x}\nmetadata: {name: y}\n', contentType: yaml },
  { name: 'a NUL in text', body: Buffer.from('{"metadata":{"name":"a\u0000b"}}') },
  { name: 'invalid UTF-8', body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]) },
  { name: 'UTF-16', body: Buffer.from('{"metadata":{"name":"x"}}', 'utf16le') },
  { name: 'a lone surrogate in a name', body: '{"metadata":{"name":"\\ud800"}}', want: [400, 422] },
  {
    name: 'a name of a megabyte',
    body: JSON.stringify({ metadata: { name: 'a'.repeat(megabyte) } }),
    want: [422],
  },
  { name: 'a number too large for a float', body: configMap('"metadata":{"name":"x","generation":1e999}') },
  {
    name: 'a number of a million digits',
    body: configMap(`"metadata":{"generation":${'9'.repeat(megabyte)}}`),
  },
  { name: 'one byte more than 3 MB', body: filled(bodyLimit + 1), want: [413] },
  {
    name: 'Protobuf that is none',
    body: 'k8s\0garbage',
    contentType: 'application/vnd.orch.protobuf',
    want: [400, 415],
  },
];

/** Content types that nobody can read. */
export const unreadableTypes = [
  'text/html',
  'application/xml',
  'multipart/form-data; boundary=x',
  'nonsense',
  'a/b;c',
];

/** Quantities that have hung servers. */
export const hostileQuantities = [
  '1e1000000000',
  '1e-1000000000',
  '1E9223372036854775808',
  '9'.repeat(1_000_000),
  `0.${'0'.repeat(1_000_000)}1`,
  '1e',
  '--1',
  '1KiKi',
  'NaN',
];

/** Keys that are dangerous to assign in JavaScript. */
export const dangerousKeys = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '__defineGetter__',
];

/** A config map's body of exactly this many bytes. */
export function filled(size: number): string {
  const [head, tail] = ['{"metadata":{"name":"filled"},"data":{"a":"', '"}}'];
  return head + 'x'.repeat(size - head.length - tail.length) + tail;
}

function configMap(members: string): string {
  return `{"apiVersion":"v1","kind":"ConfigMap",${members}}`;
}

function nested(open: string, close: string, depth: number, core = ''): string {
  return open.repeat(depth) + core + close.repeat(depth);
}

function stairs(depth: number): string {
  return Array.from({ length: depth }, (_unused, level) => `${' '.repeat(level)}a:\n`).join('');
}

function aliasBomb(): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
  for (let level = 1; level < 30; level += 1) {
    const alias = `*a${level - 1}`;
    lines.push(`a${level}: &a${level} [${Array.from({ length: 10 }, () => alias).join(', ')}]`);
  }
  return `metadata: {name: x}\n${lines.join('\n')}\n`;
}
