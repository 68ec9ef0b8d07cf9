/** Deletions whose answer was lost: whose they were is told by the trace, and in a full etcd, where they leave none, by nothing. */
import { KeySpace } from '../../../../src/storage/keys.ts';
import { AmbiguousWrites } from '../../../../src/storage/write/ambiguous-writes.ts';
import { removalTrace, type GuardedWrite } from '../../../../src/storage/write/guarded-write.ts';

const own = 7;
const removedAt = 11;
const write: GuardedWrite = {
  ...{ kind: 'delete', collection: 'c', key: 'k', expected: 8, value: undefined, mark: own, since: 10 },
  past: { epoch: 0, name: undefined },
};

/** Behind a removal of that revision by somebody; the trace is of this mark and revision. */
function behindRemoval(trace: { readonly mark: number; readonly revision: number }): AmbiguousWrites {
  const event = { type: 'delete', revision: removedAt, key: 'k', previous: { modRevision: write.expected } };
  const kvs = [{ mod_revision: trace.revision, value: removalTrace(trace.mark) }];
  const parts = {
    client: { range: () => Promise.resolve({ kvs }) },
    keys: new KeySpace('/registry'),
    view: { past: write.past, collection: () => ({ get: () => undefined, unreadable: new Map() }) },
    recent: { ring: () => ({ floor: 0, after: () => [event] }) },
    freshness: { mostRecent: () => Promise.resolve() },
  };
  return new AmbiguousWrites(parts as unknown as ConstructorParameters<typeof AmbiguousWrites>[0]);
}

test.each([
  ['by its own mark', { mark: own, revision: removedAt }, false, { doneAt: removedAt }],
  ['by the mark of another', { mark: 3, revision: removedAt }, false, { code: 'notFound' }],
  ['without a mark, so by another', { mark: 3, revision: 9 }, false, { code: 'notFound' }],
  [
    'by the mark of another, when it left none itself',
    { mark: 3, revision: removedAt },
    true,
    { code: 'notFound' },
  ],
  ['without a mark, when it left none itself', { mark: 3, revision: 9 }, true, { code: 'timeout' }],
])('removed %s', async (_what, trace, isTraceless, outcome) => {
  const settled = await behindRemoval(trace)
    .settle({ ...write, isTraceless })
    .catch((error: unknown) => error);
  expect(settled).toMatchObject(outcome);
});
