/** CertificateApproval, CertificateSigning and CertificateSubjectRestriction: who may do what to which request. */
import 'reflect-metadata';
import { Pkcs10CertificateRequestGenerator, type JsonNameParams, Name } from '@peculiar/x509';
import {
  createCertificateApproval,
  createCertificateSigning,
  createCertificateSubjectRestriction,
  createClusterTrustBundleAttest,
} from '../../../src/admission/certificates.ts';
import { attributesOf, naming, outcomeOf, type Write } from '../../support/admission.ts';

const requests = 'certificates.orch.io/v1/certificatesigningrequests';

/** Users and what they may do: `ann sign example.com/one`. */
function permission(...grants: string[]): Parameters<typeof createCertificateApproval>[0] {
  return {
    maySign: ({ name }, verb, signer) => Promise.resolve(grants.includes(`${name} ${verb} ${signer}`)),
  };
}

const spec = { signerName: 'example.com/one' };
const [pending, signed] = [{ spec }, { spec, status: { certificate: 'AAAA' } }];
const denied = { spec, status: { conditions: [{ type: 'Failed', status: 'True' }] } };

function update(subresource: string, object: object, oldObject: object = pending): Write {
  return {
    operation: 'UPDATE',
    resource: `${requests}${subresource}`,
    object,
    oldObject,
    user: { name: 'ann' },
  };
}

const may = (verb: string, of = '403'): string =>
  `${of} user not permitted to ${verb} requests with signerName "example.com/one"`;

test.each<readonly [string, Write, string[], string]>([
  ['a certificate, with permission', update('/status', signed), ['ann sign example.com/one'], ''],
  [
    'a certificate, with permission for the domain',
    update('/status', signed),
    ['ann sign example.com/*'],
    '',
  ],
  ['a certificate, without', update('/status', signed), [], may('sign')],
  [
    'a certificate, with that of another signer',
    update('/status', signed),
    ['ann sign example.com/two'],
    may('sign'),
  ],
  [
    'a certificate, with that to approve',
    update('/status', signed),
    ['ann approve example.com/one'],
    may('sign'),
  ],
  [
    'a certificate, with that of another user',
    update('/status', signed),
    ['bob sign example.com/one'],
    may('sign'),
  ],
  ['a condition', update('/status', denied), [], may('sign')],
  ['the removal of a certificate', update('/status', pending, signed), [], may('sign')],
  [
    'another signer to sign for',
    update('/status', { ...signed, spec: { signerName: 'own.com/x' } }),
    ['ann sign own.com/x'],
    may('sign'),
  ],
  [
    'a status that says the same',
    update('/status', { ...pending, metadata: { labels: { a: 'b' } } }),
    [],
    '',
  ],
  ['the request itself', update('', signed), [], ''],
  ['an approval', update('/approval', denied), [], ''],
])('CertificateSigning: %s', async (_what, write, grants, outcome) => {
  const plugin = createCertificateSigning(permission(...grants), naming);
  expect(await outcomeOf(plugin, attributesOf(write))).toBe(outcome);
});

test.each<readonly [string, Write, string[], string]>([
  ['with permission', update('/approval', denied), ['ann approve example.com/one'], ''],
  ['with permission for the domain', update('/approval', denied), ['ann approve example.com/*'], ''],
  ['without', update('/approval', denied), [], may('approve')],
  ['with that to sign', update('/approval', denied), ['ann sign example.com/one'], may('approve')],
  ['the status', update('/status', denied), [], ''],
])('CertificateApproval: %s', async (_what, write, grants, outcome) => {
  const plugin = createCertificateApproval(permission(...grants), naming);
  expect(await outcomeOf(plugin, attributesOf(write))).toBe(outcome);
});

async function requestOf(subject: string | JsonNameParams): Promise<string> {
  const signingAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await crypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify']);
  const name = new Name(subject);
  const made = await Pkcs10CertificateRequestGenerator.create({ name, keys, signingAlgorithm });
  return Buffer.from(made.toString('pem')).toString('base64');
}

const client = 'orch.io/kube-apiserver-client';
const refused = `403 use of ${client} signer with system:masters group is not allowed`;

test.each<readonly [string, string, string | JsonNameParams, string]>([
  ['a client of masters', client, 'CN=ann, O=system:masters', refused],
  ['a client of masters and others', client, 'CN=ann, O=devs, O=system:masters', refused],
  ['a client of others', client, 'CN=ann, O=devs', ''],
  ['a client of masters in wide letters', client, [{ O: [{ bmpString: 'system:masters' }] }], refused],
  ['a client of masters in wider letters', client, [{ O: [{ universalString: 'system:masters' }] }], refused],
  ['masters of another signer', 'example.com/one', 'CN=ann, O=system:masters', ''],
])('CertificateSubjectRestriction: %s', async (_what, signerName, subject, outcome) => {
  const object = { spec: { signerName, request: await requestOf(subject) } };
  const plugin = createCertificateSubjectRestriction(naming);
  expect(await outcomeOf(plugin, attributesOf({ resource: requests, object }))).toBe(outcome);
});

test.each([
  ['nothing', ''],
  ['no request', '-----BEGIN CERTIFICATE REQUEST-----\nMAA=\n-----END CERTIFICATE REQUEST-----\n'],
])('CertificateSubjectRestriction: %s is not let by unread', async (_what, text) => {
  const object = { spec: { signerName: client, request: Buffer.from(text).toString('base64') } };
  const plugin = createCertificateSubjectRestriction(naming);
  expect(await outcomeOf(plugin, attributesOf({ resource: requests, object }))).toBe(
    '403 failed to parse CSR',
  );
});

test.each<readonly [string, object, string[], string]>([
  ['of a signer, with permission', { spec }, ['ann attest example.com/one'], ''],
  ['of a signer, with permission for the domain', { spec }, ['ann attest example.com/*'], ''],
  [
    ...(['of a signer, without', { spec }, ['ann sign example.com/one']] as const),
    '403 user not permitted to attest for signerName "example.com/one"',
  ],
  ['of no signer', { spec: { trustBundle: 'x' } }, [], ''],
] as never)('ClusterTrustBundleAttest: a bundle %s', async (_what, object, grants, outcome) => {
  const resource = 'certificates.orch.io/v1beta1/clustertrustbundles';
  const plugin = createClusterTrustBundleAttest(permission(...grants), naming);
  const write: Write = { operation: 'CREATE', resource, object, user: { name: 'ann' } };
  expect(await outcomeOf(plugin, attributesOf(write))).toBe(outcome);
});
