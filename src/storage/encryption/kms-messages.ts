/**
 * The messages of KMS plugins: API v1beta1 (configured as v1) and v2, and what is stored of v2 (kube-apiserver: KMS
 * service.proto, api.proto of its module kms, and of its folder kmsv2).
 */
import protobuf from 'protobufjs';
import { withEmptyBuffers, type UnaryMethod } from '../etcd/etcd-messages.ts';

const { root } = protobuf.parse(
  `syntax = "proto3";
  message V1VersionRequest { string version = 1; }
  message V1VersionResponse { string version = 1; string runtime_name = 2; string runtime_version = 3; }
  message V1DecryptRequest { string version = 1; bytes cipher = 2; }
  message V1DecryptResponse { bytes plain = 1; }
  message V1EncryptRequest { string version = 1; bytes plain = 2; }
  message V1EncryptResponse { bytes cipher = 1; }
  message V2StatusRequest {}
  message V2StatusResponse { string version = 1; string healthz = 2; string key_id = 3; }
  message V2DecryptRequest {
    bytes ciphertext = 1; string uid = 2; string key_id = 3; map<string, bytes> annotations = 4;
  }
  message V2DecryptResponse { bytes plaintext = 1; }
  message V2EncryptRequest { bytes plaintext = 1; string uid = 2; }
  message V2EncryptResponse { bytes ciphertext = 1; string key_id = 2; map<string, bytes> annotations = 3; }
  message EncryptedObject {
    bytes encryptedData = 1; string keyID = 2; bytes encryptedDEKSource = 3;
    map<string, bytes> annotations = 4; int32 encryptedDEKSourceType = 5;
  }`,
  { keepCase: true },
);

type Annotations = Readonly<Record<string, Uint8Array>>;

function method<Request extends object, Response>(
  service: 'v1beta1' | 'v2',
  name: 'Version' | 'Status' | 'Encrypt' | 'Decrypt',
): UnaryMethod<Request, Response> {
  const version = service === 'v2' ? 'V2' : 'V1';
  const [request, response] = ['Request', 'Response'].map((end) =>
    withEmptyBuffers(root.lookupType(`${version}${name}${end}`)),
  );
  if (request === undefined || response === undefined) throw new Error(`no method ${name}`);
  return {
    path: `/${service}.KeyManagementService/${name}`,
    encode: (message) => request.encode(message).finish() as Buffer,
    decode: (bytes) => response.decode(bytes) as Response,
    isUrgent: true,
  };
}

export const kmsV1 = {
  version: method<{ version: string }, { readonly version: string }>('v1beta1', 'Version'),
  encrypt: method<{ version: string; plain: Buffer }, { readonly cipher: Buffer }>('v1beta1', 'Encrypt'),
  decrypt: method<{ version: string; cipher: Buffer }, { readonly plain: Buffer }>('v1beta1', 'Decrypt'),
} as const;

export interface V2Status {
  readonly version: string;
  readonly healthz: string;
  readonly key_id: string;
}

export interface V2Encrypted {
  readonly ciphertext: Buffer;
  readonly key_id: string;
  readonly annotations: Annotations;
}

export const kmsV2 = {
  status: method<object, V2Status>('v2', 'Status'),
  encrypt: method<{ plaintext: Buffer; uid: string }, V2Encrypted>('v2', 'Encrypt'),
  decrypt: method<
    { ciphertext: Buffer; uid: string; key_id: string; annotations: Annotations },
    { readonly plaintext: Buffer }
  >('v2', 'Decrypt'),
} as const;

/** A value of KMS v2 in etcd, behind its prefix. */
export interface EncryptedObject {
  readonly encryptedData: Buffer;
  readonly keyID: string;
  readonly encryptedDEKSource: Buffer;
  readonly annotations: Annotations;
  /** How the data is encrypted: see `dekSource`. */
  readonly encryptedDEKSourceType: number;
}

/** 0: by AES-GCM with the source as key; 1: by keys that are derived from the source. */
export const dekSource = { key: 0, seed: 1 } as const;

const encryptedObject = withEmptyBuffers(root.lookupType('EncryptedObject'));

export function encodeEncryptedObject(object: EncryptedObject): Buffer {
  return encryptedObject.encode(object).finish() as Buffer;
}

/** Limits of what lies beside the encrypted data, in bytes. */
export const kmsLimits = { keyId: 1_024, source: 1_024, annotations: 32 * 1_024 } as const;
/** Tags and lengths of all of it, generously. */
const maxOverheadBytes = 32 * 1_024;
const maxBesideBytes = kmsLimits.keyId + kmsLimits.source + kmsLimits.annotations + maxOverheadBytes;
const dataField = 1;

/** @throws Error if it is none, or out of bounds */
export function decodeEncryptedObject(bytes: Buffer): EncryptedObject {
  assertSmallBeside(bytes);
  const object = encryptedObject.decode(bytes) as unknown as EncryptedObject;
  if (object.encryptedData.length === 0 || object.encryptedDEKSource.length === 0 || object.keyID === '')
    throw new Error('the stored data has no encrypted data, key source or key ID');
  return object;
}

/** Looked at before it is decoded: a value of 1 MB can have 200,000 annotations. */
function assertSmallBeside(bytes: Buffer): void {
  const reader = protobuf.Reader.create(bytes);
  let beside = 0;
  while (reader.pos < reader.len) {
    const from = reader.pos;
    const tag = reader.uint32();
    reader.skipType(tag & 7);
    if (tag >>> 3 !== dataField) beside += reader.pos - from;
    if (beside > maxBesideBytes)
      throw new Error('the stored data has a key ID, key source or annotations out of bounds');
  }
}
