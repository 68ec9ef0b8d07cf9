import { decodeBody } from '../../../src/codec/decode-body.ts';
import { encodeProtobuf } from '../../../src/codec/protobuf/codec.ts';
import { namingProfiles, protobufMediaType } from '../../../src/meta/naming.ts';
import { StatusError } from '../../../src/meta/status.ts';
import { field, scalar, struct } from '../../support/schema.ts';

function decode(contentType: string | undefined, text: string): unknown {
  return decodeBody({ contentType, bytes: Buffer.from(text), naming: namingProfiles.orch });
}

function errorOf(run: () => unknown): StatusError {
  try {
    run();
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

test.each([
  [undefined, '{"a":1}'],
  ['', '{"a":1}'],
  ['application/json', '{"a":1}'],
  ['application/json; charset=UTF-8', '{"a":1}'],
  ['application/yaml', 'a: 1\n'],
  ['application/yaml', '{"a":1}'],
])('content type %j', (contentType, text) => {
  expect(decode(contentType, text)).toEqual({ a: 1 });
});

test.each([
  'text/plain',
  'application/json;charset=latin1',
  'application/xml',
  'json',
  'application/json, text/html',
])('%s is 415 with what is accepted', (contentType) => {
  const error = errorOf(() => decode(contentType, '{}'));
  expect(error.code).toBe(415);
  expect(error.message).toContain('application/json, application/yaml');
});

test.each([
  ['application/json', '', 'empty'],
  ['application/yaml', '', 'empty'],
  ['application/json', '{', 'unexpected end of input'],
  ['application/json', '[]', 'must be an object, not a list'],
  ['application/json', 'null', 'must be an object, not null'],
  ['application/json', '"x"', 'must be an object, not a string'],
  ['application/json', '12345678901234567890', 'must be an object, not a number'],
  ['application/yaml', 'a: [', 'invalid YAML'],
  ['application/yaml', '# nothing\n', 'must be an object, not null'],
])('%s %j is 400', (contentType, text, message) => {
  const error = errorOf(() => decode(contentType, text));
  expect(error.code).toBe(400);
  expect(error.message).toContain(message);
});

test('duplicate keys are told to who asks', () => {
  const seen: string[] = [];
  const bytes = Buffer.from('{"a":1,"a":2}');
  const onDuplicates = (paths: readonly string[]): void => {
    seen.push(...paths);
  };
  expect(decodeBody({ contentType: '', bytes, naming: namingProfiles.orch, onDuplicates })).toEqual({ a: 2 });
  expect(seen).toEqual(['a']);
});

describe('Protobuf', () => {
  const naming = namingProfiles.orch;
  const contentType = protobufMediaType(naming);
  const schema = struct('Thing', [field('name', scalar('string'), { protoNumber: 1, protoType: 'string' })]);
  const thing = { kind: 'Thing', apiVersion: 'v1', name: 'x' };
  const bytes = encodeProtobuf(schema, thing);

  test('is decoded where a schema is known', () => {
    expect(decodeBody({ contentType, bytes, naming, schemaOf: () => schema })).toEqual(thing);
  });

  test('is 415 where it is not accepted, and 400 when it is broken or of an unknown kind', () => {
    expect(errorOf(() => decodeBody({ contentType, bytes, naming })).code).toBe(415);
    const broken = bytes.subarray(1);
    expect(
      errorOf(() => decodeBody({ contentType, bytes: broken, naming, schemaOf: () => schema })).code,
    ).toBe(400);
    expect(errorOf(() => decodeBody({ contentType, bytes, naming, schemaOf: () => undefined })).code).toBe(
      400,
    );
  });
});
