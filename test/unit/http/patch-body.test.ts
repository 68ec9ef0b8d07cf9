/** JSON patches of a few operations that copy megabytes: they move to where large writes are carried out. */
import { decodePatch } from '../../../src/http/writes/patch-body.ts';
import { GrownWrite } from '../../../src/meta/grown-write.ts';
import type { RequestScope } from '../../../src/registry/types.ts';
import { field, listOf, scalar, struct } from '../../support/schema.ts';

const value = 'x'.repeat(1_000);

/** A patch that doubles a text so many times. */
function doubled(times: number, growth?: RequestScope['growth']): () => unknown {
  const operations = Array.from({ length: times }, (_, i) => ({
    op: 'copy',
    from: '/data',
    path: `/data/${String(i)}`,
  }));
  const bytes = Buffer.from(JSON.stringify(operations));
  const transform = decodePatch(bytes, 'application/json-patch+json', {
    schema: struct('', []),
    sent: undefined,
    growth,
  });
  return () => transform({ data: { value } });
}

test('what copies much moves, where it may', () => {
  expect(doubled(8, 'moves')).toThrow(GrownWrite);
  expect(doubled(8, 'stays')).not.toThrow();
  expect(doubled(8)).not.toThrow();
});

test('what copies little stays', () => {
  expect(doubled(4, 'moves')).not.toThrow();
});

test('what copies more than any patch may is refused everywhere', () => {
  expect(doubled(13, 'stays')).toThrow('copies more than is allowed');
});

test('a strategic patch that merges the same items again and again moves, where it may', () => {
  const ports = listOf(struct('', [field('port', scalar('integer'))]));
  const merging = { patchStrategies: ['merge' as const] };
  const items = struct('', [
    field('name', scalar('string')),
    field('ports', ports, { ...merging, patchMergeKey: 'port' }),
  ]);
  const schema = struct('', [field('items', listOf(items), { ...merging, patchMergeKey: 'name' })]);
  const current = { items: [{ name: 'a', ports: Array.from({ length: 600 }, (_, port) => ({ port })) }] };
  const patchOf = (count: number, growth?: RequestScope['growth']) => {
    const patch = { items: Array.from({ length: count }, () => ({ name: 'a', ports: [{ port: 1 }] })) };
    const transform = decodePatch(
      Buffer.from(JSON.stringify(patch)),
      'application/strategic-merge-patch+json',
      {
        schema,
        sent: undefined,
        growth,
      },
    );
    return () => transform(current);
  };
  expect(patchOf(600, 'moves')).toThrow(GrownWrite);
  expect(patchOf(600, 'stays')).not.toThrow();
  expect(patchOf(2, 'moves')).not.toThrow();
});
