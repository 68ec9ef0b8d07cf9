/** Documents are cached with the same content and hash however their parts are cut, large ones compressed only. */
import { createHash } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { Slice } from '../../../src/base/cooperate.ts';
import { cacheDocument, type CachedDocument } from '../../../src/http/cached-document.ts';
import { WriterV2 } from '../../../src/http/openapi/writer-v2.ts';
import { ended, packedDocument, PackedSection, type EndedSection } from '../../../src/http/packed-section.ts';
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

describe('a document that is compressed while it is made', () => {
  /** Of sections, each written in several goes. */
  async function packed(sections: readonly (readonly Buffer[])[]): Promise<CachedDocument> {
    const slice = new Slice();
    const parts: EndedSection[] = [];
    for (const written of sections) {
      const section = new PackedSection();
      for (const bytes of written) await section.write([bytes], slice);
      parts.push(await ended(section, slice));
      section.close();
    }
    return packedDocument('text/plain', [Buffer.from('{'), ...parts, Buffer.from('}')], slice);
  }

  test('has the bytes of its sections, whatever they are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(part, { maxLength: 4 }), { maxLength: 3 }), async (sections) => {
        const whole = Buffer.from(`{${Buffer.concat(sections.flat()).toString('latin1')}}`, 'latin1');
        const document = await packed(sections);
        expect(contentOf(document).equals(whole)).toBe(true);
        expect(document.length).toBe(whole.length);
      }),
      { numRuns: 20 },
    );
  });

  test('has the hash of its content', async () => {
    const hashOf = async (text: string) => (await packed([[Buffer.from(text)]])).hash;
    expect(await hashOf('abc')).toBe(await hashOf('abc'));
    expect(await hashOf('abc')).not.toBe(await hashOf('abd'));
  });

  test('takes the memory of a part of its plain bytes', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const memory = (): number => {
      collect();
      const { arrayBuffers, external } = process.memoryUsage();
      return Math.max(arrayBuffers, external);
    };
    const writer = new WriterV2('json');
    const slice = new Slice();
    const before = memory();
    let most = 0;
    // 200 definitions of 300 KB, 60 MB together.
    for (let i = 0; i < 200; i += 1) {
      const name = `com.example.v1.Thing${String(i)}`;
      const definition = Buffer.from(`"${name}":{"description":"${`${name} `.repeat(12_000)}"}`);
      await writer.add({ paths: [], definitions: new Map([[name, definition]]) }, slice);
      if (i % 20 === 0) most = Math.max(most, memory() - before);
    }
    writer.close();
    expect(most).toBeLessThan(10_000_000);
  });
});
