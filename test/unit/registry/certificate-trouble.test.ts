/** Which errors of TLS towards the store a client is told, and that nothing of their texts is. */
import { toStatusError } from '../../../src/registry/storage-errors.ts';
import { EtcdError, toStorageError } from '../../../src/storage/etcd/etcd-error.ts';

const requested = { resource: { group: '', resource: 'pods' }, name: 'a' };

/** The Status of a request whose connection to etcd failed so. */
function statusOf(code: string): unknown {
  const tls = Object.assign(new Error('of secret.host'), { code });
  const etcd = new EtcdError('notSent', 'etcd at https://secret.host cannot be reached: of secret.host', tls);
  return toStatusError(toStorageError(etcd), requested);
}

test.each([
  ['CERT_HAS_EXPIRED', 'its certificate has expired; an operator must renew it'],
  ['CERT_NOT_YET_VALID', 'its certificate is not valid yet; an operator must check the clocks'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is not trusted'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'its certificate is not trusted'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'its certificate is not trusted'],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'it refuses the certificate of this server'],
  ['ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE', 'it refuses the certificate of this server'],
  ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'it refuses the certificate of this server'],
])('%s', (code, trouble) => {
  const status = statusOf(code);
  expect(status).toMatchObject({ status: { code: 503, details: { retryAfterSeconds: 10 } } });
  expect(String(status)).toContain(`the store cannot be reached: ${trouble}`);
  expect(String(status)).not.toContain('secret');
});

test('other reasons are not told', () => {
  for (const code of ['ECONNREFUSED', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR']) {
    const status = statusOf(code);
    expect(status).toMatchObject({ status: { code: 503, details: { retryAfterSeconds: 1 } } });
    expect(String(status)).toContain('the store cannot be reached; try again');
  }
});
