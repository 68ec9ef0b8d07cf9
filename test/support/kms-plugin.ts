/** A KMS plugin on a unix socket, by grpc-js: both versions of the API, with keys that change and failures on demand. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import {
  Server,
  ServerCredentials,
  status,
  type ServiceDefinition,
  type UntypedHandleCall,
} from '@grpc/grpc-js';
import protobuf from 'protobufjs';

type Message = Record<string, unknown>;

const { root } = protobuf.parse(
  `syntax = "proto3";
  message VersionRequest { string version = 1; }
  message VersionResponse { string version = 1; string runtime_name = 2; string runtime_version = 3; }
  message OldDecryptRequest { string version = 1; bytes cipher = 2; }
  message OldDecryptResponse { bytes plain = 1; }
  message OldEncryptRequest { string version = 1; bytes plain = 2; }
  message OldEncryptResponse { bytes cipher = 1; }
  message StatusRequest {}
  message StatusResponse { string version = 1; string healthz = 2; string key_id = 3; }
  message DecryptRequest { bytes ciphertext = 1; string uid = 2; string key_id = 3; map<string, bytes> annotations = 4; }
  message DecryptResponse { bytes plaintext = 1; }
  message EncryptRequest { bytes plaintext = 1; string uid = 2; }
  message EncryptResponse { bytes ciphertext = 1; string key_id = 2; map<string, bytes> annotations = 3; }`,
  { keepCase: true },
);

/** The key of a plugin. Encrypts by AES-GCM with a nonce in front. */
class PluginKey {
  readonly id: string;
  readonly #key = randomBytes(32);

  constructor(id: string) {
    this.id = id;
  }

  encrypt(plain: Buffer): Buffer {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce);
    return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  }

  decrypt(sealed: Buffer): Buffer {
    const decipher = createDecipheriv('aes-256-gcm', this.#key, sealed.subarray(0, 12));
    decipher.setAuthTag(sealed.subarray(-16));
    return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]);
  }
}

export class KmsPluginServer {
  readonly endpoint: string;
  /** What was called, in order. */
  readonly calls: string[] = [];
  /**
   * 'silent' answers nothing; 'refusing' answers an error to Decrypt; 'garbling' answers other keys;
   * 'endless' answers 5 MB; 'restless' has another key for each call.
   */
  mood: 'well' | 'silent' | 'refusing' | 'garbling' | 'endless' | 'restless' = 'well';
  readonly #keys: PluginKey[] = [new PluginKey('key-1')];
  readonly #path: string;
  #server: Server | undefined;

  /** @param path of the socket */
  constructor(path: string) {
    this.#path = path;
    this.endpoint = `unix://${path}`;
  }

  get keyId(): string {
    return this.#key.id;
  }

  /** Another key encrypts from now on; the old ones still decrypt. */
  rotate(): void {
    this.#keys.unshift(new PluginKey(`key-${String(this.#keys.length + 1)}`));
  }

  async start(): Promise<void> {
    const server = new Server();
    server.addService(
      this.#service('v1beta1', { Version: 'Version', Encrypt: 'OldEncrypt', Decrypt: 'OldDecrypt' }),
      {
        Version: this.#answer('v1 Version', () => ({ version: 'v1beta1', runtime_name: 'test' })),
        Encrypt: this.#answer('v1 Encrypt', ({ plain }) => ({ cipher: this.#key.encrypt(plain as Buffer) })),
        Decrypt: this.#answer('v1 Decrypt', ({ cipher }) => ({ plain: this.#decrypt(cipher as Buffer) })),
      },
    );
    server.addService(this.#service('v2', { Status: 'Status', Encrypt: 'Encrypt', Decrypt: 'Decrypt' }), {
      Status: this.#answer('v2 Status', () => ({ version: 'v2', healthz: 'ok', key_id: this.keyId })),
      Encrypt: this.#answer('v2 Encrypt', ({ plaintext }) => ({
        ciphertext: this.#key.encrypt(plaintext as Buffer),
        key_id: this.keyId,
        annotations: { 'version.example.test': Buffer.from('1') },
      })),
      Decrypt: this.#answer('v2 Decrypt', ({ ciphertext, key_id: keyId, annotations }) => {
        const given = (annotations as Record<string, Buffer>)['version.example.test']?.toString();
        if (given !== '1') throw new Error('the annotation is missing');
        return { plaintext: this.#decrypt(ciphertext as Buffer, keyId as string) };
      }),
    });
    await new Promise<void>((resolve, reject) => {
      server.bindAsync(`unix:${this.#path}`, ServerCredentials.createInsecure(), (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
    this.#server = server;
  }

  stop(): void {
    this.#server?.forceShutdown();
    this.#server = undefined;
  }

  get #key(): PluginKey {
    const [key] = this.#keys;
    if (key === undefined) throw new Error('no key');
    return key;
  }

  #decrypt(sealed: Buffer, id?: string): Buffer {
    if (this.mood === 'refusing') throw new Error(`the plugin refuses ${'x'.repeat(2_000)}`);
    if (this.mood === 'garbling') return randomBytes(32);
    if (this.mood === 'endless') return Buffer.alloc(5_000_000);
    for (const key of this.#keys) {
      if (id !== undefined && key.id !== id) continue;
      try {
        return key.decrypt(sealed);
      } catch {
        // Perhaps another key did.
      }
    }
    throw new Error('no key decrypts this');
  }

  #service(name: string, methods: Record<string, string>): ServiceDefinition {
    const entries = Object.entries(methods).map(([method, type]) => {
      const [request, response] = [root.lookupType(`${type}Request`), root.lookupType(`${type}Response`)];
      return [
        method,
        {
          path: `/${name}.KeyManagementService/${method}`,
          requestStream: false,
          responseStream: false,
          requestDeserialize: (bytes: Buffer) => request.decode(bytes),
          responseSerialize: (message: Message) => Buffer.from(response.encode(message).finish()),
          requestSerialize: (message: Message) => Buffer.from(request.encode(message).finish()),
          responseDeserialize: (bytes: Buffer) => response.decode(bytes),
        },
      ];
    });
    return Object.fromEntries(entries) as ServiceDefinition;
  }

  #answer(name: string, work: (request: Message) => Message): UntypedHandleCall {
    const handler = (
      { request }: { request: Message },
      callback: (error: object | null, answer?: Message) => void,
    ): void => {
      this.calls.push(name);
      if (this.mood === 'silent') return;
      if (this.mood === 'restless') this.rotate();
      try {
        callback(null, work(request));
      } catch (error) {
        callback({ code: status.INTERNAL, details: (error as Error).message });
      }
    };
    return handler;
  }
}
