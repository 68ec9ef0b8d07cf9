/** Short buffers that are kept lie alone in their memory: out of a pool of Node's they would keep 8 KiB each. */
import { systemRandom } from '../../../src/base/random.ts';
import { watchFrame } from '../../../src/codec/watch-frame.ts';
import { MetadataItems } from '../../../src/http/representation/json-items.ts';
import type { SliceWriter } from '../../../src/http/representation/slice-writer.ts';
import { WatchFrameCache } from '../../../src/http/representation/watch-frame-cache.ts';
import { NumberSeries } from '../../../src/observe/metric-series.ts';
import { EntryCache } from '../../../src/registry/entry-cache.ts';
import { newEntry } from '../../../src/registry/written-entry.ts';

const text = Buffer.from('{"kind":"Thing","apiVersion":"example.com/v1","metadata":{"name":"a"}}');
const entry = newEntry('example.com/things', 'a', text, 7);

test('frames of watches', () => {
  const frames = new WatchFrameCache(1024, new NumberSeries());
  const made = watchFrame('ADDED', entry);
  const kept = frames.take(entry, 'added', () => made);
  expect(kept.equals(made)).toBe(true);
  expect(kept.buffer.byteLength).toBe(kept.length);
  expect(frames.take(entry, 'added', () => made)).toBe(kept);
});

test('what metadata of each kind begin with', () => {
  const cells = { made: new NumberSeries(), evicted: new NumberSeries(), size: new NumberSeries() };
  const items = new MetadataItems(
    { kind: 'PartialObjectMetadata', apiVersion: 'meta.orch.io/v1' },
    new EntryCache(1024, cells, systemRandom),
  );
  const written: Buffer[] = [];
  const target = { bytes: (bytes: Buffer) => written.push(bytes), text: () => undefined };
  items.write(entry, target as unknown as SliceWriter);
  const [opening] = written;
  expect(opening?.toString()).toMatch(/^\{"kind":"PartialObjectMetadata",.*"metadata":\{$/);
  expect(opening?.buffer.byteLength).toBe(opening?.length);
});
