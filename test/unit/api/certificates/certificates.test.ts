import 'reflect-metadata';
import { Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension } from '@peculiar/x509';
import type { JsonObject } from '../../../../src/base/json.ts';
import { parseCertificateRequest } from '../../../../src/api/certificates/pkcs10.ts';
import { applySignerDefault, requestOf } from '../../../../src/api/certificates/signer-default.ts';
import { asApiObject } from '../../../../src/meta/object.ts';
import { brief, contextWith, Kind, naming, now, testErrors, withValue } from '../../../support/kind.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

async function csr(subject: string, ...dns: readonly (string | undefined)[]): Promise<string> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const names = dns.filter((value) => value !== undefined).map((value) => ({ type: 'dns' as const, value }));
  const extensions = names.length === 0 ? [] : [new SubjectAlternativeNameExtension(names)];
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: subject,
    keys,
    signingAlgorithm: algorithm,
    extensions,
  });
  return Buffer.from(request.toString('pem')).toString('base64');
}

/** Blocks whose content nobody reads. */
const pem = (type: string, body = 'MAA='): string =>
  Buffer.from(`-----BEGIN ${type}-----\n${body}\n-----END ${type}-----\n`).toString('base64');

describe('CertificateSigningRequest', () => {
  const kind = new Kind('certificatesigningrequests.certificates');
  const minimal: JsonObject = {
    metadata: { name: 'ada' },
    spec: { request: '', signerName: 'example.com/signer', usages: ['client auth'] },
  };
  beforeAll(async () => {
    (minimal['spec'] as JsonObject)['request'] = await csr('CN=ada');
  });

  testErrors(kind, minimal, [
    ['spec.request', '', 'spec.request Required'],
    ['spec.request', pem('CERTIFICATE'), 'spec.request Invalid'],
    ['spec.request', pem('CERTIFICATE REQUEST', 'AAAA'), 'spec.request Invalid'],
    ['spec.signerName', '', 'spec.signerName Required'],
    ['spec.signerName', 'signer', 'spec.signerName Invalid'],
    ['spec.signerName', 'local/signer', 'spec.signerName Invalid'],
    ['spec.signerName', 'example.com/-', 'spec.signerName Invalid'],
  ]);

  test('the requester is who sends it, the spec stays', () => {
    const forged = withValue(withValue(minimal, 'spec.username', 'root'), 'spec.groups', ['system:masters']);
    const before = kind.created(forged);
    expect(before['spec']).toMatchObject({
      username: 'ada',
      uid: 'u',
      groups: ['dev'],
      extra: { scope: ['a'] },
    });
    expect(before['status']).toEqual({});
    expect(kind.updated(before, forged)['spec']).toEqual(before['spec']);
  });

  test('approval is final and has its own path', () => {
    const before = kind.created(minimal);
    const approved = {
      ...minimal,
      status: { conditions: [{ type: 'Approved', status: 'True' }], certificate: pem('CERTIFICATE') },
    };
    expect(brief(kind.updateErrors(before, approved, 'status'))).toEqual(['status.conditions Forbidden']);
    const next = kind.updated(before, approved, 'approval');
    const stamp = now.toISOString().replace('.000', '');
    expect(next['status']).toEqual({
      conditions: [{ type: 'Approved', status: 'True', lastUpdateTime: stamp, lastTransitionTime: stamp }],
    });
    expect(kind.updateErrors(before, approved, 'approval')).toEqual([]);
    expect(brief(kind.updateErrors(next, minimal, 'approval'))).toEqual(['status.conditions Forbidden']);
    const both = {
      ...minimal,
      status: {
        conditions: [
          { type: 'Approved', status: 'False' },
          { type: 'Denied', status: 'True' },
        ],
      },
    };
    expect(brief(kind.updateErrors(before, both, 'approval'))).toEqual([
      'status.conditions Invalid',
      'status.conditions[0].status Invalid',
    ]);
    const signed = kind.updated(next, approved, 'status');
    expect(kind.cells(signed).at(-1)).toBe('Approved,Issued');
    expect(
      brief(
        kind.updateErrors(
          signed,
          withValue(approved, 'status.certificate', pem('CERTIFICATE', 'AAAA')),
          'status',
        ),
      ),
    ).toEqual(['status.certificate Forbidden']);
  });

  test('v1 asks more than v1beta1', () => {
    const beta = new Kind('certificatesigningrequests.certificates', contextWith({ version: 'v1beta1' }));
    const spec = { signerName: 'orch.io/legacy-unknown', usages: ['flying', 'any', 'any'] };
    const sent = { ...minimal, spec: { ...(minimal['spec'] as JsonObject), ...spec } };
    expect(brief(kind.createErrors(sent))).toEqual([
      'spec.signerName Invalid',
      'spec.usages[0] NotSupported',
      'spec.usages[2] Duplicate',
    ]);
    expect(beta.createErrors(sent)).toEqual([]);
    const before = beta.created(sent);
    expect(kind.updateErrors(before, sent)).toEqual([]);
    const status = {
      conditions: [{ type: 'Odd' }, { type: 'Odd', status: 'True' }],
      certificate: pem('CERTIFICATE REQUEST'),
    };
    expect(brief(kind.updateErrors(before, { ...sent, status }, 'status'))).toEqual([
      'status.certificate Invalid',
      'status.conditions[0].status Required',
      'status.conditions[1].type Duplicate',
    ]);
    expect(beta.updateErrors(before, { ...sent, status }, 'status')).toEqual([]);
  });
});

describe('who signs when v1beta1 does not say so', () => {
  const node = 'CN=system:node:n1, O=system:nodes';
  test.each<[string, string | undefined, string[], string]>([
    [
      node,
      undefined,
      ['digital signature', 'key encipherment', 'client auth'],
      'kube-apiserver-client-kubelet',
    ],
    [node, 'n1.example.com', ['digital signature', 'key encipherment', 'server auth'], 'kubelet-serving'],
    [node, undefined, ['digital signature', 'any', 'client auth'], 'legacy-unknown'],
    ['CN=ada', undefined, ['digital signature', 'client auth'], 'legacy-unknown'],
  ])('%s %s %j: %s', async (subject, dns, usages, signer) => {
    const object = asApiObject({ metadata: {}, spec: { request: await csr(subject, dns), usages } });
    applySignerDefault(object, contextWith());
    expect(object['spec']).toMatchObject({ signerName: `${naming.labelDomain}/${signer}` });
  });

  test('a request is read as far as needed', async () => {
    expect(requestOf(await csr(node, 'a.example.com'))).toEqual({
      commonName: 'system:node:n1',
      organizations: ['system:nodes'],
      nameKinds: [2],
    });
    expect(requestOf('')).toBeUndefined();
    for (let length = 0; length < 40; length++)
      expect(parseCertificateRequest(Buffer.alloc(length, 0x30))).toBeUndefined();
  });

  test('a request with hundreds of names is read', async () => {
    const names = Array.from({ length: 300 }, (_none, i) => `host-${i}.example.com`);
    expect(requestOf(await csr(node, ...names))?.nameKinds).toEqual(names.map(() => 2));
  });

  test('one so large that reading its names would hold the thread is none', async () => {
    const names = Array.from({ length: 3_000 }, (_none, i) => `host-${i}.example.com`);
    expect(requestOf(await csr(node, ...names))).toBeUndefined();
  });
});
