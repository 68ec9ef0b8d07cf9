/** That the sender of a request has the private key to its public one, which is of a kind and size in use. */
import type { KeyObject } from 'node:crypto';
import { constants, createPublicKey, verify } from 'node:crypto';
import type { FieldError } from '../../meta/field-error.ts';
import { invalid, tooLong } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { signedRequestOf } from './pkcs10.ts';
import type { PodCertificateRequestSpec } from './v1beta1.types.ts';

const path = FieldPath.of('spec');
const keyPath = path.child('pkixPublicKey');
const proofPath = path.child('proofOfPossession');
const stubPath = path.child('stubPKCS10Request');
/** Of a key, a signature or a stub. */
const maxBytes = 10 * 1024;
const rsaBits = [3072, 4096];
const curves = ['prime256v1', 'secp384r1', 'secp521r1'];
/** Other libraries read no larger ones, and raising to them takes long. */
const maxExponent = 2n ** 31n - 1n;
/** How the signature of a stub may be made: object identifiers (RFC 5758, RFC 4055, RFC 8410) and their hashes. */
const stubHashes: Readonly<Record<string, string | null>> = {
  '2a8648ce3d040302': 'sha256',
  '2a8648ce3d040303': 'sha384',
  '2a8648ce3d040304': 'sha512',
  '2a864886f70d01010b': 'sha256',
  '2a864886f70d01010c': 'sha384',
  '2a864886f70d01010d': 'sha512',
  '2b6570': null,
};

/** The errors of the key of a request and of what shows that its sender has the private one. */
export function validatePossession(spec: PodCertificateRequestSpec): FieldError[] {
  const stub = bytesOf(spec.stubPKCS10Request);
  const key = bytesOf(spec.pkixPublicKey);
  const proof = bytesOf(spec.proofOfPossession);
  if (key.length > maxBytes) return [tooLong(keyPath, maxBytes)];
  if (proof.length > maxBytes) return [tooLong(proofPath, maxBytes)];
  if (stub.length > maxBytes) return [tooLong(stubPath, maxBytes)];
  if (stub.length === 0) return validateProof(spec, key, proof);
  return key.length + proof.length === 0
    ? validateStub(stub)
    : [
        invalid(
          path,
          '<value omitted>',
          'exactly one of stubPKCS10Request, or pkixPublicKey with proofOfPossession, must be set',
        ),
      ];
}

/** The public key that a certificate for the request must have; undefined when there is none to be read. */
export function requestedKey(spec: PodCertificateRequestSpec): KeyObject | undefined {
  const stub = bytesOf(spec.stubPKCS10Request);
  return readKey(stub.length > 0 ? signedRequestOf(stub)?.publicKey : bytesOf(spec.pkixPublicKey));
}

function bytesOf(base64 = ''): Buffer {
  return Buffer.from(base64, 'base64');
}

/** Undefined when the bytes are no public key in PKIX form (RFC 5280), or more than one. */
function readKey(bytes: Buffer | undefined): KeyObject | undefined {
  if (!bytes) return undefined;
  try {
    const key = createPublicKey({ key: bytes, format: 'der', type: 'spki' });
    return key.export({ format: 'der', type: 'spki' }).equals(bytes) ? key : undefined;
  } catch {
    return undefined;
  }
}

/** The signature is over the UID of the pod (hashed by SHA-256 but for Ed25519; RSA by PSS). */
function validateProof(spec: PodCertificateRequestSpec, bytes: Buffer, proof: Buffer): FieldError[] {
  const key = readKey(bytes);
  if (!key) return [invalid(keyPath, spec.pkixPublicKey ?? '', 'must be a valid PKIX-serialized public key')];
  const problems = keyProblems(key, keyPath, spec.pkixPublicKey ?? '');
  if (problems.length > 0) return problems;
  const hash = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  const data = Buffer.from(spec.podUID ?? '');
  return isSigned(key, { data, signature: proof, hash, padding: constants.RSA_PKCS1_PSS_PADDING })
    ? []
    : [invalid(proofPath, '<value omitted>', 'could not verify proof-of-possession signature')];
}

/** A stub is signed as requests are (RFC 2986). */
function validateStub(stub: Buffer): FieldError[] {
  const request = signedRequestOf(stub);
  const key = readKey(request?.publicKey);
  if (!request || !key) return [invalid(stubPath, '<value omitted>', 'must be a valid PKCS#10 request')];
  const problems = keyProblems(key, stubPath, '<value omitted>');
  if (problems.length > 0) return problems;
  const hash = Object.hasOwn(stubHashes, request.algorithm) ? stubHashes[request.algorithm] : undefined;
  const { signed: data, signature } = request;
  const padding = constants.RSA_PKCS1_PADDING;
  return hash !== undefined && isSigned(key, { data, signature, hash, padding })
    ? []
    : [invalid(stubPath, '<value omitted>', 'could not verify the signature of the request')];
}

interface Signed {
  readonly data: Buffer;
  readonly signature: Buffer;
  /** Null: that of the key's own kind. */
  readonly hash: string | null;
  /** How signatures of RSA keys are padded. */
  readonly padding: number;
}

function isSigned(key: KeyObject, { data, signature, hash, padding }: Signed): boolean {
  if ((key.asymmetricKeyDetails?.publicExponent ?? 0n) > maxExponent) return false;
  const options = key.asymmetricKeyType === 'rsa' ? { key, padding } : key;
  try {
    return verify(hash, data, options, signature);
  } catch {
    return false;
  }
}

function keyProblems(key: KeyObject, at: FieldPath, shown: string): FieldError[] {
  const { modulusLength = 0, namedCurve = '' } = key.asymmetricKeyDetails ?? {};
  const bits = Math.ceil(modulusLength / 8) * 8;
  const kind = key.asymmetricKeyType;
  if (kind === 'ed25519') return [];
  if (kind === 'ec')
    return curves.includes(namedCurve)
      ? []
      : [invalid(at, `curve ${namedCurve}`, 'elliptic public keys must use curve P256 or P384')];
  if (kind === 'rsa')
    return rsaBits.includes(bits)
      ? []
      : [invalid(at, `${String(bits)}-bit modulus`, 'RSA keys must have modulus size 3072 or 4096')];
  return [invalid(at, shown, 'unknown public key type; supported types are Ed25519, ECDSA, and RSA')];
}
