import { EtcdError, toEtcdError, toStorageError } from '../../../../src/storage/etcd/etcd-error.ts';
import { StorageError } from '../../../../src/storage/types.ts';

const cases: [number, string, string, string][] = [
  [1, 'Cancelled on client', 'unknown', 'unavailable'],
  [2, 'odd', 'unknown', 'unavailable'],
  [4, 'Deadline exceeded', 'unknown', 'unavailable'],
  [13, 'Received RST_STREAM', 'unknown', 'unavailable'],
  [14, 'etcdserver: request timed out', 'unknown', 'unavailable'],
  [14, 'etcdserver: no leader', 'unknown', 'unavailable'],
  [11, 'etcdserver: mvcc: required revision has been compacted', 'compacted', 'compacted'],
  [11, 'etcdserver: mvcc: required revision is a future revision', 'futureRevision', 'futureRevision'],
  [3, 'etcdserver: request is too large', 'tooLarge', 'tooLarge'],
  [3, 'etcdserver: user name is empty', 'badToken', 'unavailable'],
  [3, 'etcdserver: duplicate key given in txn request', 'refused', 'unavailable'],
  [8, 'grpc: received message larger than max (5 vs. 2)', 'tooLarge', 'tooLarge'],
  [8, 'etcdserver: too many requests', 'notSent', 'unavailable'],
  [8, 'etcdserver: mvcc: database space exceeded', 'noSpace', 'noSpace'],
  [16, 'etcdserver: invalid auth token', 'badToken', 'unavailable'],
  [3, 'etcdserver: revision of auth store is old', 'badToken', 'unavailable'],
  [2, 'auth: revision in header is old', 'badToken', 'unavailable'],
  [7, 'etcdserver: permission denied', 'denied', 'unavailable'],
];

test.each(cases)('code %i, "%s" is %s, for callers %s', (code, details, kind, storageCode) => {
  const error = Object.assign(new Error(details), { code, details });
  expect(toEtcdError(error, 'range')).toMatchObject({ kind, isLate: code === 4 });
  expect(toStorageError(error, 'k')).toMatchObject({ code: storageCode, key: 'k' });
});

test('errors and storage errors pass unchanged; anything else is unknown', () => {
  const error = new EtcdError('notSent', 'x');
  expect(toEtcdError(error, 'range')).toBe(error);
  const known = new StorageError('stopped', 'x');
  expect(toStorageError(known)).toBe(known);
  expect(toEtcdError(new Error('odd'), 'range')).toMatchObject({
    kind: 'unknown',
    message: 'etcd range: odd',
  });
});
