/** What the versions of the API of KMS plugins have in common. */
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { UnaryMethod } from '../etcd/etcd-messages.ts';

/** Calls the plugin. Rejects with KmsError. */
export type KmsCall = <Request, Response>(
  method: UnaryMethod<Request, Response>,
  request: Request,
) => Promise<Response>;

/** One version. Its methods throw KmsError, and Error for values that are damaged. */
export interface KmsApi {
  /** The id of the plugin's key that a value in etcd depends on; '' if the version has none. */
  keyIdOf(sealed: Buffer): string;
  /** That of values that are written; undefined while it is unknown. */
  readonly keyId: string | undefined;
  encrypt(plain: Buffer, context: Buffer): Promise<Buffer>;
  decrypt(sealed: Buffer, context: Buffer): MaybePromise<Buffer>;
  /** Asks the plugin for its state. @param isThorough lets it encrypt and decrypt, too */
  probe(call: KmsCall, isThorough: boolean): Promise<void>;
}
