import { X509Certificate } from 'node:crypto';
import { Metrics } from '../../../src/observe/metrics.ts';
import { createServerMetrics } from '../../../src/observe/server-metrics.ts';
import { noteCertificateExpiry } from '../../../src/server/certificate-expiry.ts';
import { makeAuthority } from '../../support/pki.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

test('each certificate has its end as a figure; of a bundle the first end, of nothing none', async () => {
  const folder = await makeTempFolder('expiry');
  try {
    const authority = await makeAuthority(folder.path);
    const { cert } = await authority.server('api');
    const metrics = new Metrics();
    const { certificateNotAfter } = createServerMetrics(metrics);
    noteCertificateExpiry(certificateNotAfter, {
      server: cert,
      'client-ca': `${authority.ca}\n${cert}`,
      'etcd-ca': Buffer.from(authority.ca),
      'etcd-client': undefined,
      broken: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
    });
    const endOf = (pem: string): number => new X509Certificate(pem).validToDate.getTime() / 1000;
    const first = Math.min(endOf(authority.ca), endOf(cert));
    const text = await metrics.text();
    const samples = [...text.matchAll(/not_after_timestamp_seconds\{certificate="(.+)"\} (\S+)/g)];
    expect(samples.map(([, name, value]) => [name, Number(value)])).toEqual([
      ['server', endOf(cert)],
      ['client-ca', first],
      ['etcd-ca', endOf(authority.ca)],
    ]);
  } finally {
    await folder.remove();
  }
});
