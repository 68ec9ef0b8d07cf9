/** Errors of the storage that asks etcd, as the others are told them. */
import { certificateTrouble } from '../../../../src/registry/certificate-trouble.ts';
import { errorOf, problemOf } from '../../../../src/storage/feed/told-problem.ts';
import { toStorageError } from '../../../../src/storage/etcd/etcd-error.ts';
import { StorageError } from '../../../../src/storage/types.ts';

const told = (error: unknown): Error => errorOf(structuredClone(problemOf(error)));

test('an error of the storage stays one, with what clients are told of its cause', () => {
  const expired = Object.assign(new Error('expired'), { code: 'CERT_HAS_EXPIRED' });
  const error = toStorageError(new Error('no connection', { cause: new Error('TLS', { cause: expired }) }));
  const received = told(error);
  expect(received).toBeInstanceOf(StorageError);
  expect(received).toMatchObject({ code: 'unavailable', message: error.message });
  expect(certificateTrouble(error)).toMatch(/expired/);
  expect(certificateTrouble(received)).toBe(certificateTrouble(error));
});

test('a bug stays one, and causes without end are cut off', () => {
  expect(told(new TypeError('x is undefined'))).not.toBeInstanceOf(StorageError);
  const circle = new Error('circle');
  circle.cause = Object.assign(circle, { code: 'LOOP' });
  expect(told(circle).message).toBe('circle');
  expect(told('text').message).toBe('text');
});
