/** Documents are cached with the same content and hash however their parts are cut, large ones compressed only. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { cacheDocument } from '../../../src/http/cached-document.ts';
import { KeptPieces } from '../../../src/http/openapi/kept-pieces.ts';
import { contentOf } from '../../support/http/document-content.ts';

const part = fc.oneof(
  fc.nat(3).map((length) => Buffer.alloc(length, 'a')),
  fc.tuple(fc.nat(700_000), fc.nat(255)).map(([length, fill]) => Buffer.alloc(length, fill)),
);

test('whatever the parts are', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
      const whole = Buffer.concat(parts);
      const document = await cacheDocument('text/plain', parts);
      expect(contentOf(document).equals(whole)).toBe(true);
      expect(document.length).toBe(whole.length);
      expect(document.hash).toBe(createHash('sha256').update(whole).digest('hex').toUpperCase());
      const kept = (document.bytes?.length ?? 0) + (document.compressed?.length ?? 0);
      expect(kept).toBeLessThan(200_000);
    }),
    { numRuns: 40 },
  );
});

test('of pieces as many are kept as fit, those used last', () => {
  const kept = new KeptPieces(10_000);
  const keys = Array.from({ length: 20 }, () => ({}));
  const piece = { paths: Buffer.alloc(600), definitions: new Map([['a', Buffer.alloc(399)]]), roots: [] };
  for (const key of keys) {
    kept.keep(key, piece);
    expect(kept.get(keys[0] ?? key)).toBe(piece);
  }
  expect(keys.filter((key) => kept.get(key))).toEqual([keys[0], ...keys.slice(-9)]);
});
