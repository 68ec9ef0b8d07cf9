/** Server-side apply by the client that applied on its own side before: it takes over, and keeps its annotation in step. */
import type { JsonObject } from '../../../src/base/json.ts';
import { decodeEntry } from '../../../src/registry/written-entry.ts';
import type { WriteResult } from '../../../src/registry/types.ts';
import { statusOf } from '../../support/registry.ts';
import { ApplyRoom, entries, map, owned } from './apply-support.ts';

const room = new ApplyRoom();
const annotation = 'kubectl.kubernetes.io/last-applied-configuration';

/** What a client-side apply sends: the object, with what was applied in an annotation. */
function clientSide(data: JsonObject, text = asApplied(data), name = annotation): JsonObject {
  return map(data, { annotations: { [name]: text } });
}

function asApplied(data: JsonObject): string {
  return `${JSON.stringify({ apiVersion: 'v1', data, kind: 'ConfigMap', metadata: { annotations: {}, name: 'm' } })}\n`;
}

function create(object: JsonObject): Promise<WriteResult> {
  return room.verbs.create(room.by('kubectl-client-side-apply', 'configmaps'), '', object);
}

function lastApplied(result: WriteResult, name = annotation): unknown {
  const { annotations } = decodeEntry(result.entry)['metadata'] as { annotations?: JsonObject };
  return annotations?.[name];
}

test('takes over what was applied on the side of the client, without a conflict', async () => {
  await create(clientSide({ a: '1', b: '1' }));
  const result = await room.applyMap('kubectl', { a: '2', b: '1' });
  expect(decodeEntry(result.entry)).toMatchObject({ data: { a: '2', b: '1' } });
  expect(owned(result, 'kubectl')).toEqual({ 'f:data': { 'f:a': {}, 'f:b': {} } });
  expect(owned(result, 'kubectl-client-side-apply', 'Update')).not.toHaveProperty('f:data.f:a');
});

test('keeps the annotation in step, as the client writes it', async () => {
  await create(clientSide({ a: '1', b: '1' }));
  const result = await room.applyMap('kubectl', { a: '2' });
  expect(lastApplied(result)).toBe(
    '{"apiVersion":"v1","data":{"a":"2"},"kind":"ConfigMap","metadata":{"name":"m"}}\n',
  );
  const again = await room.applyMap('kubectl', { a: '2' });
  expect(again.entry.modRevision).toBe(result.entry.modRevision);
  // Another manager neither writes it nor needs it.
  const other = await room.applyMap('other', { c: '1' });
  expect(lastApplied(other)).toBe(lastApplied(result));
  expect(entries(other).map(({ manager }) => manager)).toContain('other');
});

test('fields that somebody has changed since are conflicts, and only these', async () => {
  await create(clientSide({ a: '1', b: '1' }));
  await room.verbs.patch(room.by('controller', 'configmaps'), 'm', (current) => ({
    ...current,
    data: { ...(current['data'] as JsonObject), b: '7' },
  }));
  const refused = await statusOf(room.applyMap('kubectl', { a: '2', b: '2' }));
  expect(refused.message).toBe('Apply failed with 1 conflict: conflict with "controller" using v1: .data.b');
});

test.each([
  ['another manager', 'other', asApplied({ a: '1' })],
  ['an annotation of another version', 'kubectl', asApplied({ a: '1' }).replace('"v1"', '"v2"')],
  ['an annotation that is no JSON', 'kubectl', '{'],
  ['an annotation of another form', 'kubectl', '{"apiVersion":"v1","data":7}'],
])('a conflict stays one: %s', async (_case, manager, text) => {
  await create(clientSide({ a: '1' }, text));
  const refused = await statusOf(room.applyMap(manager, { a: '2' }));
  expect(refused.status).toMatchObject({ code: 409, reason: 'Conflict' });
});

test('annotations that would be too large lose it', async () => {
  await create(clientSide({ a: '1' }));
  const result = await room.applyMap('kubectl', { a: 'x'.repeat(256 * 1024) });
  expect(lastApplied(result)).toBeUndefined();
});

test('works by the name of the profile, too', async () => {
  const name = 'kubectl.orch.io/last-applied-configuration';
  await create(clientSide({ a: '1' }, asApplied({ a: '1' }), name));
  expect(lastApplied(await room.applyMap('kubectl', { a: '2' }), name)).toContain('"data":{"a":"2"}');
});
