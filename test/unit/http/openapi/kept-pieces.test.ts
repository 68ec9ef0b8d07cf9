/** Pieces of documents that are kept: compressed, and only of what is served. */
import { randomBytes } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { GroupDocument, type GroupDocumentParts } from '../../../../src/http/openapi/group-document.ts';
import { KeptPieces } from '../../../../src/http/openapi/kept-pieces.ts';
import type { DocumentSource } from '../../../../src/http/openapi/models.ts';
import { SharedDefinitions } from '../../../../src/http/openapi/shared-definitions.ts';
import { namingProfiles } from '../../../../src/meta/naming.ts';
import type { ServedResource } from '../../../../src/registry/types.ts';
import { realCatalogue } from '../../../support/catalogue.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function arrayBufferBytes(): number {
  collect();
  return process.memoryUsage().arrayBuffers;
}

const naming = namingProfiles.orch;
const { schemas, catalogue } = realCatalogue(naming);
const words = Array.from({ length: 2_000 }, (_unused, i) => `"field${String(i)}":{"type":"string"}`).join();

test('a piece is kept compressed, and comes back as it was', async () => {
  const kept = new KeptPieces();
  const piece = {
    paths: Buffer.from(words),
    definitions: new Map([
      ['a', Buffer.from(`{${words}}`)],
      ['b', randomBytes(100)],
    ]),
    roots: ['meta/v1.ObjectMeta'],
  };
  const bare = { paths: Buffer.alloc(0), definitions: new Map<string, Buffer>(), roots: [] };
  const [key, other] = [{}, {}];
  await kept.keep(key, piece);
  await kept.keep(other, bare);
  expect(await kept.get(key)).toEqual(piece);
  expect(await kept.get(other)).toEqual(bare);
  expect(kept.size).toBeLessThan((2 * words.length) / 4);
});

test('a piece takes no more memory than it is said to take', async () => {
  const kept = new KeptPieces();
  const piece = { paths: Buffer.from(words), definitions: new Map<string, Buffer>(), roots: [] };
  const before = arrayBufferBytes();
  for (let i = 0; i < 200; i += 1) await kept.keep({}, piece);
  await new Promise(setImmediate);
  expect(arrayBufferBytes() - before).toBeLessThan(1.5 * kept.size + 100_000);
});

test('those used last are kept, as far as the limit goes', async () => {
  const kept = new KeptPieces(2_500);
  const keys = [{}, {}, {}];
  const piece = { paths: randomBytes(1_000), definitions: new Map<string, Buffer>(), roots: [] };
  await kept.keep(keys[0] ?? {}, piece);
  await kept.keep(keys[1] ?? {}, piece);
  await kept.get(keys[0] ?? {});
  await kept.keep(keys[2] ?? {}, piece);
  const found = await Promise.all(keys.map((key) => kept.get(key)));
  expect(found.map((one) => one !== undefined)).toEqual([true, false, true]);
});

test('nothing is kept of resources that are gone or changed, nor of a group version that is gone', async () => {
  const kept = new KeptPieces();
  const shared = new SharedDefinitions({ naming, schemas, release: 'v1.21.0', kindsOf: () => [] });
  const runSerially: GroupDocumentParts['runSerially'] = (make) => make();
  const parts = { naming, schemas, release: 'v1.21.0', kept, shared, runSerially };
  const resources = catalogue.groups().flatMap(({ versions }) => versions.flatMap((v) => v.resources));
  const source = (own: readonly ServedResource[]): DocumentSource => ({
    key: 'apis/example.com/v1',
    resources: own,
    pieces: own.map((of) => ({
      of,
      model: () => Promise.resolve({ paths: [], roots: ['meta/v1.ObjectMeta'], custom: [] }),
    })),
  });
  const [first, second, third] = resources as [ServedResource, ServedResource, ServedResource];
  const before = new GroupDocument(parts, source([first, second]));
  await before.v2('json');
  await before.v3('json');
  expect(kept.size).toBe(4);
  const after = new GroupDocument(parts, source([second, third]), before);
  expect(kept.size).toBe(2);
  await after.v2('json');
  expect(kept.size).toBe(3);
  after.forget();
  expect(kept.size).toBe(0);
  // A document that was begun before keeps nothing either.
  await after.v2('json');
  expect(kept.size).toBe(0);
});
