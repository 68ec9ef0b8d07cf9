/** Requests of pods: the key and who has it, and which certificate a signer may answer with. */
import 'reflect-metadata';
import { Pkcs10CertificateRequestGenerator, X509CertificateGenerator } from '@peculiar/x509';
import { constants, generateKeyPairSync, sign, type KeyObject, type webcrypto } from 'node:crypto';
import type { JsonObject } from '../../../../src/base/json.ts';
import { contextWith, Kind, now, withValue } from '../../../support/kind.ts';

const kind = new Kind('podcertificaterequests.certificates', contextWith({ version: 'v1beta1' }));
const uid = '0c9f5e0e-4c39-4a3b-b9d6-2e0d4e2f8a01';
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

interface Pair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

const pairs = {
  ed25519: generateKeyPairSync('ed25519'),
  p256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  p521: generateKeyPairSync('ec', { namedCurve: 'P-521' }),
  p224: generateKeyPairSync('ec', { namedCurve: 'secp224r1' }),
  rsa3072: generateKeyPairSync('rsa', { modulusLength: 3072 }),
  rsa2048: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  x25519: generateKeyPairSync('x25519'),
};

const keyOf = ({ publicKey }: Pair): string =>
  publicKey.export({ format: 'der', type: 'spki' }).toString('base64');

function proofOf({ privateKey }: Pair, of = uid): string {
  const padding = constants.RSA_PKCS1_PSS_PADDING;
  const isRsa = privateKey.asymmetricKeyType === 'rsa';
  const hash = privateKey.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  return sign(hash, Buffer.from(of), isRsa ? { key: privateKey, padding } : privateKey).toString('base64');
}

function request(pair: Pair, proof: string, spec: JsonObject = {}): JsonObject {
  return {
    metadata: { name: 'own', namespace: 'web' },
    spec: {
      signerName: 'example.com/signer',
      podName: 'own',
      podUID: uid,
      serviceAccountName: 'default',
      serviceAccountUID: 'a',
      nodeName: 'n1',
      nodeUID: 'n',
      maxExpirationSeconds: 86_400,
      pkixPublicKey: keyOf(pair),
      proofOfPossession: proof,
      ...spec,
    },
  };
}

const told = (errors: readonly { field: string; message: string }[]): string[] =>
  errors.map(({ field, message }) => `${field}: ${message}`);

describe('the key of a request', () => {
  test.each(['ed25519', 'p256', 'p521', 'rsa3072'] as const)('%s, with the proof of its own', (name) => {
    expect(told(kind.createErrors(request(pairs[name], proofOf(pairs[name]))))).toEqual([]);
    const wrong = told(kind.createErrors(request(pairs[name], proofOf(pairs[name], 'another'))));
    expect(wrong).toEqual([
      'spec.proofOfPossession: Invalid value: "<value omitted>": could not verify proof-of-possession signature',
    ]);
  });

  const own = proofOf(pairs.ed25519);
  test.each<[string, JsonObject, RegExp]>([
    ['a curve of 224 bits', request(pairs.p224, ''), /pkixPublicKey: .*must use curve P256 or P384/],
    ['2048 bits', request(pairs.rsa2048, ''), /pkixPublicKey: .*"2048-bit modulus": RSA keys must have/],
    ['a key that signs nothing', request(pairs.x25519, ''), /pkixPublicKey: .*unknown public key type/],
    ['no key', request(pairs.p256, '', { pkixPublicKey: 'AAEC' }), /must be a valid PKIX-serialized/],
    [
      'a long proof',
      request(pairs.p256, Buffer.alloc(10_241).toString('base64')),
      /proofOfPossession: Too long/,
    ],
    ['a signer without domain', request(pairs.ed25519, own, { signerName: 'signer' }), /signerName: Invalid/],
    [
      'an own signer for two days',
      request(pairs.ed25519, own, { signerName: 'orch.io/signer', maxExpirationSeconds: 172_800 }),
      /maxExpirationSeconds: .*\[3600, 86400\]/,
    ],
    ['a long UID', request(pairs.ed25519, own, { nodeUID: 'n'.repeat(129) }), /nodeUID: Too long/],
    [
      'an annotation without domain',
      request(pairs.ed25519, own, { unverifiedUserAnnotations: { bare: '' } }),
      /unverifiedUserAnnotations: .*domain-prefixed key/,
    ],
  ])('%s is refused', (_name, sent, message) => {
    const errors = told(kind.createErrors(sent));
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(message);
  });

  test('a stub is signed by its key, and stands alone', async () => {
    const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
    const made = await Pkcs10CertificateRequestGenerator.create({ keys, signingAlgorithm: algorithm });
    const stub = Buffer.from(made.rawData);
    const bare = { pkixPublicKey: '', proofOfPossession: '' };
    const sent = (bytes: Buffer): JsonObject =>
      request(pairs.p256, '', { ...bare, stubPKCS10Request: bytes.toString('base64') });
    expect(told(kind.createErrors(sent(stub)))).toEqual([]);
    const forged = Buffer.from(stub);
    forged.writeUInt8(forged.readUInt8(forged.length - 1) ^ 1, forged.length - 1);
    expect(told(kind.createErrors(sent(forged)))[0]).toMatch(/stubPKCS10Request: .*could not verify/);
    expect(told(kind.createErrors(sent(stub.subarray(3))))[0]).toMatch(/must be a valid PKCS#10 request/);
    const both = request(pairs.ed25519, own, { stubPKCS10Request: stub.toString('base64') });
    expect(told(kind.createErrors(both))[0]).toMatch(/spec: .*exactly one of/);
  });
});

describe('the answer of a signer', () => {
  const hour = 3_600_000;
  const at = (ms: number): string => new Date(now.getTime() + ms).toISOString().replace('.000', '');
  const condition = (type: string, status = 'True'): JsonObject => ({
    ...{ type, status, reason: 'Done', message: 'done', lastTransitionTime: at(0) },
  });
  let sent: JsonObject = {};
  let issued: JsonObject = {};
  let shortLived = '';

  async function certificate(life: number, keys: webcrypto.CryptoKeyPair): Promise<string> {
    const made = await X509CertificateGenerator.createSelfSigned({
      ...{ name: 'CN=own', keys, signingAlgorithm: algorithm, serialNumber: '01' },
      ...{ notBefore: now, notAfter: new Date(now.getTime() + life) },
    });
    return `${made.toString('pem')}\n`;
  }

  beforeAll(async () => {
    const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
    const der = Buffer.from(await crypto.subtle.exportKey('spki', keys.publicKey)).toString('base64');
    sent = request(pairs.p256, '', { pkixPublicKey: der });
    shortLived = await certificate(hour / 2, keys);
    issued = {
      conditions: [condition('Issued')],
      certificateChain: await certificate(2 * hour, keys),
      ...{ notBefore: at(0), beginRefreshAt: at(hour), notAfter: at(2 * hour) },
    };
  });

  const errorsOf = (status: JsonObject, before: JsonObject = {}): string[] => {
    const current = { ...kind.created(sent), status: before };
    return told(kind.updateErrors(current, { ...sent, status }, 'status'));
  };

  test('the certificate that was asked for, and nothing later', () => {
    expect(errorsOf(issued)).toEqual([]);
    expect(errorsOf(issued, issued)).toEqual([]);
    expect(errorsOf(withValue(issued, 'beginRefreshAt', at(hour / 2)), issued)[0]).toMatch(
      /status: .*immutable after PodCertificateRequest is issued/,
    );
    expect(errorsOf({ conditions: [condition('Denied')] })).toEqual([]);
  });

  test.each<[string, string, unknown, RegExp]>([
    ['of another time', 'notBefore', at(1000), /notBefore: .*must be set to the NotBefore time/],
    ['that ends at another', 'notAfter', at(hour), /notAfter: .*must be set to the NotAfter time/],
    ['without refresh', 'beginRefreshAt', undefined, /beginRefreshAt: Required value: must be present/],
    ['refreshed early', 'beginRefreshAt', at(60_000), /at least 10 minutes after status.notBefore/],
    ['refreshed late', 'beginRefreshAt', at(2 * hour), /at least 10 minutes before status.notAfter/],
    ['that is none', 'certificateChain', 'none', /must contain at least one certificate/],
    ['both issued and denied', 'conditions', [condition('Issued'), condition('Denied')], /at most one/],
    ['neither', 'conditions', [], /status: .*immutable unless transitioning/],
    ['and denied', 'conditions', [condition('Denied')], /non-condition status fields must be empty/],
    ['perhaps', 'conditions', [condition('Issued', 'False')], /status: Unsupported value: "False"/],
    ['of no word', 'conditions', [condition('Done')], /type: Unsupported value: "Done"/],
  ])('a certificate %s is refused', (_name, field, value, message) => {
    expect(errorsOf(withValue(issued, field, value))[0]).toMatch(message);
  });

  test('a certificate for another key, of a short life, or with text that is none behind it is refused', () => {
    const current = { ...kind.created(request(pairs.p256, '')), status: {} };
    const errors = told(kind.updateErrors(current, { ...sent, status: issued }, 'status'));
    expect(errors[0]).toMatch(/was not issued to the requested public key/);
    const short = { ...issued, certificateChain: shortLived, notAfter: at(hour / 2) };
    expect(errorsOf(short)[0]).toMatch(/"30m0s": leaf certificate lifetime must be >= 1 hour/);
    const chain = `${issued['certificateChain'] as string}-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n`;
    expect(errorsOf({ ...issued, certificateChain: chain })[0]).toMatch(/intermediate certificate/);
    expect(
      errorsOf(withValue(issued, 'certificateChain', chain.replaceAll('CERTIFICATE', 'KEY')))[0],
    ).toMatch(/consist entirely of CERTIFICATE/);
  });
});
